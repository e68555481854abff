import { closeDescriptor, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { noDescriptor } from "../../../wsi/fence/descriptor.ts";
import type { Rect } from "../../types.ts";
import type { NativeHandle } from "../parcel/hidl/parcel.ts";
import { CACHED, EMPTY, MOST_WORDS, OPCODE } from "./opcodes.ts";

const FLOAT = new Float32Array(1), BITS = new Int32Array(FLOAT.buffer);

/** Commands as words, and the handles that they name by index. */
export class WordWriter {
  readonly #words: number[] = [];
  /** The handles, whose descriptors stay their giver's. */
  readonly handles: NativeHandle[] = [];
  #display: bigint | undefined;
  #layer: bigint | undefined;

  /** The number of words so far: the place of the next command. */
  get length(): number {
    return this.#words.length;
  }

  /** All words. */
  take(): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(this.#words, (word) => word >>> 0);
  }

  /** Commands are about this display from now on. */
  selectDisplay(display: bigint): void {
    if (display === this.#display) return;
    this.command(OPCODE.SELECT_DISPLAY, ...longWords(display));
    this.#display = display;
    this.#layer = undefined;
  }

  /** Commands are about this layer from now on. */
  selectLayer(layer: bigint): void {
    if (layer === this.#layer) return;
    this.command(OPCODE.SELECT_LAYER, ...longWords(layer));
    this.#layer = layer;
  }

  /** A command with its words. Throws a `RangeError` for one that is too long. */
  command(opcode: number, ...words: number[]): void {
    if (words.length > MOST_WORDS) throw new RangeError(`a command has ${words.length} words; ${MOST_WORDS} are most`);
    this.#words.push(opcode << 16 | words.length);
    for (const word of words) this.#words.push(word);
  }

  /** The word for a handle: its index, or EMPTY for one with nothing in it. */
  handle({ fds, ints }: NativeHandle): number {
    return fds.length + ints.length === 0 ? EMPTY : this.handles.push({ fds, ints }) - 1;
  }

  /** The word for a fence. */
  fence(fd: number | null | undefined): number {
    return (fd ?? -1) < 0 ? EMPTY : this.handles.push({ fds: [fd!], ints: [] }) - 1;
  }

  /** The word for a slot's buffer: CACHED for the one that is there. */
  buffer(handle: NativeHandle | null | undefined): number {
    return handle ? this.handle(handle) : CACHED;
  }
}

/** A number of 64 bits, its low word first. */
export function longWords(value: bigint): [number, number] {
  return [Number(value & 0xffff_ffffn), Number(value >> 32n & 0xffff_ffffn)];
}

/** The bits of a fraction. */
export function floatWord(value: number): number {
  FLOAT[0] = value;
  return BITS[0];
}

/** Four words a rectangle; none, which means all, for more than a command holds. */
export function regionWords(region: readonly Rect[], before = 0): number[] {
  if (region.length * 4 + before > MOST_WORDS) return [];
  return region.flatMap(({ left, top, right, bottom }) => [left, top, right, bottom]);
}

/** Bytes in words, with zeros behind them. */
export function byteWords(bytes: Uint8Array): number[] {
  const padded = new Uint8Array(bytes.length + 3 & ~3);
  padded.set(bytes);
  return [...new Int32Array(padded.buffer)];
}

/** The words of a command that are read. */
export class WordReader {
  readonly #words: Int32Array;
  readonly #handles: readonly NativeHandle[];
  readonly #copies: number[] = [];
  #at = 0;

  /** Takes the words of one command, and the handles of all. */
  constructor(words: Int32Array, handles: readonly NativeHandle[]) {
    this.#words = words;
    this.#handles = handles;
  }

  /** Words that are left. */
  get left(): number {
    return this.#words.length - this.#at;
  }

  /** A word; a `MalformedWords` behind the last. */
  s32(): number {
    if (this.left < 1) throw new MalformedWords("a command is too short");
    return this.#words[this.#at++];
  }

  /** A number of 64 bits. */
  u64(): bigint {
    const low = this.s32() >>> 0, high = this.s32() >>> 0;
    return BigInt(high) << 32n | BigInt(low);
  }

  /** A fraction. */
  float(): number {
    BITS[0] = this.s32();
    return FLOAT[0];
  }

  /** Fractions. */
  floats(count: number): number[] {
    return Array.from({ length: count }, () => this.float());
  }

  /** All that is left, as rectangles. */
  region(): Rect[] {
    const rects: Rect[] = [];
    while (this.left > 0) rects.push({ left: this.s32(), top: this.s32(), right: this.s32(), bottom: this.s32() });
    return rects;
  }

  /** Bytes, and past the zeros behind them. */
  bytes(count: number): Uint8Array {
    const words = count + 3 >>> 2;
    if (count < 0 || words > this.left) throw new MalformedWords("a command is too short");
    const part = this.#words.slice(this.#at, this.#at += words);
    return new Uint8Array(part.buffer, 0, count);
  }

  /** A copy of a handle, whose descriptors are the caller's; one with nothing in it for EMPTY. */
  handle(): NativeHandle {
    const index = this.s32();
    return index === EMPTY ? { fds: [], ints: [] } : this.#copied(index);
  }

  /** The same for a buffer of a slot: `null` for CACHED. */
  buffer(): NativeHandle | null {
    const index = this.s32();
    if (index === CACHED) return null;
    return index === EMPTY ? { fds: [], ints: [] } : this.#copied(index);
  }

  /** A copy of a fence's descriptor, -1 for none. */
  fence(): number {
    const index = this.s32();
    if (index === EMPTY) return -1;
    const { fds } = this.#copied(index);
    if (fds.length === 1) return fds[0];
    throw new MalformedWords(`a fence has ${fds.length} descriptors`);
  }

  /** Closes the copies of descriptors: the command is malformed. */
  drop(): void {
    this.#copies.forEach(closeDescriptor);
  }

  /** Nothing may be left. */
  end(): void {
    if (this.left > 0) throw new MalformedWords("a command is too long");
  }

  #copied(index: number): NativeHandle {
    const handle = this.#handles[index];
    if (!handle) throw new MalformedWords(`there is no handle ${index}`);
    const fds = handle.fds.map(copied);
    this.#copies.push(...fds);
    return { fds, ints: handle.ints };
  }
}

function copied(fd: number): number {
  const copy = duplicate(fd);
  if (copy < 0) throw noDescriptor("a handle");
  return copy;
}

/** Words that are no commands. */
export class MalformedWords extends Error {}

/** Splits words into commands: the place, the opcode and the words of each. */
export function* commandsIn(words: Uint32Array): Generator<readonly [at: number, opcode: number, words: Int32Array]> {
  const signed = new Int32Array(words.buffer, words.byteOffset, words.length);
  for (let at = 0; at < words.length;) {
    const opcode = words[at] >>> 16, length = words[at] & 0xffff, end = at + 1 + length;
    if (end > words.length) throw new MalformedWords(`command 0x${opcode.toString(16)} has more words than there are`);
    yield [at, opcode, signed.subarray(at + 1, end)];
    at = end;
  }
}
