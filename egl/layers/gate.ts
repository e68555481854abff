import type { NativeFunction } from "../../ffi/stubs.ts";
import type { RawCommand } from "../api/state.ts";

type Word = number | bigint;

/**
 * What carries a GL command out where layers stand before it: goes into them
 * if `enters` says so, else `without` them. Given the raw arguments and, as the
 * last one, the address that the tables have.
 */
export function gate(
  enters: () => boolean,
  layered: () => RawCommand,
  without: NativeFunction,
  count: number,
): NativeFunction {
  const made: Record<number, NativeFunction> = {
    0: (at: Word) => enters() ? layered()() : without(at),
    1: (a: Word, at: Word) => enters() ? layered()(a) : without(a, at),
    2: (a: Word, b: Word, at: Word) => enters() ? layered()(a, b) : without(a, b, at),
    3: (a: Word, b: Word, c: Word, at: Word) => enters() ? layered()(a, b, c) : without(a, b, c, at),
    4: (a: Word, b: Word, c: Word, d: Word, at: Word) => enters() ? layered()(a, b, c, d) : without(a, b, c, d, at),
  };
  return made[count] ?? ((...args) => enters() ? layered()(...args.slice(0, -1)) : without(...args));
}
