import { poke32, poke64 } from "../../ffi/machine.ts";
import type { YCbCrOffsets } from "./layout.ts";

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
export const ANDROID_YCBCR_SIZE = 80;

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
