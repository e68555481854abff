import { EQUAL, R11, RAX, RCX, RDI, RDX, RSI, SIGN, type X64 } from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import type { ProcAddrSpec } from "../emitter.ts";
import { PROC } from "../layout.ts";
import { VALUE, writeFind } from "./lookup.ts";

/** Writes both GetProcAddr functions `(handle, name) -> address`. */
export function writeProcAddr(code: X64, { record, instanceMiss, deviceMiss, deviceCheck }: ProcAddrSpec): void {
  writeFunction(code, "getInstanceProcAddr", record, instanceMiss, answerOfInstance);
  writeFunction(code, "getDeviceProcAddr", record, deviceMiss, (code, nothing) => {
    answerOfDevice(code, nothing, deviceCheck);
  });
}

function writeFunction(
  code: X64,
  name: string,
  record: number,
  missOffset: number,
  writeAnswer: (code: X64, nothing: Label) => void,
): void {
  const nothing = code.label(), miss = code.label();
  code.begin(name);
  code.slotAddress(R11, record);
  code.test(RSI);
  code.jumpIf(EQUAL, nothing);
  writeFind(code, miss);
  code.load(RAX, RDX, VALUE);
  writeAnswer(code, nothing);
  code.place(miss);
  code.test(RDI);
  code.jumpIf(EQUAL, nothing);
  code.load(RAX, RDI);
  code.load(RAX, RAX, missOffset);
  code.test(RAX);
  code.jumpIf(EQUAL, nothing);
  code.jumpRegister(RAX);
  code.place(nothing);
  code.xor32(RAX, RAX);
  code.ret();
}

/** The record at rax: its answer, if the instance at rdi has the command, or if it needs none and there is none. */
function answerOfInstance(code: X64, nothing: Label): void {
  const bare = code.label(), always = code.label();
  code.test(RDI);
  code.jumpIf(EQUAL, bare);
  code.load32(RCX, RAX, PROC.instance);
  code.test32(RCX);
  code.jumpIf(SIGN, always);
  code.load(RDX, RDI);
  code.add(RDX, RCX);
  code.load(RCX, RDX);
  code.test(RCX);
  code.jumpIf(EQUAL, nothing);
  code.place(always);
  code.load(RAX, RAX, PROC.answer);
  code.ret();
  code.place(bare);
  code.load32(RCX, RAX, PROC.bare);
  code.test32(RCX);
  code.jumpIf(EQUAL, nothing);
  code.load(RAX, RAX, PROC.answer);
  code.ret();
}

/** The record at rax: what the table of the device at rdi holds for it, if it holds something `check` bytes before. */
function answerOfDevice(code: X64, nothing: Label, check: number): void {
  code.load32(RCX, RAX, PROC.device);
  code.test32(RCX);
  code.jumpIf(EQUAL, nothing);
  code.test(RDI);
  code.jumpIf(EQUAL, nothing);
  code.load(RDX, RDI);
  code.add(RDX, RCX);
  code.load(RCX, RDX, -check);
  code.test(RCX);
  code.jumpIf(EQUAL, nothing);
  code.load(RAX, RDX);
  code.ret();
}
