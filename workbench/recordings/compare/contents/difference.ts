import type { Format } from "../../../../loader/texels/format.ts";
import { numberAt } from "../../../../loader/texels/number.ts";
import { isEqual, type Rule } from "./tolerance.ts";

/** A difference between two contents of an image. */
export interface TexelDifference {
  /** Number of texels that differ by more than their tolerance; of blocks, if the format is compressed. */
  readonly texels: number;
  /** The largest difference of a component, in representable numbers. */
  readonly most: number;
  /** Index of the first texel or block that differs. */
  readonly first: number;
  /** The components of the first texel on both sides, such as `R 255 G 0`. */
  readonly values: readonly [string, string];
}

/** A difference between two contents of a buffer. */
export interface ByteDifference {
  /** Number of bytes that differ. */
  readonly bytes: number;
  /** Offset of the first byte that differs. */
  readonly first: number;
}

/** Compares bytes. Returns `undefined` if all are equal. */
export function byteDifference(one: Uint8Array, other: Uint8Array): ByteDifference | undefined {
  let bytes = Math.abs(one.length - other.length), first = bytes > 0 ? Math.min(one.length, other.length) : -1;
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    if (one[at] === other[at]) continue;
    if (bytes === 0 || at < first) first = at;
    bytes++;
  }
  return bytes > 0 ? { bytes, first } : undefined;
}

/**
 * Compares texels or blocks, each by its rule. Returns `undefined` if none
 * differs by more than its rule allows.
 */
export function texelDifference(
  format: Format,
  one: Uint8Array,
  other: Uint8Array,
  ruleAt: (index: number) => Rule,
): TexelDifference | undefined {
  const { blockSize } = format;
  let texels = 0, most = 0, first = -1;
  for (let at = 0; at + blockSize <= one.length; at += blockSize) {
    if (isEqual(one, other, at, blockSize)) continue;
    const apart = ruleAt(at / blockSize)(one, other, at);
    if (apart === 0) continue;
    if (texels++ === 0) first = at;
    most = Math.max(most, apart);
  }
  if (texels === 0) return undefined;
  const values = [one, other].map((bytes) => valuesAt(format, bytes, first)) as [string, string];
  return { texels, most, first: first / blockSize, values };
}

/** The components of a texel as text; the bytes of a compressed block. */
export function valuesAt({ blockSize, blockExtent, components }: Format, bytes: Uint8Array, at: number): string {
  if (blockExtent.some((length) => length > 1)) return bytes.slice(at, at + blockSize).toHex();
  return components.map((each) => `${each.name} ${numberAt(bytes, at, each)}`).join(" ");
}
