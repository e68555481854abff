import { type Arena, arena, inFrame } from "../../../ffi/arena.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { otherMemory } from "../../../ffi/arena_memory.ts";
import { trouble } from "../../../ffi/scalar.ts";

/** Operations of encoders and decoders on the arena beyond reading and writing scalars. Places are arena offsets. */
interface Memory {
  /** The arena itself. */
  readonly arena: Arena;
  /** The whole arena. */
  readonly view: DataView;
  /** Reserves bytes; see {@linkcode Arena.alloc}. */
  alloc(size: number): number;
  /** Fills `size` bytes with zeros. */
  zero(at: number, size: number): void;
  /** Stores the address of arena offset `target`. */
  putPointer(at: number, target: number): void;
  /** Stores a raw address, or 0 for null. Anything else is TROUBLE. */
  putAddress(at: number, value: unknown): void;
  /** Stores a `size_t`. */
  putSize(at: number, value: number): void;
  /** Reads a `size_t`. */
  getSize(at: number): number;
  /** Reads 64 unsigned bits. */
  getU64(at: number): bigint;
  /**
   * Returns the arena offset of the stored pointer's target, or of a copy of its
   * `size` foreign bytes; 0 for NULL. Throws a `TypeError` if so many bytes
   * cannot be there.
   */
  follow(at: number, size: number): number;
  /** Stores a pointer to a copy of the text; null stores NULL. */
  putString(at: number, value: unknown): void;
  /** Returns the text behind the stored pointer; null for NULL. */
  getString(at: number): string | null;
}

/** The most bytes of an array in another process, where counts may be anything. */
const THEIRS_MOST = 1 << 24;

/**
 * Bigints below this number are made once: V8 allocates one for each read, and zeros, flags and sizes are mostly small.
 * The number is above the bits of Vulkan's oldest stages and accesses, up to those of transfers.
 */
const SMALL = 0x2000;

let shared: Memory | undefined;

/** Returns the arena's operations, built at the first call. */
export function memory(): Memory {
  return shared ??= memoryOf(arena());
}

/** Closures over constants: the compiler folds the arena's base and view into the code that calls them. */
function memoryOf(arena: Arena): Memory {
  const { view, bytes, base, low, high, size: arenaSize } = arena;
  const small = new Array<bigint | undefined>(SMALL).fill(undefined);

  function alloc(size: number): number {
    return arena.alloc(size);
  }
  function zero(at: number, size: number): void {
    let i = 0;
    for (; i + 8 <= size; i += 8) view.setFloat64(at + i, 0);
    for (; i < size; i++) view.setUint8(at + i, 0);
  }
  function putPointer(at: number, target: number): void {
    view.setUint32(at, low + target, true);
    view.setUint32(at + 4, high, true);
  }
  function putAddress(at: number, value: unknown): void {
    if (typeof value === "bigint") view.setBigUint64(at, value, true);
    else if (value === null) view.setFloat64(at, 0);
    else trouble();
  }
  function putSize(at: number, value: number): void {
    view.setUint32(at, value, true);
    view.setUint32(at + 4, value / 0x1_0000_0000, true);
  }
  function getSize(at: number): number {
    return view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000;
  }
  function getU64(at: number): bigint {
    const lower = view.getUint32(at, true);
    if (view.getInt32(at + 4, true) !== 0 || lower >= SMALL) return view.getBigUint64(at, true);
    return small[lower] ??= BigInt(lower);
  }
  function follow(at: number, size: number): number {
    const lower = view.getUint32(at, true), upper = view.getUint32(at + 4, true);
    const target = lower - low;
    if (upper === high && target >= 0 && target < arenaSize) {
      if (!arena.holds(target, size)) throw notThere(view.getBigUint64(at, true), size);
      return target;
    }
    if (lower === 0 && upper === 0) return 0;
    const address = view.getBigUint64(at, true);
    if (size > THEIRS_MOST && otherMemory()) throw notThere(address, size);
    return arena.copyIn(address, size);
  }
  function putString(at: number, value: unknown): void {
    if (typeof value === "string") putPointer(at, writeText(arena, value));
    else putAddress(at, value);
  }
  function getString(at: number): string | null {
    const address = view.getBigUint64(at, true);
    if (address === 0n) return null;
    const target = Number(address - base);
    return target > 0 && target < arenaSize ? readText(bytes, target, arenaSize) : foreignText(address);
  }
  return { arena, view, alloc, zero, putPointer, putAddress, putSize, getSize, getU64, follow, putString, getString };
}

/** An array that is none: the count beside its pointer is wrong. */
function notThere(address: bigint, size: number): TypeError {
  return new TypeError(`Cannot read ${size} bytes at 0x${address.toString(16)}: the count of that array is wrong`);
}

const REPLACEMENT = 0xfffd;

/**
 * Copies text into the arena as UTF-8 with a NUL at the end and returns its
 * offset. Does not use Deno's encoder, so that callbacks may use this function.
 */
export function writeText(arena: Arena, text: string): number {
  const offset = arena.alloc(text.length * 3 + 1);
  arena.bytes[encodeInto(arena.bytes, offset, offset + text.length * 3, text)] = 0;
  return offset;
}

/**
 * Fills `size` bytes with text as UTF-8, followed by zeros. The text is cut
 * before the first character that would leave no room for the final NUL.
 */
export function writeChars(bytes: Uint8Array, at: number, size: number, text: string): void {
  bytes.fill(0, encodeInto(bytes, at, at + size - 1, text), at + size);
}

/** Reads the UTF-8 text at an offset, up to the first NUL or `size` bytes. */
export function readText(bytes: Uint8Array, at: number, size: number): string {
  const end = Math.min(at + size, bytes.length);
  let text = "";
  for (let next = at; next < end && bytes[next] !== 0;) {
    if (bytes[next] < 0x80) {
      text += String.fromCharCode(bytes[next++]);
      continue;
    }
    const length = sequenceLength(bytes[next]);
    const code = length === 0 ? -1 : decodeSequence(bytes, next, length, end);
    text += String.fromCodePoint(code < 0 ? REPLACEMENT : code);
    next += code < 0 ? 1 : length;
  }
  return text;
}

/** Reads the UTF-8 text at a foreign address. The caller must know that the address is valid. */
export function foreignText(address: bigint): string {
  const other = otherMemory();
  if (other) return other.text(address, Infinity);
  const size = Number(invokeAddress(libcAddress("strlen"), "q:q", [address])); // size_t strlen(const char *)
  return inFrame((memory) => readText(memory.bytes, memory.copyIn(address, size + 1), size));
}

/** Writes whole characters from `at` on as long as they end by `end`. Returns the place after the last one. */
function encodeInto(bytes: Uint8Array, at: number, end: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      if (at >= end) return at;
      bytes[at++] = code;
      continue;
    }
    code = text.codePointAt(i)!;
    if (code > 0xffff) i++;
    else if (code >= 0xd800 && code <= 0xdfff) code = REPLACEMENT;
    const length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (at + length > end) return at;
    at = encodeSequence(bytes, at, length, code);
  }
  return at;
}

function encodeSequence(bytes: Uint8Array, at: number, length: number, code: number): number {
  for (let i = length - 1; i > 0; i--) {
    bytes[at + i] = 0x80 | code & 0x3f;
    code >>= 6;
  }
  bytes[at] = 0xf00 >> length & 0xff | code;
  return at + length;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/** Returns the code point of a sequence of `length` bytes; -1 if it is malformed. */
function decodeSequence(bytes: Uint8Array, at: number, length: number, end: number): number {
  if (at + length > end) return -1;
  let code = bytes[at] & 0x7f >> length;
  for (let i = 1; i < length; i++) {
    if ((bytes[at + i] & 0xc0) !== 0x80) return -1;
    code = code << 6 | bytes[at + i] & 0x3f;
  }
  const smallest = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000;
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < smallest || code > 0x10ffff || surrogate ? -1 : code;
}
