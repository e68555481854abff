import type { BufferRequest } from "./check_request.ts";
import type { HalFormat } from "./hal_format.ts";
import type { MemoryKind } from "./memory.ts";
import { USAGE } from "./usage.ts";

/** A part of a buffer with rows of its own. */
export interface LayoutPlane {
  /** Offset of the plane from the buffer's first byte. */
  readonly offset: number;
  /** Bytes from one row to the next. */
  readonly rowPitch: number;
  /** Bytes of a row without padding. */
  readonly rowBytes: number;
  /** Number of rows. */
  readonly rows: number;
}

/** The places of Y, Cb and Cr in a buffer: offsets where `android_ycbcr` has addresses. */
export interface YCbCrOffsets {
  /** Offset of the first sample of Y, in bytes. */
  readonly y: number;
  /** Offset of the first sample of Cb, in bytes. */
  readonly cb: number;
  /** Offset of the first sample of Cr, in bytes. */
  readonly cr: number;
  /** Bytes from one row of Y to the next. */
  readonly ystride: number;
  /** Bytes from one row of Cb or Cr to the next. */
  readonly cstride: number;
  /** Bytes from one sample of Cb or Cr to the next. */
  readonly chromaStep: number;
}

/** The layout of a buffer in memory. */
export interface Layout {
  /** The public `stride`: in pixels, or in bytes for formats without pixels. */
  readonly stride: number;
  /** Bytes from one row to the next of the first plane. */
  readonly rowPitch: number;
  /** Bytes of one array layer. */
  readonly size: number;
  /** The planes of the first layer, in the order of their offsets. */
  readonly planes: readonly LayoutPlane[];
  /** The places of the channels, for formats with chroma planes. */
  readonly ycbcr?: YCbCrOffsets;
}

/** Bytes that rows are a multiple of where nothing else is asked: a cache line, as most drivers have it. */
const ROW_ALIGNMENT = 64;

/** Rounds up to a multiple. */
export function align(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}

/** Returns the offset after a plane's last byte, without padding. */
export function endOf({ offset, rowPitch, rowBytes, rows }: LayoutPlane): number {
  return offset + rowPitch * (rows - 1) + rowBytes;
}

/**
 * Computes the layout of a format. The caller can choose the row pitch of a format with one plane.
 *
 * @example
 * ```ts
 * import { FORMAT, halFormatOf, layOut } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const { planes: [plane] } = layOut(halFormatOf(FORMAT.RGBA_8888)!, 5, 2);
 * assertEquals([plane.rowBytes, plane.rowPitch, plane.rows], [20, 64, 2]);
 * ```
 */
export function layOut(format: HalFormat, width: number, height: number, rowPitch?: number): Layout {
  switch (format.arrangement) {
    case "chosen":
      throw new TypeError(`Cannot lay out ${format.name}: usage decides what it is; see checkRequest()`);
    case "packed":
      return packed(format.bytesPerPixel, width, height, rowPitch);
    case "bytes":
      return rowsOf(width, height, rowPitch ?? width, 1);
    case "raw10":
      return rowsOf(width * 10 / 8, height, rowPitch ?? align(width * 10 / 8, ROW_ALIGNMENT), 1);
    case "raw12":
      return rowsOf(width * 12 / 8, height, rowPitch ?? align(width * 12 / 8, ROW_ALIGNMENT), 1);
    case "yv12":
      return yv12(width, height);
    case "i420":
      return planar(width, height, 2, 2);
    case "i422":
      return planar(width, height, 2, 1);
    case "i444":
      return planar(width, height, 1, 1);
    default:
      return semiplanar(format, width, height);
  }
}

/** Whole pixels in each row, also of three bytes. */
function packed(bytes: number, width: number, height: number, rowPitch?: number): Layout {
  const pixels = bytes === 3 ? ROW_ALIGNMENT : ROW_ALIGNMENT / bytes;
  return rowsOf(width * bytes, height, rowPitch ?? align(width, pixels) * bytes, bytes);
}

function rowsOf(rowBytes: number, rows: number, rowPitch: number, unit: number): Layout {
  const planes = [{ offset: 0, rowPitch, rowBytes, rows }];
  return { stride: rowPitch / unit, rowPitch, size: rowPitch * rows, planes };
}

/** Android's own rules, to the byte: V before U, rows a multiple of 16. */
function yv12(width: number, height: number): Layout {
  const ystride = align(width, 16), cstride = align(ystride / 2, 16);
  const { ycbcr, ...layout } = threePlanes(luma(ystride, width, height), cstride, width / 2, height / 2);
  return { ...layout, ycbcr: { ...ycbcr!, cb: ycbcr!.cr, cr: ycbcr!.cb } };
}

/** Y, Cb and Cr one after the other; `across` and `down` say how many pixels share a chroma sample. */
function planar(width: number, height: number, across: number, down: number): Layout {
  const ystride = align(width, ROW_ALIGNMENT), rows = Math.ceil(height / down);
  return threePlanes(luma(ystride, width, height), ystride / across, Math.ceil(width / across), rows);
}

function threePlanes(first: LayoutPlane, cstride: number, rowBytes: number, rows: number): Layout {
  const { rowPitch: ystride } = first, cb = ystride * first.rows, cr = cb + cstride * rows;
  const chroma = [cb, cr].map((offset) => ({ offset, rowPitch: cstride, rowBytes, rows }));
  return {
    stride: ystride,
    rowPitch: ystride,
    size: cr + cstride * rows,
    planes: [first, ...chroma],
    ycbcr: { y: 0, cb, cr, ystride, cstride, chromaStep: 1 },
  };
}

/** Y, then Cb and Cr in turns; Cr first in NV21. */
function semiplanar(format: HalFormat, width: number, height: number): Layout {
  const { arrangement, bytesPerPixel: bytes } = format;
  const rowPitch = align(width * bytes, ROW_ALIGNMENT), rows = arrangement === "nv16" ? height : Math.ceil(height / 2);
  const chroma = rowPitch * height, first = chroma, second = chroma + bytes;
  const [cb, cr] = arrangement === "nv21" ? [second, first] : [first, second];
  const pairs = { offset: chroma, rowPitch, rowBytes: 2 * Math.ceil(width / 2) * bytes, rows };
  return {
    stride: rowPitch / bytes,
    rowPitch,
    size: chroma + rowPitch * rows,
    planes: [luma(rowPitch, width * bytes, height), pairs],
    ycbcr: { y: 0, cb, cr, ystride: rowPitch, cstride: rowPitch, chromaStep: 2 * bytes },
  };
}

function luma(rowPitch: number, rowBytes: number, rows: number): LayoutPlane {
  return { offset: 0, rowPitch, rowBytes, rows };
}

/** The layout that a driver needs for a buffer. */
export interface BufferLayout {
  /** Bytes from one row to the next. */
  readonly rowPitch: number;
  /** Total size in bytes. */
  readonly size: number;
  /**
   * The kind of memory: a memfd that can be shared, anonymous memory of this process, or a dma-buf if the machine has
   * any. Default: the kind that the usage bits ask for.
   */
  readonly memory?: MemoryKind;
  /** The layout of the pixels: one of `MODIFIER`, or another DRM format modifier. Default LINEAR. */
  readonly modifier?: bigint;
}

/** Asks a driver for a layout. Returns `undefined` if gralloc's own layout will do. */
export type LayoutRule = (request: BufferRequest) => BufferLayout | undefined;

/** First usage bit of a rule's number, and the largest number. */
const FIRST_BIT = 33n, MOST = USAGE.LAYOUT_RULE_MASK >> FIRST_BIT;
const rules = new Map<bigint, LayoutRule>();
let last = 0n;

/**
 * Registers a rule with gralloc. Returns usage bits that no other rule has, within {@linkcode USAGE.LAYOUT_RULE_MASK}:
 * the rule lays out every buffer that is requested with these bits. `forget` unregisters the rule.
 *
 * @example
 * ```ts
 * import { allocateBuffer, FORMAT, registerLayout, USAGE } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const rule = registerLayout(({ height }) => ({ rowPitch: 256, size: 256 * height }));
 * {
 *   const usage = USAGE.CPU_READ_OFTEN | rule.usage;
 *   using buffer = allocateBuffer({ width: 4, height: 2, format: FORMAT.RGBA_8888, usage });
 *   assertEquals(buffer.rowPitch, 256);
 * }
 * rule.forget();
 * ```
 */
export function registerLayout(rule: LayoutRule): { readonly usage: bigint; forget(): void } {
  do last = last % MOST + 1n; while (rules.has(last));
  const id = last;
  rules.set(id, rule);
  return { usage: id << FIRST_BIT, forget: () => void rules.delete(id) };
}

/** The rule that usage bits name. The vendor's bits name none: drivers with native buffers of their own have meanings for those. */
export function layoutRuleOf(usage: bigint): LayoutRule | undefined {
  return rules.get((usage & USAGE.LAYOUT_RULE_MASK) >> FIRST_BIT);
}
