import type { Emitter } from "../emitter.ts";
import { emitterOf } from "../machine_emitter.ts";
import { X64Machine } from "./machine.ts";
import { writeRecord } from "./ring.ts";
import { writeCheckedStub, writeInvoke, writeStub } from "./stub.ts";

/** Writes the emitted image's pieces for x86-64, System V calling convention. */
export function x64Emitter(): Emitter {
  return emitterOf(new X64Machine(), { writeStub, writeCheckedStub, writeInvoke, writeRecord });
}
