import { formatOf, type ImageAspect } from "../../../../loader/texels/format.ts";

/** The freedom of drivers in a part of some contents. Contents without leeway are the same bytes on all drivers. */
export type Leeway =
  /** Everything: the specification leaves the contents undefined. */
  | { readonly is: "undefined" }
  /** Any number above zero, of so many bytes. */
  | { readonly is: "count"; readonly size: number }
  /** Each component within its tolerance, or not at all; what lies between components has no meaning. */
  | { readonly is: "texels"; readonly format: number; readonly aspect: ImageAspect; readonly exact: boolean };

/** The leeway of undefined contents. */
export const UNDEFINED: Leeway = { is: "undefined" };

/** The leeway of texels that were computed. */
export function computed(format: number, aspect: ImageAspect): Leeway {
  return { is: "texels", format, aspect, exact: false };
}

/** The bytes that are judged together. */
export function unitOf(leeway: Leeway): number {
  if (leeway.is === "undefined") return 1;
  return leeway.is === "count" ? leeway.size : formatOf(leeway.format, leeway.aspect).blockSize;
}

/** Whether two leeways are one. */
export function isSame(one: Leeway, other: Leeway): boolean {
  return textOf(one) === textOf(other);
}

/** A leeway as a text, which is a key. */
export function textOf(leeway: Leeway): string {
  if (leeway.is === "undefined") return "undefined";
  if (leeway.is === "count") return `count ${leeway.size}`;
  return `${leeway.format} ${leeway.aspect} ${leeway.exact}`;
}
