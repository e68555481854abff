import { EQUAL, R11, RAX, RCX, RDI, RDX, RSI, type X64 } from "../../asm/x64.ts";
import type { Label } from "../../asm/code.ts";
import type { ProcAddrSpec } from "../emitter.ts";
import { PROC } from "../layout.ts";
import { VALUE, writeFind } from "./lookup.ts";

/** Writes both GetProcAddr functions `(handle, name) -> address`. */
export function writeProcAddr(code: X64, { record, instanceMiss, deviceMiss }: ProcAddrSpec): void {
  writeFunction(code, "getInstanceProcAddr", record, instanceMiss, answerOfInstance);
  writeFunction(code, "getDeviceProcAddr", record, deviceMiss, answerOfDevice);
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

/** The record at rax: its answer, if the instance at rdi has the command. */
function answerOfInstance(code: X64, nothing: Label): void {
  const always = code.label();
  code.load32(RCX, RAX, PROC.instance);
  code.test32(RCX);
  code.jumpIf(EQUAL, always);
  loadFromTable(code, RCX, nothing);
  code.test(RCX);
  code.jumpIf(EQUAL, nothing);
  code.place(always);
  code.load(RAX, RAX, PROC.answer);
  code.ret();
}

/** The record at rax: what the table of the device at rdi holds for it. */
function answerOfDevice(code: X64, nothing: Label): void {
  code.load32(RCX, RAX, PROC.device);
  code.test32(RCX);
  code.jumpIf(EQUAL, nothing);
  loadFromTable(code, RCX, nothing);
  code.mov(RAX, RCX);
  code.ret();
}

/** Loads what is at offset `register` of the dispatch table of rdi, into that register. */
function loadFromTable(code: X64, register: number, nothing: Label): void {
  code.test(RDI);
  code.jumpIf(EQUAL, nothing);
  code.load(RDX, RDI);
  code.add(RDX, register);
  code.load(register, RDX);
}
