import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { MODIFIER, modifierName } from "../../wsi/buffer/modifier.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { layOut } from "../../wsi/buffer/layout.ts";
import { FORMAT } from "../types.ts";

/** The storage of a surface's pixels. */
export type PixelKind =
  | "rgba8888"
  | "rgbx8888"
  | "bgra8888"
  | "rgb888"
  | "rgb565"
  | "rgba1010102"
  | "rgba-fp16"
  | "r8"
  | "y8"
  | "yuv";

/** Byte offsets of the samples of a YUV surface. */
export interface YuvPlanes {
  /** Offset of the first sample of each channel. */
  readonly y: number;
  readonly cb: number;
  readonly cr: number;
  /** From row to row. */
  readonly ystride: number;
  readonly cstride: number;
  /** From sample to sample. */
  readonly ystep: number;
  readonly cstep: number;
  /** Pixels that share a chroma sample, across and down, as powers of two. */
  readonly shiftX: number;
  readonly shiftY: number;
  /** Samples of 16 bits whose top 10 count. */
  readonly wide: boolean;
}

/** Pixels in memory: plain data, so that it can be sent to other threads. */
export interface Surface {
  /** Address of the first byte. */
  readonly address: bigint;
  /** Bytes that may be touched. */
  readonly size: number;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** Bytes from row to row. */
  readonly pitch: number;
  /** The storage of the pixels. */
  readonly kind: PixelKind;
  /** For YUV. */
  readonly yuv?: YuvPlanes;
  /** Whether only protected targets may read the surface. */
  readonly isProtected: boolean;
}

const KINDS: Readonly<Record<number, PixelKind>> = {
  0x1: "rgba8888",
  0x2: "rgbx8888",
  0x3: "rgb888",
  0x4: "rgb565",
  0x5: "bgra8888",
  0x16: "rgba-fp16",
  0x2b: "rgba1010102",
  0x38: "r8",
  0x20203859: "y8",
};
const SHIFTS: Readonly<Record<string, readonly [number, number]>> = {
  i420: [1, 1],
  yv12: [1, 1],
  nv12: [1, 1],
  nv21: [1, 1],
  p010: [1, 1],
  nv16: [1, 0],
  i422: [1, 0],
  i444: [0, 0],
};

/** Kinds with an alpha channel. */
const WITH_ALPHA: ReadonlySet<PixelKind> = new Set(["rgba8888", "bgra8888", "rgba1010102", "rgba-fp16"]);

/** Whether pixels of a kind have alpha; the others are opaque. */
export function hasAlpha(kind: PixelKind): boolean {
  return WITH_ALPHA.has(kind);
}

/** The pixels of a buffer; a sentence if nothing here reads its format, or it is closed. */
export function surfaceOf(buffer: GraphicBuffer): Surface | string {
  if (buffer.isClosed) return "its buffer is closed";
  if (buffer.modifier !== MODIFIER.LINEAR) {
    return `its pixels lie in ${modifierName(buffer.modifier)}; give linear rows`;
  }
  const { pixelFormat: { hal, name, arrangement }, width, height, rowPitch: pitch, memory, usage } = buffer;
  const yuv = yuvOf(buffer), kind = yuv ? "yuv" : arrangement === "packed" ? KINDS[hal] : undefined;
  if (!kind) return `${name} has no pixels to compose`;
  const isProtected = (usage & USAGE.PROTECTED) !== 0n;
  return { address: memory.address, size: memory.size, width, height, pitch, kind, yuv, isProtected };
}

function yuvOf({ pixelFormat, width, height, rowPitch }: GraphicBuffer): YuvPlanes | undefined {
  const { hal, arrangement } = pixelFormat;
  if (hal === FORMAT.YCBCR_422_I) {
    const strides = { ystride: rowPitch, cstride: rowPitch };
    return { y: 0, cb: 1, cr: 3, ...strides, ystep: 2, cstep: 4, shiftX: 1, shiftY: 0, wide: false };
  }
  const shifts = SHIFTS[arrangement];
  if (!shifts) return undefined;
  const { y, cb, cr, ystride, cstride, chromaStep } = layOut(pixelFormat, width, height).ycbcr!;
  const wide = arrangement === "p010";
  const [shiftX, shiftY] = shifts;
  return { y, cb, cr, ystride, cstride, ystep: wide ? 2 : 1, cstep: chromaStep, shiftX, shiftY, wide };
}

/** All bytes of a surface. Good until its memory is given back. */
export function bytesOf({ address, size }: Surface): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size) as ArrayBuffer,
  );
}
