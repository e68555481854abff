import { poke32, poke64 } from "../../ffi/machine.ts";
import { FORMAT } from "../android_values.ts";
import { WsiError } from "../error.ts";
import { syncDmaBuf } from "./dma_buf.ts";
import type { GraphicBuffer } from "./graphic_buffer.ts";
import type { YCbCrOffsets } from "./layout.ts";
import type { BufferMemory } from "./memory.ts";
import { rowsOfTiles, type TiledRows, tilesOfRows } from "./tiling.ts";
import { USAGE } from "./usage.ts";

const WRITE = 2;

/**
 * The CPU's access to a buffer's bytes, shared by all owners. When the last lock ends, all views become empty, so that
 * no code reads memory that is unmapped. Tiles are shown as rows: a copy, which goes back when a lock wrote to it.
 */
export class CpuAccess {
  readonly #memory: BufferMemory;
  readonly #tiles: TiledRows | undefined;
  #buffer: ArrayBuffer | undefined;
  #locks = 0;
  #access = 0;

  /** Does nothing until the first lock. */
  constructor(memory: BufferMemory, tiles?: TiledRows) {
    this.#memory = memory;
    this.#tiles = tiles;
  }

  /** Returns the memory, valid until as many unlocks. `usage` says how the caller uses the memory. */
  lock(usage: bigint): ArrayBuffer {
    const { fd, kind } = this.#memory;
    this.#access |= ((usage & USAGE.CPU_READ_MASK) !== 0n ? 1 : 0) |
      ((usage & USAGE.CPU_WRITE_MASK) !== 0n ? WRITE : 0);
    if (kind === "dma-buf") syncDmaBuf(fd, this.#access, false);
    this.#locks++;
    return this.#buffer ??= this.#tiles ? rowsIn(this.#memory, this.#tiles) : mappedBytes(this.#memory);
  }

  /** Ends one lock. Throws a {@linkcode WsiError} `not-allowed` if there is none. */
  unlock(): void {
    if (this.#locks === 0) throw new WsiError("not-allowed", "Cannot unlock a buffer that is not locked");
    if (--this.#locks === 0) this.#cutOff();
  }

  /** Ends all locks. */
  close(): void {
    if (this.#locks > 0) this.#cutOff();
    this.#locks = 0;
    this.#buffer = undefined;
  }

  #cutOff(): void {
    if (this.#tiles && (this.#access & WRITE) !== 0) {
      tilesOfRows(wordsOf(this.#buffer!), mappedWords(this.#memory), this.#tiles);
    }
    if (this.#memory.kind === "dma-buf") syncDmaBuf(this.#memory.fd, this.#access, true);
    this.#access = 0;
    // The same memory behind another object; the one handed out is empty from now on.
    this.#buffer = this.#buffer?.transfer();
  }
}

/** The bytes of a mapping, which must outlive the result. */
export function mappedBytes({ address, size }: Pick<BufferMemory, "address" | "size">): ArrayBuffer {
  return Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size) as ArrayBuffer;
}

/** The same as words. */
export function mappedWords(memory: Pick<BufferMemory, "address" | "size">): Uint32Array<ArrayBuffer> {
  return wordsOf(mappedBytes(memory));
}

/** The tiles in a memory as rows, in memory of their own. */
function rowsIn(memory: Pick<BufferMemory, "address" | "size">, tiles: TiledRows): ArrayBuffer {
  const rows = new Uint32Array(tiles.rowPitch * tiles.height / Uint32Array.BYTES_PER_ELEMENT);
  rowsOfTiles(mappedWords(memory), rows, tiles);
  return rows.buffer;
}

/** The whole words of some bytes. */
function wordsOf(bytes: ArrayBuffer): Uint32Array<ArrayBuffer> {
  return new Uint32Array(bytes, 0, Math.floor(bytes.byteLength / Uint32Array.BYTES_PER_ELEMENT));
}

/** The channels of a locked buffer: views from the first sample to the last. */
export interface LockedYCbCr extends YCbCrOffsets {
  /** The bytes from the first sample of Y. */
  readonly yBytes: Uint8Array;
  /** The bytes from the first sample of Cb; in semiplanar formats every `chromaStep`th byte belongs to Cb. */
  readonly cbBytes: Uint8Array;
  /** The bytes from the first sample of Cr; in semiplanar formats every `chromaStep`th byte belongs to Cr. */
  readonly crBytes: Uint8Array;
}

/** Bytes of `struct android_ycbcr` in a 64-bit process. */
const ANDROID_YCBCR_SIZE = 80;

/** Views of the channels that end where their last rows end. */
export function ycbcrViews(buffer: ArrayBuffer, at: YCbCrOffsets, size: number): LockedYCbCr {
  const [low, high] = [Math.min(at.cb, at.cr), Math.max(at.cb, at.cr)];
  const isPlanar = high - low > at.chromaStep;
  const chroma = (start: number) => new Uint8Array(buffer, start, (isPlanar && start === low ? high : size) - start);
  return { ...at, yBytes: new Uint8Array(buffer, 0, low), cbBytes: chroma(at.cb), crBytes: chroma(at.cr) };
}

/** Fills a native `struct android_ycbcr`: addresses of the channels of a buffer at an address, and its strides. */
export function writeAndroidYCbCr(to: bigint, buffer: bigint, at: YCbCrOffsets): void {
  const { y, cb, cr, ystride, cstride, chromaStep } = at;
  const addresses = [y, cb, cr].map((offset) => buffer + BigInt(offset));
  [...addresses, ystride, cstride, chromaStep].forEach((value, index) => poke64(to + BigInt(8 * index), BigInt(value)));
  for (let offset = 48; offset < ANDROID_YCBCR_SIZE; offset += 4) poke32(to + BigInt(offset), 0);
}

const BYTE = 0x80;

/** Sets every byte of a buffer to 128: in all YUV formats that is gray, of brightness 126 to 132 in any range. */
export function fillGray(buffer: GraphicBuffer): void {
  if (buffer.format !== FORMAT.YCBCR_420_888) buffer.lock().fill(BYTE);
  else {
    const { yBytes, cbBytes, crBytes } = buffer.lockYCbCr();
    for (const plane of [yBytes, cbBytes, crBytes]) plane.fill(BYTE);
  }
  buffer.unlock();
}
