import { isInlined } from "./closures.ts";
import { formOf } from "./form.ts";
import type { Field, Layout } from "./layout.ts";
import { arraysCountedBy, lengthOf } from "./length.ts";
import { elementSize, isRequiredAlone, needsValue } from "./put.ts";
import { storeSource, zeroSource } from "./scalar.ts";
import type { Needs } from "./needs.ts";
import type { Finder } from "./struct_codec.ts";

/**
 * Source of the body of `put(o, a)`: straight-line code that writes every
 * member of object `o` to arena offset `a`.
 *
 * `k` counts the members found down and the keys of the object up: when it ends
 * positive, some key is no member. That is all an unknown member costs.
 */
export function encoderSource(layout: Layout, find: Finder, needs: Needs): string {
  // Counts come first: the arrays are held against them.
  const counts = layout.fields.filter((field) => arraysCountedBy(layout, field).length > 0);
  const lines = [
    ...counts.map((field) => countSource(layout, field, placeSource(field.offset))),
    ...layout.fields.filter((field) => !counts.includes(field)).map((field) => memberSource(layout, field, find, needs)),
  ];
  return `if (typeof o !== "object" || o === null) trouble();
  let k = 0, v, s, q, n;
  ${lines.join("\n  ")}
  for (v in o) k++;
  if (k > 0) checkNames(o);`;
}

/** Source of the place `bytes` behind the start of the struct. */
export function placeSource(bytes: number): string {
  return bytes === 0 ? "a" : `a + ${bytes}`;
}

function memberSource(layout: Layout, field: Field, find: Finder, needs: Needs): string {
  const { name } = field, p = placeSource(field.offset);
  if (!isInlined(layout, field)) return `if (o.${name} !== undefined) k--; ${needs.writer(field)}(o, a);`;
  switch (formOf(layout, field)) {
    case "sType":
      return `if ((v = o.sType) !== undefined) { k--; if (v !== ${layout.sType}) trouble(); } view.setInt32(${p}, ${layout.sType}, true);`;
    case "chain":
      return `if ((v = o.pNext) === undefined) view.setFloat64(${p}, 0); else { k--; putChain(${p}, v, find); }`;
    case "bits":
      return bitsSource(field, p);
    case "scalar":
      return scalarSource(layout, field, p);
    case "nested":
      return nestedSource(field, p, find, needs);
    case "one":
      return oneSource(layout, field, p, find, needs);
    default:
      return manySource(layout, field, p, find, needs);
  }
}

function countSource(layout: Layout, field: Field, p: string): string {
  const n = countName(field.name);
  const derived = arraysCountedBy(layout, field).map((array) =>
    formOf(layout, array) === "bytes"
      ? `byteLengthOfValue(o.${array.name}, ${array.kind === "u32" ? 4 : 1})`
      : `lengthOfValue(o.${array.name})`
  );
  const store = field.kind === "usize" ? `${n} = toSize(${n}); putSize(${p}, ${n});` : storeSource(field.kind, p, n);
  return `let ${n} = o.${field.name}; if (${n} !== undefined) k--; ${n} ??= ${derived.join(" ?? ")} ?? 0; ${store}`;
}

function countName(name: string): string {
  return `n_${name}`;
}

function bitsSource({ name, bits, bit, unit }: Field, p: string): string {
  const accessor = `Uint${unit * 8}`, end = unit === 1 ? "" : ", true", mask = 2 ** bits - 1;
  const kept = bit === 0 ? "" : `view.get${accessor}(${p}${end}) & ${~(mask << bit)} | `;
  const check = bits < 32 ? `if (v !== (v & ${mask})) v = toUnsigned(v, ${bits});` : "v = toUnsigned(v, 32);";
  return `if ((v = o.${name}) === undefined) v = 0; else { k--; ${check} } ` +
    `view.set${accessor}(${p}, ${kept}v << ${bit}${end});`;
}

function scalarSource(layout: Layout, field: Field, p: string): string {
  const { name, kind, unit } = field;
  const zero = isRequiredAlone(layout, field) ? "trouble();" : zeroSource(unit, p);
  const store = storeSource(kind, p, "v");
  if (!isRequiredAlone(layout, field)) return `if ((v = o.${name}) === undefined) ${zero} else { k--; ${store} }`;
  // Reading the words back is cheaper than comparing BigInts.
  return `if ((v = o.${name}) === undefined) ${zero} else { k--; ${store} ` +
    `if (view.getInt32(${p}, true) === 0 && view.getInt32(${p} + 4, true) === 0) trouble(); }`;
}

function nestedSource({ name, type, size }: Field, p: string, find: Finder, needs: Needs): string {
  const codec = needs.codec(type);
  const empty = needsValue(find.byName(type).layout, find) ? `${codec}.put({}, ${p});` : zeroNestedSource(size, p);
  return `if ((v = o.${name}) !== undefined) k--; if (v == null) { ${empty} } else ${codec}.put(v, ${p});`;
}

function zeroNestedSource(size: number, p: string): string {
  if (size > 32 || size % 4 !== 0) return `zero(${p}, ${size});`;
  let source = "", at = 0;
  for (; at + 8 <= size; at += 8) source += `view.setFloat64(${p} + ${at}, 0); `;
  return at < size ? `${source}view.setInt32(${p} + ${at}, 0, true);` : source;
}

function oneSource(layout: Layout, field: Field, p: string, find: Finder, needs: Needs): string {
  const { name, type, kind } = field;
  const absent = isRequiredAlone(layout, field) ? "trouble();" : `view.setFloat64(${p}, 0);`;
  const start = `if ((v = o.${name}) !== undefined) k--; if (v == null) ${absent} `;
  if (kind !== "struct") {
    return `${start}else { putPointer(${p}, q = alloc(${elementSize(field, find)})); ${storeSource(kind, "q", "v")} }`;
  }
  const codec = needs.codec(type), size = elementSize(field, find);
  return `${start}else if (typeof v === "object") { putPointer(${p}, q = alloc(${size})); ${codec}.put(v, q); } ` +
    `else { ${isRequiredAlone(layout, field) ? "if (v === 0n) trouble(); " : ""}putAddress(${p}, v); }`;
}

function manySource(layout: Layout, field: Field, p: string, find: Finder, needs: Needs): string {
  const { name, type, kind, required } = field, size = elementSize(field, find);
  const needed = neededSource(layout, field, needs);
  const absent = required ? `{ view.setFloat64(${p}, 0); if (${needed} !== 0) trouble(); }` : `view.setFloat64(${p}, 0);`;
  const element = kind === "struct"
    ? `${needs.codec(type)}.put(s[i], q);`
    : `v = s[i]; ${storeSource(kind, "q", "v")}`;
  return `if ((s = o.${name}) !== undefined) k--; if (s == null) ${absent} ` +
    `else if (typeof s === "object") { n = s.length; if (!(n >= ${needed})) trouble(); putPointer(${p}, q = alloc(n * ${size})); ` +
    `for (let i = 0; i < n; i++, q += ${size}) { ${element} } } else putAddress(${p}, s);`;
}

function neededSource(layout: Layout, field: Field, needs: Needs): string {
  const length = lengthOf(layout, field)!;
  if (length.constant >= 0) return String(length.constant);
  return length.count === "" ? `${needs.needed(field)}(o)` : countName(length.count);
}
