import { type A64, X16, X17 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import type { ProcAddrSpec } from "../emitter.ts";
import { LOOKUP_TABLE, packText, PROC } from "../layout.ts";
import { writeFirstLook, writeLook, writeReport } from "./check.ts";
import { ENTRY, writeFind } from "./lookup.ts";

type Level = "instance" | "device";

/** Where the function continues: with NULL, or with an argument that is not a handle. */
interface Ways {
  readonly nothing: Label;
  readonly noHandle: Label;
}

/** Registers that no handle check uses: the command's record, and its contents. */
const RECORD = 14, OFFSET = 15;

/** Writes both GetProcAddr functions `(handle, name) -> address`. */
export function writeProcAddr(code: A64, spec: ProcAddrSpec): void {
  writeFunction(code, "getInstanceProcAddr", "instance", spec, answerOfInstance);
  writeFunction(code, "getDeviceProcAddr", "device", spec, answerOfDevice);
}

function writeFunction(
  code: A64,
  name: string,
  level: Level,
  spec: ProcAddrSpec,
  writeAnswer: (code: A64, spec: ProcAddrSpec, ways: Ways) => void,
): void {
  const nothing = code.label(), miss = code.label(), noHandle = code.label();
  code.begin(name);
  code.slotAddress(X17, spec.record);
  code.jumpIfZero(1, nothing);
  writeFind(code, miss);
  code.load(RECORD, ENTRY, LOOKUP_TABLE.value);
  writeAnswer(code, spec, { nothing, noHandle });
  code.place(miss);
  code.jumpIfZero(0, nothing);
  writeTable(code, level, spec, noHandle);
  code.loadFar(X16, X16, level === "instance" ? spec.instanceMiss : spec.deviceMiss);
  code.jumpIfZero(X16, nothing);
  code.jumpRegister(X16);
  code.place(nothing);
  code.movImmediate32(0, 0);
  code.ret();
  code.place(noHandle);
  if (!spec.handles) return;
  code.movImmediate32(11, packText(spec.handles.texts[level]));
  writeReport(code, spec.handles.slots);
}

/** Loads the table of the handle at x0 into x16. */
function writeTable(code: A64, level: Level, { handles }: ProcAddrSpec, noHandle: Label): void {
  if (!handles) return code.load(X16, 0);
  const found = code.label(), elsewhere = code.label(), { sets } = handles.slots;
  writeFirstLook(code, level, sets, noHandle, elsewhere);
  code.jump(found);
  code.place(elsewhere);
  writeLook(code, level, sets, found, noHandle);
  code.place(found);
}

/**
 * Returns the record's answer, if the instance at x0 has the command, or if the
 * command needs no instance and there is none.
 */
function answerOfInstance(code: A64, spec: ProcAddrSpec, { nothing, noHandle }: Ways): void {
  const bare = code.label(), always = code.label(), unknown = code.label();
  code.jumpIfZero(0, bare);
  writeTable(code, "instance", spec, unknown);
  code.load32(OFFSET, RECORD, PROC.instance);
  code.jumpIfNegative32(OFFSET, always);
  code.loadIndexed(9, X16, OFFSET);
  code.jumpIfZero(9, nothing);
  code.place(always);
  code.load(0, RECORD, PROC.answer);
  code.ret();
  code.place(bare);
  code.load32(9, RECORD, PROC.bare);
  code.jumpIfNotZero32(9, always);
  code.jump(nothing);
  code.place(unknown); // commands that need no instance exist for any instance
  code.load32(9, RECORD, PROC.bare);
  code.jumpIfNotZero32(9, always);
  code.jump(noHandle);
}

/**
 * Returns what the table of the device at x0 has for the record, if there is a
 * pointer `deviceCheck` bytes before it.
 */
function answerOfDevice(code: A64, spec: ProcAddrSpec, { nothing, noHandle }: Ways): void {
  code.load32(OFFSET, RECORD, PROC.device);
  code.jumpIfZero32(OFFSET, nothing);
  code.jumpIfZero(0, nothing);
  writeTable(code, "device", spec, noHandle);
  code.addRegister(11, X16, OFFSET);
  code.movImmediate32(12, spec.deviceCheck);
  code.subtractRegister(12, 11, 12);
  code.load(12, 12);
  code.jumpIfZero(12, nothing);
  code.load(0, 11);
  code.ret();
}
