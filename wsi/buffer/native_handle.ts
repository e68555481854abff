import { NativeBlock } from "../../ffi/block.ts";
import { peek32 } from "../../ffi/machine.ts";
import { WsiError } from "../error.ts";
import { MODIFIER } from "./modifier.ts";

/** `native_handle_t` begins with its own version, and how many file descriptors and ints follow. */
const VERSION = 12;
/** The bytes of these three numbers. */
export const HANDLE_HEADER = 12;
/** The first int: a mark of our own handles. */
const MAGIC = 0x4d55_5047; // "GPUM"

/** The contents of a buffer's handle. */
export interface HandleContents {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Array layers. */
  readonly layers: number;
  /** HAL_PIXEL_FORMAT value. */
  readonly format: number;
  /** Usage bits. */
  readonly usage: bigint;
  /** As in a buffer: pixels, or bytes. */
  readonly stride: number;
  /** Bytes from one row to the next. */
  readonly rowPitch: number;
  /** Bytes of the memory. */
  readonly size: number;
  /** The buffer's number. */
  readonly id: bigint;
  /** The layout of the pixels in memory, a DRM format modifier. */
  readonly modifier: bigint;
}

/** The number of ints of our own handles. */
export const HANDLE_INTS = 13;
/** The same for a buffer that is not linear: its modifier is behind the others, where older versions had nothing. */
export const TILED_HANDLE_INTS: number = HANDLE_INTS + 2;

/** A buffer as the ints of its handle. */
export function handleInts(contents: HandleContents): number[] {
  const { width, height, layers, format, usage, stride, rowPitch, size, id, modifier } = contents;
  return [
    MAGIC,
    width,
    height,
    layers,
    format,
    ...halves(usage),
    stride,
    rowPitch,
    ...halves(BigInt(size)),
    ...halves(id),
    ...(modifier === MODIFIER.LINEAR ? [] : halves(modifier)),
  ];
}

function isCount(ints: number): boolean {
  return ints === HANDLE_INTS || ints === TILED_HANDLE_INTS;
}

/** The bytes of a native_handle_t at an address, whose first {@linkcode HANDLE_HEADER} bytes can be read. */
export function handleSize(address: bigint): number {
  const [fds, ints] = [4n, 8n].map((at) => peek32(address + at) >>> 0);
  return HANDLE_HEADER + (fds <= 1 && isCount(ints) ? 4 * (fds + ints) : 0);
}

/** Writes a native_handle_t: the file descriptor, unless it is -1, and the ints. */
export function writeHandle(fd: number, ints: readonly number[]): NativeBlock {
  const fds = fd < 0 ? [] : [fd], block = new NativeBlock(HANDLE_HEADER + 4 * (fds.length + ints.length));
  [VERSION, fds.length, ints.length, ...fds, ...ints].forEach((int, index) =>
    block.view.setInt32(4 * index, int, true)
  );
  return block;
}

/**
 * Returns the file descriptor (-1 for none) and the ints of a native_handle_t,
 * and leaves the native_handle_t unchanged. Throws a {@linkcode WsiError}
 * `bad-handle`.
 */
export function readHandle(address: bigint): { fd: number; ints: number[] } {
  if (address === 0n) throw new WsiError("bad-handle", "Cannot import a buffer: its handle is NULL");
  const int = (index: number) => peek32(address + BigInt(4 * index)) | 0;
  const [version, fds, count] = [int(0), int(1), int(2)];
  if (version !== VERSION || fds < 0 || fds > 1 || !isCount(count)) {
    const found = `version ${version}, ${fds} file descriptors, ${count} ints`;
    const wanted = `version ${VERSION}, at most 1 and ${HANDLE_INTS} or ${TILED_HANDLE_INTS}`;
    throw new WsiError(
      "bad-handle",
      `Cannot import a buffer: its handle has ${found}; handles of this library have ${wanted}`,
    );
  }
  const data = Array.from({ length: fds + count }, (_, index) => int(3 + index));
  return { fd: fds === 1 ? data[0] : -1, ints: data.slice(fds) };
}

/** Reads the ints of a handle. Throws a {@linkcode WsiError} `bad-handle` for another library's handle. */
export function readInts(ints: readonly number[]): HandleContents {
  if (!isCount(ints.length) || (ints[0] | 0) !== (MAGIC | 0)) {
    const found = isCount(ints.length) ? `they begin with 0x${(ints[0] >>> 0).toString(16)}` : `${ints.length} ints`;
    throw new WsiError(
      "bad-handle",
      `Cannot import a buffer: its ints are not those of a buffer of this library: ${found}`,
    );
  }
  const [, width, height, layers, format, usageLow, usageHigh, stride, rowPitch, ...halves] = ints;
  const [low, high, idLow, idHigh, modifierLow = 0, modifierHigh = 0] = halves;
  const usage = whole(usageLow, usageHigh), size = Number(whole(low, high)), id = whole(idLow, idHigh);
  const modifier = whole(modifierLow, modifierHigh);
  return { width, height, layers, format, usage, stride, rowPitch, size, id, modifier };
}

function halves(value: bigint): [number, number] {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
}

function whole(low: number, high: number): bigint {
  return BigInt(low >>> 0) | BigInt(high >>> 0) << 32n;
}
