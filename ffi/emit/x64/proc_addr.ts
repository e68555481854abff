import { EQUAL, NOT_EQUAL, R10, R11, RAX, RCX, RDI, RDX, RSI, SIGN, type X64 } from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import type { ProcAddrSpec } from "../emitter.ts";
import { packText, PROC } from "../layout.ts";
import { writeFirstLook, writeLook, writeReport } from "./check.ts";
import { VALUE, writeFind } from "./lookup.ts";

type Level = "instance" | "device";

/** Where the function continues: with NULL, or with an argument that is not a handle. */
interface Ways {
  readonly nothing: Label;
  readonly noHandle: Label;
}

/** Writes both GetProcAddr functions `(handle, name) -> address`. */
export function writeProcAddr(code: X64, spec: ProcAddrSpec): void {
  writeFunction(code, "getInstanceProcAddr", "instance", spec, answerOfInstance);
  writeFunction(code, "getDeviceProcAddr", "device", spec, answerOfDevice);
}

function writeFunction(
  code: X64,
  name: string,
  level: Level,
  spec: ProcAddrSpec,
  writeAnswer: (code: X64, spec: ProcAddrSpec, ways: Ways) => void,
): void {
  const nothing = code.label(), miss = code.label(), noHandle = code.label();
  code.begin(name);
  code.slotAddress(R11, spec.record);
  code.test(RSI);
  code.jumpIf(EQUAL, nothing);
  writeFind(code, miss);
  code.load(RDX, RDX, VALUE);
  writeAnswer(code, spec, { nothing, noHandle });
  code.place(miss);
  code.test(RDI);
  code.jumpIf(EQUAL, nothing);
  writeTable(code, level, spec, noHandle);
  code.load(RAX, RAX, level === "instance" ? spec.instanceMiss : spec.deviceMiss);
  code.test(RAX);
  code.jumpIf(EQUAL, nothing);
  code.jumpRegister(RAX);
  code.place(nothing);
  code.xor32(RAX, RAX);
  code.ret();
  code.place(noHandle);
  if (!spec.handles) return;
  code.movImmediate32(R10, packText(spec.handles.texts[level]));
  code.push(RAX); // aligns the stack
  writeReport(code, spec.handles.slots);
}

/** Loads the table of the handle at rdi into rax. */
function writeTable(code: X64, level: Level, { handles }: ProcAddrSpec, noHandle: Label): void {
  if (!handles) return code.load(RAX, RDI);
  const found = code.label(), elsewhere = code.label(), { sets } = handles.slots;
  writeFirstLook(code, level, sets, noHandle, elsewhere);
  code.jump(found);
  code.place(elsewhere);
  writeLook(code, level, sets, found, noHandle);
  code.place(found);
}

/**
 * Returns the answer of the record at rdx, if the instance at rdi has the
 * command, or if the command needs no instance and there is none.
 */
function answerOfInstance(code: X64, spec: ProcAddrSpec, { nothing, noHandle }: Ways): void {
  const bare = code.label(), always = code.label(), unknown = code.label();
  code.test(RDI);
  code.jumpIf(EQUAL, bare);
  writeTable(code, "instance", spec, unknown);
  code.load32(RCX, RDX, PROC.instance);
  code.test32(RCX);
  code.jumpIf(SIGN, always);
  code.add(RAX, RCX);
  code.load(RCX, RAX);
  code.test(RCX);
  code.jumpIf(EQUAL, nothing);
  code.place(always);
  code.load(RAX, RDX, PROC.answer);
  code.ret();
  code.place(bare);
  writeBare(code);
  code.jumpIf(NOT_EQUAL, always);
  code.jump(nothing);
  code.place(unknown); // commands that need no instance exist for any instance
  writeBare(code);
  code.jumpIf(NOT_EQUAL, always);
  code.jump(noHandle);
}

/** Sets "not equal" if the command of the record at rdx needs no instance. */
function writeBare(code: X64): void {
  code.load32(RCX, RDX, PROC.bare);
  code.test32(RCX);
}

/**
 * Returns what the table of the device at rdi has for the record at rdx, if
 * there is a pointer `deviceCheck` bytes before it.
 */
function answerOfDevice(code: X64, spec: ProcAddrSpec, { nothing, noHandle }: Ways): void {
  code.load32(RCX, RDX, PROC.device);
  code.test32(RCX);
  code.jumpIf(EQUAL, nothing);
  code.test(RDI);
  code.jumpIf(EQUAL, nothing);
  writeTable(code, "device", spec, noHandle);
  code.add(RCX, RAX);
  code.load(RDX, RCX, -spec.deviceCheck);
  code.test(RDX);
  code.jumpIf(EQUAL, nothing);
  code.load(RAX, RCX);
  code.ret();
}
