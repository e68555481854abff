import { INTEGER_REGISTERS } from "../../../ffi/emit/layout.ts";
import type { Hwc2Function } from "./functions.ts";
import type { Native } from "../values/numbers.ts";

/** The calling convention of a function of hwcomposer2.h on this machine. */
export interface Abi {
  /** For ffi/, the device's address first. */
  readonly signature: string;
  /** The first argument of each input; the device is argument 0. */
  readonly inputsAt: readonly number[];
  /** The first pointer to an output. */
  readonly outputsAt: number;
}

const known = new WeakMap<Hwc2Function, Abi>();

/**
 * Returns how a function is called. When only one integer register is left, a
 * struct of two goes whole to the stack, and an unused argument fills the
 * register: on x86-64 this happens to the region of setClientTarget.
 */
export function abiOf(called: Hwc2Function): Abi {
  let abi = known.get(called);
  if (!abi) known.set(called, abi = layOut(called));
  return abi;
}

function layOut({ inputs, result, returns }: Hwc2Function): Abi {
  const registers = INTEGER_REGISTERS[Deno.build.arch] ?? 8, inputsAt: number[] = [];
  let letters = "q";
  for (const { letters: added, isPair } of inputs) {
    if (isPair && integersIn(letters) === registers - 1) letters += "q";
    inputsAt.push(letters.length);
    letters += added;
  }
  const { before, rows, after } = result, lists = rows.length > 0 ? 1 + rows.length : 0;
  const signature = `${returns}:${letters}${"q".repeat(before.length + lists + after.length)}`;
  return { signature, inputsAt, outputsAt: letters.length };
}

function integersIn(letters: string): number {
  return letters.replace(/[fd]/g, "").length;
}

/** A call's arguments: the device, and what each input wrote, with what fills a register between. */
export function arrange(
  { inputsAt, outputsAt }: Abi,
  device: bigint,
  written: readonly (readonly Native[])[],
): Native[] {
  const natives: Native[] = [device];
  written.forEach((some, index) => {
    while (natives.length < inputsAt[index]) natives.push(0n);
    natives.push(...some);
  });
  while (natives.length < outputsAt) natives.push(0n);
  return natives;
}
