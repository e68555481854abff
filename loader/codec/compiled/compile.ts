import * as values from "../values/convert.ts";
import { generated, mayGenerate } from "../../../ffi/generated_code.ts";
import { getChain, putChain } from "../values/chain.ts";
import { checkNames, closureDecoder, closureEncoder } from "../closures/closures.ts";
import { decoderSource } from "./decoder_source.ts";
import { encoderSource, type Needs } from "./encoder_source.ts";
import { countReader, readerOf } from "../closures/get.ts";
import { contextOf, guardOf } from "../closures/guards.ts";
import type { Layout } from "../layout/layout.ts";
import { memory } from "../values/memory.ts";
import { neededOf, writerOf } from "../closures/put.ts";
import type { Finder, StructCodec } from "../struct_codec.ts";
import { unionDecoder, unionEncoder } from "../closures/union.ts";

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
  if (!layout.union && mayGenerate()) return generateEncoder(layout, find, worded);
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
  if (layout.union) return unionDecoder(layout, find);
  if (!mayGenerate()) return closureDecoder(layout, find);
  return generateDecoder(layout, find);
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
