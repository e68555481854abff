/**
 * The way of a struct from a script to a driver, and back.
 *
 * ```text
 *   gen/…_gen.ts            layout/                   compiled/                       the arena
 *   one line of text  --->  members, offsets,  --->   a function of straight   --->   bytes that a driver reads
 *   for each struct         kinds, counts             code, by `new Function`
 *                                                     closures/, the same from
 *                                                     functions, where code may
 *                                                     not be generated
 * ```
 *
 * A struct's line is parsed when the struct is first named. Closures make the first call of its encoder and decoder,
 * and code is compiled at the second: many programs use a struct such as VkDeviceCreateInfo once. The arena is one
 * block of native memory behind one DataView. An encoder writes the struct at an offset, and everything the struct
 * points to at the arena's top; an address appears only where a pointer is stored:
 *
 * ```text
 *   { pWaitSemaphores: [a, b], pNext: [{ sType: … }] }
 *
 *   offset    0x100  VkSubmitInfo   pNext -----------+      the caller's mark is 0x100: releasing the arena to the
 *                                   pWaitSemaphores -|-+    mark frees the whole value at once
 *             0x148  the next struct of the chain <--+ |
 *             0x170  two handles <---------------------+
 * ```
 *
 * Encoders are fast because they explain nothing: a value that does not fit throws TROUBLE, without words. The outermost
 * encoder catches TROUBLE and lets explain/ walk the object again, slowly, for a sentence that names the member.
 * Decoders copy memory behind foreign pointers into the arena first, one copy for each pointer, and read there.
 * closures/guards.ts lists the pointers that the specification lets be garbage.
 *
 * @module
 */

import { arena, inFrame } from "../../ffi/arena.ts";
import { putOut } from "./closures/closures.ts";
import {
  closuresDecoder,
  closuresEncoder,
  compileDecoder,
  compileEncoder,
  type Encoder,
  type Worded,
} from "./compiled/compile.ts";
import { explain } from "./explain/explain.ts";
import { explainRing } from "./explain/describe.ts";
import { type Layout, layoutOf, nameOfSType } from "./layout/layout.ts";
import type { Finder, StructCodec } from "./struct_codec.ts";
import { type StructObject, TROUBLE } from "./values/convert.ts";
export { structNames } from "./layout/layout.ts";
export type { StructObject } from "./values/convert.ts";

/**
 * Writes and reads one struct or union. Places are arena offsets. Memory that
 * an encoder allocates is valid until the caller releases the arena to an
 * earlier mark.
 *
 * @example
 * ```ts
 * import { codec } from "./codec.ts";
 * import { VK_BUFFER_USAGE_TRANSFER_DST_BIT } from "../gen/enums_core_gen.js";
 * import { inFrame } from "../../ffi/arena.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const { size, encode, decode } = codec("VkBufferCreateInfo");
 * inFrame((memory) => {
 *   const place = memory.alloc(size);
 *   encode({ size: 65536n, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT }, place);
 *   assertEquals(decode(place).size, 65536n);
 * });
 * ```
 */
interface Codec {
  /** The C name. */
  readonly name: string;
  /** Bytes of the struct. */
  readonly size: number;
  /** The `sType` value; -1 if there is none. */
  readonly sType: number;
  /** The places of the members. */
  readonly layout: Layout;
  /**
   * Writes an object to `offset`, and everything it points to at the arena's
   * top. Throws a `TypeError` that names the struct and the member if a key is
   * not a member, a value has the wrong type or range, or a required member is
   * missing.
   */
  readonly encode: (object: StructObject, offset: number) => void;
  /**
   * Reads the struct at `offset`. Data behind pointers out of the arena is
   * copied in first. `selector` says which member of a union is valid. For
   * `VkCommandBufferBeginInfo` it is the level of the command buffer; without
   * it `pInheritanceInfo` stays an address.
   */
  readonly decode: (offset: number, selector?: number) => StructObject;
  /**
   * Prepares a struct for a driver to fill: zeros, `sType`, and a chain of
   * prepared structs. `object` may have members to set. In its `pNext`, a bare
   * `sType` number stands for an empty struct. Nothing is required.
   */
  readonly encodeOut: (object: StructObject | undefined, offset: number) => void;
}

/**
 * The functions compile at the second call and then replace themselves. A caller
 * that kept the first ones still compiles nothing twice.
 */
class LazyCodec implements Codec, StructCodec {
  readonly name: string;
  readonly size: number;
  readonly sType: number;
  readonly layout: Layout;
  put: StructCodec["put"];
  get: StructCodec["get"];
  encode: Codec["encode"];
  decode: Codec["decode"];
  readonly encodeOut: Codec["encodeOut"];
  #encoder: Encoder | undefined;
  #decoder: StructCodec["get"] | undefined;
  #wasPut = false;
  #wasGot = false;

  constructor(layout: Layout) {
    this.layout = layout;
    this.name = layout.name;
    this.size = layout.size;
    this.sType = layout.sType;
    // A call of its own for what is compiled: V8 inlines a call that has one target alone.
    this.put = (object, at) => this.#encoder ? this.#encoder.put(object, at) : this.#makeEncoder().put(object, at);
    this.get = (at, context, linked) =>
      this.#decoder ? this.#decoder(at, context, linked) : this.#makeDecoder()(at, context, linked);
    this.encode = (object, offset) =>
      this.#encoder ? this.#encoder.encode(object, offset) : this.#makeEncoder().encode(object, offset);
    this.decode = (offset, selector) =>
      this.#decoder ? this.#decoder(offset, selector) : this.#makeDecoder()(offset, selector);
    this.encodeOut = (object, offset) => {
      guarded(() => putOut(layout, object, offset, FINDER), layout, object);
    };
  }

  /** Returns the encoder of the first call, and compiles at the second. */
  #makeEncoder(): Encoder {
    const { layout } = this, words: Worded = (error, object) => worded(error, layout, object);
    if (!this.#wasPut) {
      this.#wasPut = true;
      return closuresEncoder(layout, FINDER, words);
    }
    this.#encoder = compileEncoder(layout, FINDER, words);
    this.put = this.#encoder.put;
    this.encode = this.#encoder.encode;
    return this.#encoder;
  }

  #makeDecoder(): StructCodec["get"] {
    const { layout } = this;
    if (this.#wasGot) return this.#decoder = this.get = this.decode = compileDecoder(layout, FINDER);
    this.#wasGot = true;
    return closuresDecoder(layout, FINDER);
  }
}

function guarded(run: () => void, layout: Layout, object: StructObject | undefined): void {
  try {
    run();
  } catch (error) {
    throw worded(error, layout, object, true);
  }
}

/**
 * Turns an encoder's failure into a message. Errors other than a value that
 * does not fit or has no end (a full arena, a getter that throws) are passed
 * on.
 */
function worded(error: unknown, layout: Layout, object: unknown, out = false): unknown {
  if (error !== TROUBLE && !(error instanceof TypeError || error instanceof RangeError)) return error;
  const ring = explainRing(object, layout.name);
  if (ring !== undefined) return new TypeError(ring);
  if (error instanceof RangeError) return error;
  const problem = explain(layout, object, layout.name, FINDER, out);
  if (problem !== undefined) return new TypeError(problem);
  return error === TROUBLE ? new TypeError(`Cannot encode ${layout.name}: a value does not fit`) : error;
}

const codecs = new Map<string, LazyCodec>();
const codecsBySType = new Map<number, LazyCodec | undefined>();

const FINDER: Finder = { byName: lazyCodec, bySType: lazyCodecBySType };

function lazyCodec(name: string): LazyCodec {
  let found = codecs.get(name);
  if (found === undefined) codecs.set(name, found = new LazyCodec(layoutOf(name)));
  return found;
}

function lazyCodecBySType(sType: number): LazyCodec | undefined {
  const known = codecsBySType.get(sType);
  if (known !== undefined || codecsBySType.has(sType)) return known;
  const name = nameOfSType(sType), found = name === undefined ? undefined : lazyCodec(name);
  codecsBySType.set(sType, found);
  return found;
}

/**
 * Returns the codec of a struct or union. Nothing is compiled before the first
 * use. Throws a `TypeError` for a name that the registry lacks.
 */
export function codec(name: string): Codec {
  return lazyCodec(name);
}

/** Returns the codec of an `sType` value; `undefined` for a value that the registry lacks. */
export function codecBySType(sType: number): Codec | undefined {
  return lazyCodecBySType(sType);
}

/** Decodes the struct at an address. The caller must know that the address is valid. */
export function structAt(name: string, address: bigint): StructObject {
  return structsAt(name, address, 1)[0];
}

/** Decodes an array of structs at an address. */
export function structsAt(name: string, address: bigint, count: number): StructObject[] {
  const { size, decode } = codec(name);
  return inFrame(() => {
    const at = count === 0 ? 0 : placeOf(address, size * count);
    return Array.from({ length: count }, (_, index) => decode(at + size * index));
  });
}

/** Returns the arena offset of data in the arena, or of a copy of other data. */
function placeOf(address: bigint, size: number): number {
  const memory = arena(), inside = Number(address - memory.base);
  return inside > 0 && inside + size <= memory.size ? inside : memory.copyIn(address, size);
}
