import { toLinear, type Transfer } from "./dataspace.ts";

/** The form of a channel in a format: so many bits of an unsigned number that means 0 to 1, or half a float. */
export type Channel = 1 | 2 | 5 | 6 | 8 | 10 | "half";

/** The number of codes of a channel. */
function codesOf(channel: Channel): number {
  return channel === "half" ? 65536 : 1 << channel;
}

/** Returns the value of a channel's code. */
function valueOf(channel: Channel, code: number): number {
  return channel === "half" ? halfToNumber(code) : code / ((1 << channel) - 1);
}

/** The number that 16 bits of an IEEE half stand for. */
function halfToNumber(code: number): number {
  const sign = code & 0x8000 ? -1 : 1, exponent = code >> 10 & 31, fraction = code & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const light = new Map<string, Float32Array>();
const levels = new Map<string, Uint16Array>();

/** A table of a channel's codes: the linear light of each. Made once for all. */
export function lightTable(channel: Channel, transfer: Transfer): Float32Array {
  return kept(light, `${channel} ${transfer}`, () =>
    Float32Array.from(
      { length: codesOf(channel) },
      (_, code) => toLinear(transfer, valueOf(channel, code)),
    ));
}

/** A table of a channel's codes: the level of each out of `most`, clamped; a half that is no number is 0. Made once for all. */
export function levelTable(channel: Channel, most: number): Uint16Array {
  return kept(levels, `${channel} ${most}`, () =>
    Uint16Array.from({ length: codesOf(channel) }, (_, code) => {
      const value = valueOf(channel, code);
      return value > 0 ? Math.round(Math.min(value, 1) * most) : 0;
    }));
}

function kept<T>(tables: Map<string, T>, key: string, make: () => T): T {
  const known = tables.get(key);
  if (known) return known;
  const made = make();
  tables.set(key, made);
  return made;
}
