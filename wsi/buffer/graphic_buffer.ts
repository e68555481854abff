import { WsiError } from "../error.ts";
import { CpuAccess, type LockedYCbCr, writeAndroidYCbCr, ycbcrViews } from "./cpu_access.ts";
import { type BufferRequest, checkRequest, shortName } from "./check_request.ts";
import type { HalFormat } from "./hal_format.ts";
import { type Layout, layOut, type LayoutPlane } from "./layout.ts";
import type { BufferMemory } from "./memory.ts";
import { MODIFIER, modifierName } from "./modifier.ts";
import { tiledSize, tilingOf } from "./tiling.ts";
import { USAGE } from "./usage.ts";
import { FORMAT } from "../android_values.ts";

export type { BufferMemory };

/** The parts of a buffer. */
export interface BufferParts {
  /** The buffer's number. */
  readonly id: bigint;
  /** Pixels from one row to the next; bytes for formats without pixels. */
  readonly stride: number;
  /** Bytes from one row to the next. */
  readonly rowPitch: number;
  /** The buffer's memory. */
  readonly memory: BufferMemory;
  /** Address of the native_handle_t. */
  readonly handle: bigint;
  /** Frees all parts; called by the last owner. */
  close(): void;
  /** The format that the request's format stands for. Default: the request's format. */
  readonly pixelFormat?: HalFormat;
  /** The places of the planes. Default: gralloc's layout. */
  readonly layout?: Layout;
  /** The layout of the pixels: one of {@linkcode MODIFIER}, or another DRM format modifier. Default LINEAR. */
  readonly modifier?: bigint;
  /** The state that owners share. Default: a new state. */
  readonly shared?: SharedBuffer;
}

/** The state that the owners of a buffer share. */
export interface SharedBuffer {
  /** The CPU's access to the bytes. */
  readonly access: CpuAccess;
  /** Number of owners that are not closed. */
  readonly owners: Set<GraphicBuffer>;
  /** Number of copies of the pixels. */
  copies: number;
}

/** The state that the owners of a new buffer share. */
export function newShared(
  memory: BufferMemory,
  { modifier, rowPitch, height }: { modifier: bigint; rowPitch: number; height: number },
): SharedBuffer {
  const tiling = tilingOf(modifier);
  return { access: new CpuAccess(memory, tiling && { tiling, rowPitch, height }), owners: new Set(), copies: 0 };
}

/** Returns why the processor cannot read a buffer's pixels; `undefined` if it can. */
export function whyUnreadable(
  { modifier, memory, rowPitch, height }: Pick<GraphicBuffer, "modifier" | "memory" | "rowPitch" | "height">,
): string | undefined {
  if (modifier === MODIFIER.LINEAR) return undefined;
  const where = `its pixels lie in ${modifierName(modifier)}`, tiling = tilingOf(modifier);
  if (!tiling) {
    return `${where}, which the processor cannot read; let a GPU copy it, or have it made with DRM_FORMAT_MOD_LINEAR`;
  }
  if (memory.address === 0n) return `${where}, and its memory cannot be mapped; let a GPU copy it`;
  return memory.size < tiledSize({ tiling, rowPitch, height })
    ? `${where}, and its memory ends amid a tile`
    : undefined;
}

const CPU_USAGE = USAGE.CPU_READ_MASK | USAGE.CPU_WRITE_MASK;

/**
 * A gralloc buffer, which producers and consumers pass around without copying. Made by {@linkcode allocateBuffer} or
 * {@linkcode importBuffer}. A buffer can have several owners.
 */
export class GraphicBuffer implements Disposable {
  /** A number that is unique on this machine; all owners of a buffer have the same number. */
  readonly id: bigint;
  /** Pixels in a row; bytes for BLOB. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** HAL_PIXEL_FORMAT value. */
  readonly format: number;
  /** The format that `format` stands for: for IMPLEMENTATION_DEFINED, gralloc's choice. */
  readonly pixelFormat: HalFormat;
  /** The usage bits of the allocation. */
  readonly usage: bigint;
  /** Array layers. */
  readonly layers: number;
  /** Pixels from one row to the next; bytes for formats without pixels. */
  readonly stride: number;
  /** Bytes from one row to the next of the first plane. */
  readonly rowPitch: number;
  /** Bytes of one array layer. */
  readonly layerSize: number;
  /** The places of the planes of the first layer. */
  readonly planes: readonly LayoutPlane[];
  /** The layout of the pixels in memory, a DRM format modifier: LINEAR of {@linkcode MODIFIER} for rows of pixels. */
  readonly modifier: bigint;
  /** The buffer's memory. */
  readonly memory: BufferMemory;
  /**
   * Address of the buffer's native_handle_t, with one file descriptor (memory.fd; none for anonymous memory) and the
   * ints that {@linkcode importBuffer} takes.
   */
  readonly handle: bigint;
  readonly #parts: BufferParts;
  readonly #layout: Layout;
  readonly #shared: SharedBuffer;
  #open = true;
  #locks = 0;

  /** Use {@linkcode allocateBuffer}. */
  constructor(request: BufferRequest, parts: BufferParts) {
    ({ width: this.width, height: this.height, format: this.format, usage: this.usage } = request);
    ({ id: this.id, stride: this.stride, rowPitch: this.rowPitch, memory: this.memory, handle: this.handle } = parts);
    this.layers = request.layers ?? 1;
    this.modifier = parts.modifier ?? MODIFIER.LINEAR;
    this.pixelFormat = parts.pixelFormat ?? checkRequest(request);
    this.#layout = parts.layout ?? layOut(this.pixelFormat, this.width, this.height, this.rowPitch);
    ({ size: this.layerSize, planes: this.planes } = this.#layout);
    this.#parts = parts;
    this.#shared = parts.shared ?? newShared(parts.memory, this);
    this.#shared.owners.add(this);
  }

  /** Whether this owner has called {@linkcode GraphicBuffer.close}. */
  get isClosed(): boolean {
    return !this.#open;
  }

  /**
   * Number of copies of the pixels since they were drawn, over all frames; 0 while producers draw directly into the
   * buffer. All owners see the same number.
   */
  get copies(): number {
    return this.#shared.copies;
  }

  /** Sets the number of copies. */
  set copies(count: number) {
    this.#shared.copies = count;
  }

  /** Returns another owner of the same buffer. The memory is freed when the last owner is closed. */
  retain(): GraphicBuffer {
    this.#require("share");
    const parts = { ...this.#parts, shared: this.#shared, layout: this.#layout, pixelFormat: this.pixelFormat };
    return new GraphicBuffer(this, parts);
  }

  /**
   * Returns all bytes, for reading and writing on the CPU until {@linkcode GraphicBuffer.unlock}; afterwards the view
   * is empty. `usage` says how the caller uses the bytes; without `usage`, in every way that the buffer allows. Intel's
   * X and Y tiles are shown as rows: a copy, which a lock for writing writes back at the end. Throws a
   * {@linkcode WsiError} `not-allowed` for a use that the buffer was not allocated for, for pixels in other tiles, and
   * for flexible YCbCr, whose layout is private: use {@linkcode GraphicBuffer.lockYCbCr}.
   */
  lock(usage: bigint = this.usage & CPU_USAGE): Uint8Array {
    if (this.pixelFormat.hal === FORMAT.YCBCR_420_888) {
      const message = `Cannot lock a ${
        shortName(this.pixelFormat)
      } buffer: use lockYCbCr(), which says where its planes are`;
      throw new WsiError("not-allowed", message);
    }
    const bytes = this.#lock(usage);
    // A driver that says how much it needs may leave out what follows the last row's pixels.
    return new Uint8Array(bytes, 0, Math.min(this.layerSize * this.layers, bytes.byteLength));
  }

  /**
   * Like {@linkcode GraphicBuffer.lock}, for formats with chroma planes: returns the places of the channels, and a view
   * of each channel.
   */
  lockYCbCr(usage: bigint = this.usage & CPU_USAGE): LockedYCbCr {
    const { ycbcr, size } = this.#ycbcr();
    return ycbcrViews(this.#lock(usage), ycbcr, size);
  }

  /** Fills the 80 bytes of a native `struct android_ycbcr` at an address, for a native caller of lockYCbCr. */
  writeAndroidYCbCr(to: bigint): void {
    writeAndroidYCbCr(to, this.memory.address, this.#ycbcr().ycbcr);
  }

  /** Ends a lock. Throws a {@linkcode WsiError} `not-allowed` if there is no lock. */
  unlock(): void {
    this.#require("unlock");
    if (this.#locks === 0) throw new WsiError("not-allowed", "Cannot unlock a buffer that its owner has not locked");
    this.#locks--;
    this.#shared.access.unlock();
  }

  /** Closes this owner and ends its locks. The last owner frees the memory. A second call does nothing. */
  close(): void {
    if (!this.#open) return;
    while (this.#locks > 0) this.unlock();
    this.#open = false;
    const { owners, access } = this.#shared;
    owners.delete(this);
    if (owners.size > 0) return;
    access.close();
    this.#parts.close();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #lock(usage: bigint): ArrayBuffer {
    this.#require("lock");
    const allowed = this.usage & CPU_USAGE;
    const reads = USAGE.CPU_READ_MASK, writes = USAGE.CPU_WRITE_MASK;
    const lacks = [reads, writes].some((mask) => (usage & mask) !== 0n && (allowed & mask) === 0n);
    if (lacks || (usage & CPU_USAGE) === 0n) {
      const message = `Cannot lock a buffer for usage 0x${usage.toString(16)}: it was allocated with 0x${
        this.usage.toString(16)
      }; ask for CPU_READ_OFTEN or CPU_WRITE_OFTEN then`;
      throw new WsiError("not-allowed", message);
    }
    const why = whyUnreadable(this);
    if (why) throw new WsiError("not-allowed", `Cannot lock buffer ${this.id}: ${why}`);
    this.#locks++;
    return this.#shared.access.lock(usage);
  }

  #ycbcr(): { ycbcr: NonNullable<Layout["ycbcr"]>; size: number } {
    this.#require("lock");
    const { ycbcr, size } = this.#layout;
    if (ycbcr) return { ycbcr, size };
    throw new WsiError("not-allowed", `Cannot lock a ${shortName(this.pixelFormat)} buffer as YCbCr: use lock()`);
  }

  #require(what: string): void {
    if (this.#open) return;
    throw new WsiError("closed", `Cannot ${what} buffer ${this.id}: it is closed; retain() it as long as it is used`);
  }
}
