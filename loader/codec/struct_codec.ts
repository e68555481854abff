import type { Layout } from "./layout/layout.ts";
import type { StructObject } from "./values/convert.ts";

/** What encoders and decoders need of the codec of a struct they contain or point to. */
export interface StructCodec {
  /** Where everything is. */
  readonly layout: Layout;
  /** Bytes of the struct. */
  readonly size: number;
  /** Writes an object; throws TROUBLE, without a message, when something doesn't fit. */
  put(object: StructObject, at: number): void;
  /** Reads an object. `context` is a union's selector or what the parent knows; `linked` members of a chain don't read their own `pNext`. */
  get(at: number, context?: number, linked?: boolean): StructObject;
}

/** Finds codecs. */
export interface Finder {
  /** The codec of a name. Throws a `TypeError` for a name the registry doesn't have. */
  byName(name: string): StructCodec;
  /** The codec of an `sType` value; `undefined` for one the registry doesn't know. */
  bySType(sType: number): StructCodec | undefined;
}
