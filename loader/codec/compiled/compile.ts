import * as values from "../values/convert.ts";
import { generated, mayGenerate } from "../../../ffi/generated_code.ts";
import { checkNames, closureDecoder, closureEncoder, countReader, readerOf } from "../closures/closures.ts";
import { contextOf, guardOf } from "../closures/guards.ts";
import { elementSize, neededOf, writerOf } from "../closures/put.ts";
import { unionDecoder, unionEncoder } from "../closures/union.ts";
import { formOf, isInlined, lengthOf } from "../layout/form.ts";
import type { Field, Layout } from "../layout/layout.ts";
import type { Finder, StructCodec } from "../struct_codec.ts";
import { getChain, putChain } from "../values/chain.ts";
import { memory } from "../values/memory.ts";
import { encoderSource, type Needs, placeSource } from "./encoder_source.ts";
import { loadSource } from "./scalar_source.ts";

/** The two entries to the encoder of a struct. */
export interface Encoder {
  /** Throws TROUBLE if something does not fit, for structs inside others. */
  readonly put: StructCodec["put"];
  /** Throws the error that `worded` makes, for callers. */
  readonly encode: StructCodec["put"];
}

/** Makes the error for a caller from what an encoder threw about an object. */
export type Worded = (error: unknown, object: values.StructObject) => unknown;

/** Makes the encoder of a struct: generated code, or closures where generating code is forbidden. */
export function compileEncoder(layout: Layout, find: Finder, worded: Worded): Encoder {
  return layout.union || !mayGenerate() ? closuresEncoder(layout, find, worded) : generateEncoder(layout, find, worded);
}

/** Makes the encoder of a struct from closures, which takes less time than one call of many. */
export function closuresEncoder(layout: Layout, find: Finder, worded: Worded): Encoder {
  const put = layout.union ? unionEncoder(layout, find, unionDecoder(layout, find)) : closureEncoder(layout, find);
  return { put, encode: encodeWith(put, worded) };
}

function encodeWith(put: StructCodec["put"], worded: Worded): StructCodec["put"] {
  return (object, at) => {
    try {
      put(object, at);
    } catch (error) {
      throw worded(error, object);
    }
  };
}

/** Makes the decoder of a struct in the same way. */
export function compileDecoder(layout: Layout, find: Finder): StructCodec["get"] {
  return layout.union || !mayGenerate() ? closuresDecoder(layout, find) : generateDecoder(layout, find);
}

/** Makes the decoder of a struct from closures. */
export function closuresDecoder(layout: Layout, find: Finder): StructCodec["get"] {
  return layout.union ? unionDecoder(layout, find) : closureDecoder(layout, find);
}

/**
 * `encode` is generated together with `put`. A closure shared by all structs
 * would call a different function each time, which V8 cannot inline.
 */
function generateEncoder(layout: Layout, find: Finder, worded: Worded): Encoder {
  const scope: Record<string, unknown> = { ...helpers(layout, find), worded };
  const body = encoderSource(layout, find, needsOf(layout, find, scope, false));
  return evaluate(
    `${body}
function encode(o, a) {
  try { put(o, a); } catch (error) { throw worded(error, o); }
}
return { put, encode };`,
    scope,
    `${layout.name}.encode`,
  ) as Encoder;
}

function generateDecoder(layout: Layout, find: Finder): StructCodec["get"] {
  const scope = helpers(layout, find);
  const body = decoderSource(layout, find, needsOf(layout, find, scope, true));
  return evaluate(
    `return function get(a, sel, linked) {
  ${body}
};`,
    scope,
    `${layout.name}.decode`,
  ) as StructCodec["get"];
}

/** Runs source in strict mode. */
function evaluate(source: string, scope: Record<string, unknown>, title: string): unknown {
  return generated(`"use strict";\n${source}`, scope, title);
}

/** The functions that generated code calls by name. */
function helpers(layout: Layout, find: Finder): Record<string, unknown> {
  const checkOwnNames = (object: values.StructObject) => checkNames(layout, object);
  return { ...memory(), ...values, putChain, getChain, find, checkNames: checkOwnNames };
}

/** Adds the helpers that a body needs to the scope, and returns their names there. */
function needsOf(layout: Layout, find: Finder, scope: Record<string, unknown>, reading: boolean): Needs {
  function add(name: string, make: () => unknown): string {
    const value = scope[name] ??= make();
    if (value === undefined) delete scope[name];
    return value === undefined ? "" : name;
  }
  return {
    codec: (name) => add(`$${name}`, () => find.byName(name)),
    writer: (field) => add(`write_${field.name}`, () => writerOf(layout, field, find)),
    reader: (field) => add(`read_${field.name}`, () => readerOf(layout, field, find)),
    needed: (field) => add(`count_${field.name}`, () => reading ? countReader(layout, field) : neededOf(layout, field)),
    guard: (field) => add(`guard_${field.name}`, () => guardOf(layout, field)),
    context: (field) => add(`context_${field.name}`, () => contextOf(layout, field)),
  };
}

/** Source of the body of `get(a, sel, linked)`: pointers are followed first, then one object literal holds every member. */
function decoderSource(layout: Layout, find: Finder, needs: Needs): string {
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
  const context = needs.context(field), told = context ? `${context}(a, sel)` : "undefined";
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
    `let q = n > 0 ? follow(${p}, n * ${size}) : 0; ${name} = new Array(n); for (let i = 0; i < n; i++, q += ${size}) ${name}[i] = ${element}; }`;
}

function countSource(layout: Layout, field: Field, needs: Needs): string {
  const length = lengthOf(layout, field)!;
  if (length.constant >= 0) return String(length.constant);
  const counter = layout.fields.find((sibling) => sibling.name === length.count);
  if (counter === undefined) return `${needs.needed(field)}(a)`;
  const load = loadSource(counter.kind, placeSource(counter.offset));
  return counter.kind === "u64" ? `Number(${load})` : load;
}
