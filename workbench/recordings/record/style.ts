import { arraysCountedBy, formOf } from "../../../loader/codec/layout/form.ts";
import type { Field, Layout } from "../../../loader/codec/layout/layout.ts";
import { nullMeansAbsent } from "../../../loader/codec/closures/put.ts";
import { rawOf } from "../../../loader/codec/closures/union.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { bytesAt } from "../../../ffi/arena.ts";
import { hexadecimal, type Style } from "../../../loader/layers/shipped/trace/value.ts";
import { isIgnored, isNeeded } from "./ignored.ts";
import type { HandleNames } from "./names.ts";
import type { Sidecar } from "./sidecar.ts";

/** How a recording writes values: see `RecordedCall`. */
export function recordStyle(names: HandleNames, sidecar: Sidecar): Style {
  return {
    handle: (type, value) => names.of(type, value),
    payload: (content) => sidecar.put(content),
    address(value, size) {
      if (value === 0n) return null;
      return size === undefined ? { foreign: hexadecimal(value) } : sidecar.put(bytesAt(value, size));
    },
    sType: (_value, name) => name,
    keeps: (layout, field, object) =>
      rawOf(object) ? field.name === memberThatSaysAll(layout, object) : isMeant(layout, field, object),
    links: isNeeded,
  };
}

/** Whether a member means something that its absence would not. */
function isMeant(layout: Layout, field: Field, object: StructObject): boolean {
  const value = object[field.name];
  if (value === null || value === 0n && nullMeansAbsent(field)) return false;
  if (isIgnored(layout.name, field.name, object)) return false;
  return !arraysCountedBy(layout, field).some((array) => {
    const given = object[array.name], bytes = formOf(layout, array) === "bytes";
    return given === null ? value === 0 : bytes || (given as { length?: number }).length === value;
  });
}

/** Returns the first member that is as long as the union and has no NaN, of which JavaScript does not keep all bits. */
function memberThatSaysAll({ fields, size }: Layout, object: StructObject): string | undefined {
  return fields.find((field) => field.size === size && !hasNaN(object[field.name]))?.name;
}

/** A union inside a union has a member of its own that holds all bits. */
function hasNaN(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return Number.isNaN(value);
  return rawOf(value as StructObject) === undefined && Object.values(value).some(hasNaN);
}
