import type { Label } from "../asm/code.ts";
import { checkRegisters, writeFirstLook, writeLook, writeReport } from "./check.ts";
import type { ProcAddrSpec } from "./emitter.ts";
import { LOOKUP_TABLE, packText, PROC } from "./layout.ts";
import { lookupRegisters, writeFind } from "./lookup.ts";
import type { Machine } from "./machine.ts";

type Level = "instance" | "device";

/** The registers after the name is found. A check changes none of them except the table, and uses no others of these. */
function registersOf(code: Machine) {
  const { arguments: [handle, name, record, value], scratch: [table] } = code;
  return { handle, name, record, value, table };
}

/** The places where the function continues: with NULL, or with an argument that is not a handle. */
interface Ways {
  readonly nothing: Label;
  readonly noHandle: Label;
}

/** Writes both GetProcAddr functions `(handle, name) -> address`. */
export function writeProcAddr(code: Machine, spec: ProcAddrSpec): void {
  writeFunction(code, spec, "instance", writeAnswerOfInstance);
  writeFunction(code, spec, "device", writeAnswerOfDevice);
}

function writeFunction(
  code: Machine,
  spec: ProcAddrSpec,
  level: Level,
  writeAnswer: (code: Machine, spec: ProcAddrSpec, ways: Ways) => void,
): void {
  const { handle, name, record, table } = registersOf(code), { record: lookup, entry } = lookupRegisters(code);
  const nothing = code.label(), miss = code.label(), noHandle = code.label();
  code.begin(level === "instance" ? "getInstanceProcAddr" : "getDeviceProcAddr");
  code.slotAddress(lookup, spec.record);
  code.jumpIfZero(name, nothing);
  writeFind(code, miss);
  code.load(record, entry, LOOKUP_TABLE.entries + LOOKUP_TABLE.value);
  writeAnswer(code, spec, { nothing, noHandle });
  code.place(miss);
  code.jumpIfZero(handle, nothing);
  writeTable(code, spec, level, noHandle);
  code.loadFar(table, table, level === "instance" ? spec.instanceMiss : spec.deviceMiss);
  code.jumpIfZero(table, nothing);
  code.jumpRegister(table);
  code.place(nothing);
  code.zero(code.result);
  code.ret();
  code.place(noHandle);
  if (!spec.handles) return;
  code.openFrame(0);
  code.movImmediate32(checkRegisters(code).text, packText(spec.handles.texts[level]));
  writeReport(code, spec.handles.slots);
}

/** Loads the table of the handle. */
function writeTable(code: Machine, { handles }: ProcAddrSpec, level: Level, noHandle: Label): void {
  const { table, handle } = registersOf(code);
  if (!handles) return code.load(table, handle);
  const found = code.label(), elsewhere = code.label(), { sets } = handles.slots;
  writeFirstLook(code, level, sets, noHandle, elsewhere);
  code.jump(found);
  code.place(elsewhere);
  writeLook(code, level, sets, found, noHandle);
  code.place(found);
}

/**
 * Returns the record's answer, if the instance has the command, or if the
 * command needs no instance and there is none.
 */
function writeAnswerOfInstance(code: Machine, spec: ProcAddrSpec, { nothing, noHandle }: Ways): void {
  const { handle, record, value, table } = registersOf(code);
  const bare = code.label(), always = code.label(), unknown = code.label();
  code.jumpIfZero(handle, bare);
  writeTable(code, spec, "instance", unknown);
  code.load32(value, record, PROC.instance); // an offset
  code.jumpIfNegative32(value, always);
  code.loadSum(value, table, value);
  code.jumpIfZero(value, nothing);
  code.place(always);
  code.load(code.result, record, PROC.answer);
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
function writeAnswerOfDevice(code: Machine, spec: ProcAddrSpec, { nothing, noHandle }: Ways): void {
  const { handle, record, value, table } = registersOf(code);
  code.load32(value, record, PROC.device); // an offset
  code.jumpIfZero32(value, nothing);
  code.jumpIfZero(handle, nothing);
  writeTable(code, spec, "device", noHandle);
  code.sum(value, table, value); // a place in the table
  code.loadBefore(record, value, spec.deviceCheck);
  code.jumpIfZero(record, nothing);
  code.load(code.result, value);
  code.ret();
}
