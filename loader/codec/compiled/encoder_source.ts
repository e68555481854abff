import { arraysCountedBy, formOf, groupsOf, isInlined, lengthOf } from "../layout/form.ts";
import type { Field, Layout } from "../layout/layout.ts";
import { countKind, countThatAsks, elementSize, isRequiredAlone, needsValue } from "../closures/put.ts";
import { compactStore, storeSource, zeroSource } from "./scalar_source.ts";
import type { Finder } from "../struct_codec.ts";

/** Weight up to which a function has fewer than the 460 bytes of bytecode that V8 inlines. */
const LIGHT = 8;
/**
 * Number of members up to which all parts together are inlined. A larger struct
 * is one function, because parts would only add calls.
 */
const SMALL = 10;

/**
 * Returns the source of `put(o, a)`: straight-line code that writes every
 * member of object `o` to arena offset `a`.
 *
 * `k` counts the members found down and the keys of the object up. If it ends
 * positive, some key is not a member. Finding unknown members costs no more
 * than that.
 *
 * Members are divided among functions that are small enough to be inlined, and
 * loops over arrays have functions of their own. A call of the encoder of a
 * small struct then contains no other call.
 */
export function encoderSource(layout: Layout, find: Finder, needs: Needs): string {
  const loops: string[] = [];
  const parts = partsOf(layout).map((fields) => {
    const lines = fields.map((field) => memberSource(layout, field, find, needs, loops));
    return `let k = 0, v, q;\n  ${lines.join("\n  ")}`;
  });
  const calls = parts.map((_, index) => `part${index}(o, a)`);
  return `${parts.map((part, index) => `function part${index}(o, a) {\n  ${part}\n  return k;\n}`).join("\n")}
${loops.join("\n")}
function put(o, a) {
  if (typeof o !== "object" || o === null || Array.isArray(o)) trouble();
  let k = ${calls.join(" + ") || 0};
  for (const _ in o) k++;
  if (k > 0) checkNames(o);
}`;
}

function isSmall(layout: Layout): boolean {
  return layout.fields.length <= SMALL;
}

/** Divides the members into parts of bounded weight. A count and its arrays stay together. */
function partsOf(layout: Layout): Field[][] {
  if (!isSmall(layout)) return [groupsOf(layout).flat()];
  const parts: Field[][] = [];
  let weight = LIGHT;
  for (const group of groupsOf(layout)) {
    const added = group.length * (group.length > 1 ? 2 : 1);
    if (weight + added > LIGHT) {
      parts.push([]);
      weight = 0;
    }
    parts.at(-1)!.push(...group);
    weight += added;
  }
  return parts;
}

/** Returns the source of the place `bytes` behind the start of the struct. */
export function placeSource(bytes: number): string {
  return bytes === 0 ? "a" : `a + ${bytes}`;
}

function memberSource(layout: Layout, field: Field, find: Finder, needs: Needs, loops: string[]): string {
  const { name } = field, p = placeSource(field.offset);
  if (arraysCountedBy(layout, field).length > 0) return countSource(layout, field, p);
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
      loops.push(loopSource(field, find, needs));
      return manySource(layout, field, p, needs);
  }
}

function countSource(layout: Layout, field: Field, p: string): string {
  const n = countName(field.name);
  const derived = arraysCountedBy(layout, field).map((array) =>
    formOf(layout, array) === "bytes"
      ? `byteLengthOfValue(o.${array.name}, ${array.kind === "u32" ? 4 : 1})`
      : `o.${array.name}?.length`
  );
  const store = countKind(field) === "usize" ? `${n} = toSize(${n}); putSize(${p}, ${n});` : storeSource(field, p, n);
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
  const { name, unit } = field, start = `if ((v = o.${name}) === undefined)`;
  if (isRequiredAlone(layout, field)) {
    return `${start} trouble(); k--; ${storeSource(field, p, "v")} ${refuseNull(p)}`;
  }
  const compact = isSmall(layout) ? compactStore(field) : undefined;
  if (compact === undefined) return `${start} ${zeroSource(unit, p)} else { k--; ${storeSource(field, p, "v")} }`;
  return `${start} v = ${compact.zero}; else { k--; ${compact.check} } view.${compact.set}(${p}, v, true);`;
}

/** Reading the words back is faster than comparing BigInts. */
function refuseNull(p: string): string {
  return `if (view.getInt32(${p}, true) === 0 && view.getInt32(${p} + 4, true) === 0) trouble();`;
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
    return `${start}else { putPointer(${p}, q = alloc(${elementSize(field, find)})); ${storeSource(field, "q", "v")} }`;
  }
  const codec = needs.codec(type), size = elementSize(field, find);
  return `${start}else if (typeof v === "object") { putPointer(${p}, q = alloc(${size})); ${codec}.put(v, q); } ` +
    `else { ${isRequiredAlone(layout, field) ? "if (v === 0n) trouble(); " : ""}putAddress(${p}, v); }`;
}

function manySource(layout: Layout, field: Field, p: string, needs: Needs): string {
  const { name, required } = field, needed = neededSource(layout, field, needs);
  const asks = countThatAsks(layout, field), forgotten = asks ? ` || o.${asks.name} === undefined` : "";
  const check = required ? `if (v == null && (${needed} !== 0${forgotten})) trouble(); ` : "";
  return `if ((v = o.${name}) === undefined) view.setFloat64(${p}, 0); else { k--; many_${name}(v, ${p}, ${needed}); } ${check}`;
}

/** Returns the function that writes an array behind a pointer. `least` is the minimum number of elements. */
function loopSource(field: Field, find: Finder, needs: Needs): string {
  const { name, type, kind } = field, size = elementSize(field, find);
  const stored = `v = s[i]; ${storeSource(field, "q", "v")}${field.full ? ` ${refuseNull("q")}` : ""}`;
  const element = kind === "struct" ? `${needs.codec(type)}.put(s[i], q);` : stored;
  return `function many_${name}(s, p, least) {
  if (typeof s !== "object" || s === null) return putAddress(p, s);
  const n = s.length;
  if (!(n >= least) || n !== (n | 0)) trouble();
  let q = alloc(n * ${size}), v;
  putPointer(p, q);
  for (let i = 0; i < n; i++, q += ${size}) { ${element} }
}`;
}

function neededSource(layout: Layout, field: Field, needs: Needs): string {
  const length = lengthOf(layout, field)!;
  if (length.constant >= 0) return String(length.constant);
  return length.count === "" ? `${needs.needed(field)}(o)` : countName(length.count);
}

/**
 * The further needs of generated code. Each method returns the name by which
 * the code can use a codec or a member's closure.
 */
export interface Needs {
  /** The codec of a struct. */
  codec(name: string): string;
  /** The writer of one member. */
  writer(field: Field): string;
  /** The length of an array member, if it is more than a count. */
  needed(field: Field): string;
  /** The reader of one member. */
  reader(field: Field): string;
  /** The guard of one member; empty when it has none. */
  guard(field: Field): string;
  /** The value that the struct passes to a member; empty if there is none. */
  context(field: Field): string;
}
