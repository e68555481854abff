import { INTEGER_REGISTERS } from "../../ffi/emit/layout.ts";
import type { Hwc2Function } from "./functions.ts";
import type { Native } from "./numbers.ts";

/** How a function of hwcomposer2.h is called on this machine. */
export interface Abi {
  /** For ffi/, the device's address first. */
  readonly signature: string;
  /** Where each input's arguments begin; the device is argument 0. */
  readonly inputsAt: readonly number[];
  /** Where the pointers to outputs begin. */
  readonly outputsAt: number;
}

const known = new WeakMap<Hwc2Function, Abi>();

/**
 * How a function is called. A struct of two integer registers goes whole to
 * the stack when only one is left, which an argument that means nothing then
 * fills: on x86-64 the region of setClientTarget.
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
