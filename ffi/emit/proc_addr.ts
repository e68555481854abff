import type { Label } from "../asm/code.ts";
import type { CheckSlots, ProcAddrSpec } from "./emitter.ts";
import { packText, PROC, type TableSet } from "./layout.ts";
import type { LookupRegisters, Machine } from "./machine.ts";

type Level = "instance" | "device";

/** The registers, and the pieces that each processor writes. */
export interface ProcAddrPieces<Assembler> {
  /** Registers that no handle check uses for the record, and two more, which may be one. */
  readonly registers: LookupRegisters & {
    /** The command's record. */
    readonly record: number;
    /** An offset in the table. */
    readonly offset: number;
    /** Any value. */
    readonly value: number;
    /** An address in the table, and what lies before it. */
    readonly place: number;
    readonly before: number;
    /** The text of a message. */
    readonly text: number;
  };
  /** Finds the name in the table of the record. */
  find(code: Assembler, miss: Label): void;
  /** Loads the table of a handle, and tests whether it is the last one found. */
  firstLook(code: Assembler, set: TableSet, sets: number, isNull: Label, elsewhere: Label): void;
  /** Searches the table among all. */
  look(code: Assembler, set: TableSet, sets: number, found: Label, missing: Label): void;
  /** Reports an argument that is not a handle, and ends the process. */
  report(code: Assembler, slots: CheckSlots): void;
}

/** Where the function continues: with NULL, or with an argument that is not a handle. */
interface Ways {
  readonly nothing: Label;
  readonly noHandle: Label;
}

/** Writes both GetProcAddr functions `(handle, name) -> address`. */
export function writeProcAddrFunctions<Assembler extends Machine>(
  code: Assembler,
  pieces: ProcAddrPieces<Assembler>,
  spec: ProcAddrSpec,
): void {
  writeFunction(code, pieces, spec, "instance", writeAnswerOfInstance);
  writeFunction(code, pieces, spec, "device", writeAnswerOfDevice);
}

function writeFunction<Assembler extends Machine>(
  code: Assembler,
  pieces: ProcAddrPieces<Assembler>,
  spec: ProcAddrSpec,
  level: Level,
  writeAnswer: (code: Assembler, pieces: ProcAddrPieces<Assembler>, spec: ProcAddrSpec, ways: Ways) => void,
): void {
  const { handle, name, result, lookup, entry, valueAt, table, record, text } = pieces.registers;
  const nothing = code.label(), miss = code.label(), noHandle = code.label();
  code.begin(level === "instance" ? "getInstanceProcAddr" : "getDeviceProcAddr");
  code.slotAddress(lookup, spec.record);
  code.jumpIfZero(name, nothing);
  pieces.find(code, miss);
  code.load(record, entry, valueAt);
  writeAnswer(code, pieces, spec, { nothing, noHandle });
  code.place(miss);
  code.jumpIfZero(handle, nothing);
  writeTable(code, pieces, spec, level, noHandle);
  code.loadFar(table, table, level === "instance" ? spec.instanceMiss : spec.deviceMiss);
  code.jumpIfZero(table, nothing);
  code.jumpRegister(table);
  code.place(nothing);
  code.zero(result);
  code.ret();
  code.place(noHandle);
  if (!spec.handles) return;
  code.movImmediate32(text, packText(spec.handles.texts[level]));
  pieces.report(code, spec.handles.slots);
}

/** Loads the table of the handle. */
function writeTable<Assembler extends Machine>(
  code: Assembler,
  { registers, firstLook, look }: ProcAddrPieces<Assembler>,
  { handles }: ProcAddrSpec,
  level: Level,
  noHandle: Label,
): void {
  if (!handles) return code.load(registers.table, registers.handle);
  const found = code.label(), elsewhere = code.label(), { sets } = handles.slots;
  firstLook(code, level, sets, noHandle, elsewhere);
  code.jump(found);
  code.place(elsewhere);
  look(code, level, sets, found, noHandle);
  code.place(found);
}

/**
 * Returns the record's answer, if the instance has the command, or if the
 * command needs no instance and there is none.
 */
function writeAnswerOfInstance<Assembler extends Machine>(
  code: Assembler,
  pieces: ProcAddrPieces<Assembler>,
  spec: ProcAddrSpec,
  { nothing, noHandle }: Ways,
): void {
  const { handle, result, table, record, offset, value } = pieces.registers;
  const bare = code.label(), always = code.label(), unknown = code.label();
  code.jumpIfZero(handle, bare);
  writeTable(code, pieces, spec, "instance", unknown);
  code.load32(offset, record, PROC.instance);
  code.jumpIfNegative32(offset, always);
  code.loadSum(value, table, offset);
  code.jumpIfZero(value, nothing);
  code.place(always);
  code.load(result, record, PROC.answer);
  code.ret();
  code.place(bare);
  code.load32(value, record, PROC.bare);
  code.jumpIfNotZero32(value, always);
  code.jump(nothing);
  code.place(unknown); // commands that need no instance exist for any instance
  code.load32(value, record, PROC.bare);
  code.jumpIfNotZero32(value, always);
  code.jump(noHandle);
}

/**
 * Returns what the device's table has for the record, if there is a pointer
 * `deviceCheck` bytes before it.
 */
function writeAnswerOfDevice<Assembler extends Machine>(
  code: Assembler,
  pieces: ProcAddrPieces<Assembler>,
  spec: ProcAddrSpec,
  { nothing, noHandle }: Ways,
): void {
  const { handle, result, table, record, offset, place, before } = pieces.registers;
  code.load32(offset, record, PROC.device);
  code.jumpIfZero32(offset, nothing);
  code.jumpIfZero(handle, nothing);
  writeTable(code, pieces, spec, "device", noHandle);
  code.sum(place, table, offset);
  code.loadBefore(before, place, spec.deviceCheck);
  code.jumpIfZero(before, nothing);
  code.load(result, place);
  code.ret();
}
