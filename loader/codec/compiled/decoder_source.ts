import { type Needs, placeSource } from "./encoder_source.ts";
import { formOf, isInlined } from "../layout/form.ts";
import type { Field, Layout } from "../layout/layout.ts";
import { lengthOf } from "../layout/length.ts";
import { elementSize } from "../closures/put.ts";
import { loadSource } from "./scalar_source.ts";
import type { Finder } from "../struct_codec.ts";

/** Source of the body of `get(a, sel, linked)`: pointers are followed first, then one object literal holds every member. */
export function decoderSource(layout: Layout, find: Finder, needs: Needs): string {
  const before: string[] = [];
  const members = layout.fields.map((field) => `${field.name}: ${memberSource(layout, field, find, needs, before)}`);
  return `${before.join("\n  ")}
  return {
    ${members.join(",\n    ")}
  };`;
}

/** Returns the expression of one member. Statements that must run before are added to `before`. */
function memberSource(layout: Layout, field: Field, find: Finder, needs: Needs, before: string[]): string {
  const p = placeSource(field.offset), form = formOf(layout, field);
  if (!isInlined(layout, field) || lengthOf(layout, field)?.bytes) return `${needs.reader(field)}(a, sel, linked)`;
  if (needs.guard(field) && form !== "many") return `${needs.reader(field)}(a, sel, linked)`;
  const context = needs.context(field), told = context ? `${context}(a)` : "undefined";
  switch (form) {
    case "chain":
      return `linked || view.getInt32(${p}, true) === 0 && view.getInt32(${p} + 4, true) === 0 ? [] : getChain(${p}, find, ${told})`;
    case "bits":
      return bitsSource(field, p);
    case "nested":
      return `${needs.codec(field.type)}.get(${p}, ${told})`;
    case "one":
      before.push(oneSource(field, p, told, find, needs));
      return `v_${field.name}`;
    case "many":
      before.push(manySource(layout, field, p, find, needs));
      return `v_${field.name}`;
    default:
      return loadSource(field.kind, p);
  }
}

function bitsSource({ bits, bit, unit }: Field, p: string): string {
  const load = unit === 1 ? `view.getUint8(${p})` : `view.getUint${unit * 8}(${p}, true)`;
  return bits === unit * 8 ? load : `${load} >>> ${bit} & ${2 ** bits - 1}`;
}

function oneSource(field: Field, p: string, told: string, find: Finder, needs: Needs): string {
  const name = `v_${field.name}`, size = elementSize(field, find);
  const element = field.kind === "struct" ? `${needs.codec(field.type)}.get(q, ${told})` : loadSource(field.kind, "q");
  return `let ${name} = null; { const q = follow(${p}, ${size}); if (q !== 0) ${name} = ${element}; }`;
}

function manySource(layout: Layout, field: Field, p: string, find: Finder, needs: Needs): string {
  const name = `v_${field.name}`, size = elementSize(field, find), guard = needs.guard(field);
  const element = field.kind === "struct" ? `${needs.codec(field.type)}.get(q)` : loadSource(field.kind, "q");
  const present = `(view.getInt32(${p}, true) !== 0 || view.getInt32(${p} + 4, true) !== 0)`;
  return `let ${name} = null; if (${present}${guard ? ` && ${guard}(a, sel)` : ""}) { const n = ${
    countSource(layout, field, needs)
  }; ` +
    `${name} = new Array(n); if (n > 0) for (let i = 0, q = follow(${p}, n * ${size}); i < n; i++, q += ${size}) ${name}[i] = ${element}; }`;
}

function countSource(layout: Layout, field: Field, needs: Needs): string {
  const length = lengthOf(layout, field)!;
  if (length.constant >= 0) return String(length.constant);
  const counter = layout.fields.find((sibling) => sibling.name === length.count);
  if (counter === undefined) return `${needs.needed(field)}(a)`;
  const load = loadSource(counter.kind, placeSource(counter.offset));
  return counter.kind === "u64" ? `Number(${load})` : load;
}
