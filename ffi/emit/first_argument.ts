import type { Routine, Variable } from "./routine.ts";

/** Data of such a function: the address for one value, and that for all others. */
export const CHOICE = { own: 0, other: 8, size: 16 } as const;

/**
 * Writes a function of one or two integers that calls one of two functions,
 * depending on the 32 bits of the first argument. `slot` holds the address of a
 * {@linkcode CHOICE}.
 */
export function writeChoice(routine: Routine, name: string, { slot, value }: { slot: number; value: number }): void {
  const choice: Variable = 0, first: Variable = 1, second: Variable = 2, bits: Variable = 3, wanted: Variable = 4;
  const own = routine.label(), end = routine.label(), cell = 0;
  routine.begin(name, 1);
  routine.argument(first, 0);
  routine.argument(second, 1);
  routine.storeCell(cell, first);
  routine.cellAddress(bits, cell);
  routine.load32(bits, bits);
  routine.set(wanted, value);
  routine.loadSlot(choice, slot);
  routine.pass(0, first);
  routine.pass(1, second);
  routine.ifEqual(bits, wanted, own);
  routine.callAt(choice, CHOICE.other);
  routine.jump(end);
  routine.place(own);
  routine.callAt(choice, CHOICE.own);
  routine.place(end);
  routine.wideResult(first);
  routine.finish({ variable: first });
}
