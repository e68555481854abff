import { type A64, X16, X17 } from "../../asm/a64.ts";
import type { Label } from "../../asm/code.ts";
import type { ProcAddrSpec } from "../emitter.ts";
import { LOOKUP_TABLE, PROC } from "../layout.ts";
import { ENTRY, writeFind } from "./lookup.ts";

/** Writes both GetProcAddr functions `(handle, name) -> address`. */
export function writeProcAddr(code: A64, { record, instanceMiss, deviceMiss, deviceCheck }: ProcAddrSpec): void {
  writeFunction(code, "getInstanceProcAddr", record, instanceMiss, answerOfInstance);
  writeFunction(code, "getDeviceProcAddr", record, deviceMiss, (code, nothing) => {
    answerOfDevice(code, nothing, deviceCheck);
  });
}

function writeFunction(
  code: A64,
  name: string,
  record: number,
  missOffset: number,
  writeAnswer: (code: A64, nothing: Label) => void,
): void {
  const nothing = code.label(), miss = code.label();
  code.begin(name);
  code.slotAddress(X17, record);
  code.jumpIfZero(1, nothing);
  writeFind(code, miss);
  code.load(9, ENTRY, LOOKUP_TABLE.value);
  writeAnswer(code, nothing);
  code.place(miss);
  code.jumpIfZero(0, nothing);
  code.load(X16, 0);
  code.loadFar(X16, X16, missOffset);
  code.jumpIfZero(X16, nothing);
  code.jumpRegister(X16);
  code.place(nothing);
  code.movImmediate32(0, 0);
  code.ret();
}

/** The record at x9: its answer, if the instance at x0 has the command, or if it needs none and there is none. */
function answerOfInstance(code: A64, nothing: Label): void {
  const bare = code.label(), always = code.label();
  code.jumpIfZero(0, bare);
  code.load32(10, 9, PROC.instance);
  code.jumpIfNegative32(10, always);
  code.load(11, 0);
  code.loadIndexed(10, 11, 10);
  code.jumpIfZero(10, nothing);
  code.place(always);
  code.load(0, 9, PROC.answer);
  code.ret();
  code.place(bare);
  code.load32(10, 9, PROC.bare);
  code.jumpIfZero32(10, nothing);
  code.load(0, 9, PROC.answer);
  code.ret();
}

/** The record at x9: what the table of the device at x0 holds for it, if it holds something `check` bytes before. */
function answerOfDevice(code: A64, nothing: Label, check: number): void {
  code.load32(10, 9, PROC.device);
  code.jumpIfZero32(10, nothing);
  code.jumpIfZero(0, nothing);
  code.load(11, 0);
  code.addRegister(11, 11, 10);
  code.movImmediate32(12, check);
  code.subtractRegister(12, 11, 12);
  code.load(12, 12);
  code.jumpIfZero(12, nothing);
  code.load(0, 11);
  code.ret();
}
