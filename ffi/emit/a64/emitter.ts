import type { Emitter } from "../emitter.ts";
import { emitterOf } from "../machine_emitter.ts";
import { A64Machine } from "./machine.ts";
import { writeRecord } from "./ring.ts";
import { writeCheckedStub, writeInvoke, writeStub } from "./stub.ts";

/** Writes the emitted image's pieces for AArch64, as Linux and Android call functions. */
export function a64Emitter(): Emitter {
  return emitterOf(new A64Machine(), { writeStub, writeCheckedStub, writeInvoke, writeRecord });
}
