import * as fc from "fast-check";

/** The first half of a pair, and how many halves there are: these are no characters alone. */
const HALVES = { first: 0xd800, count: 0x800 } as const;
const MOST = 0x10ffff - HALVES.count;

function characterAt(index: number): string {
  return String.fromCodePoint(index < HALVES.first ? index : index + HALVES.count);
}

/** Throws an `Error` for what is no single character, as fast-check wants it. */
function indexOf(value: unknown): number {
  const [character, ...more] = typeof value === "string" ? value : "", code = character?.codePointAt(0);
  if (code === undefined || more.length > 0) throw new Error(`${value} is no character`);
  return code < HALVES.first ? code : code - HALVES.count;
}

/**
 * Texts of any characters. fast-check's own, `fc.string({ unit: "binary" })`, has the same, but makes a map of all 1.1
 * million characters first, which takes seconds.
 */
export function anyText(constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: fc.nat(MOST).map(characterAt, indexOf) });
}
