import { formatOf, type ImageAspect } from "../../../../loader/texels/format.ts";

/** The freedom of drivers in a part of some contents. Contents without permitted difference are the same bytes on all drivers. */
export type PermittedDifference =
  /** Everything: the specification leaves the contents undefined. */
  | { readonly is: "undefined" }
  /** Any number above zero, of so many bytes. */
  | { readonly is: "count"; readonly size: number }
  /** Each component within its tolerance, or not at all; what lies between components has no meaning. */
  | { readonly is: "texels"; readonly format: number; readonly aspect: ImageAspect; readonly exact: boolean };

/** The permitted difference of undefined contents. */
export const UNDEFINED: PermittedDifference = { is: "undefined" };

/** The permitted difference of texels that were computed. */
export function computed(format: number, aspect: ImageAspect): PermittedDifference {
  return { is: "texels", format, aspect, exact: false };
}

/** The bytes that are judged together. */
export function unitOf(permitted: PermittedDifference): number {
  if (permitted.is === "undefined") return 1;
  return permitted.is === "count" ? permitted.size : formatOf(permitted.format, permitted.aspect).blockSize;
}

/** Whether two permitted differences are one. */
export function isSame(one: PermittedDifference, other: PermittedDifference): boolean {
  return textOf(one) === textOf(other);
}

/** A permitted difference as a text, which is a key. */
export function textOf(permitted: PermittedDifference): string {
  if (permitted.is === "undefined") return "undefined";
  if (permitted.is === "count") return `count ${permitted.size}`;
  return `${permitted.format} ${permitted.aspect} ${permitted.exact}`;
}
