import type { Layout } from "./layout/layout.ts";
import type { StructObject } from "./values/convert.ts";

/** The part of a codec that the encoders and decoders of other structs need. */
export interface StructCodec {
  /** The places of the members. */
  readonly layout: Layout;
  /** Bytes of the struct. */
  readonly size: number;
  /** Writes an object. Throws TROUBLE, without a message, if something does not fit. */
  put(object: StructObject, at: number): void;
  /**
   * Reads an object. `context` is a union's selector or another value of the
   * parent. `linked` members of a chain do not read their own `pNext`.
   */
  get(at: number, context?: number, linked?: boolean): StructObject;
}

/** Finds codecs. */
export interface Finder {
  /** Returns the codec of a name. Throws a `TypeError` for a name that the registry lacks. */
  byName(name: string): StructCodec;
  /** Returns the codec of an `sType` value; `undefined` for a value that the registry lacks. */
  bySType(sType: number): StructCodec | undefined;
}
