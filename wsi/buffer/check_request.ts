import { WsiError } from "../error.ts";
import { type HalFormat, halFormatOf, NV12 } from "./hal_format.ts";
import { USAGE } from "./usage.ts";

/** The properties of a buffer to allocate. */
export interface BufferRequest {
  /** Pixels in a row; bytes for BLOB. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** One of `FORMAT`. */
  readonly format: number;
  /** Usage bits, including private ones. */
  readonly usage: bigint;
  /** Array layers. Default 1. */
  readonly layers?: number;
}

/** No row, no column and no buffer may be larger; sizes fit the signed ints that gralloc's users keep them in. */
const MOST_PIXELS = 65_535;
/** The largest buffer, in bytes. */
export const MOST_BYTES: number = 2 ** 31 - 4096;

/** The usage bits of GPUs. */
const GPU_USAGE: bigint = USAGE.GPU_TEXTURE | USAGE.GPU_RENDER_TARGET | USAGE.COMPOSER_CLIENT_TARGET;
const CPU = USAGE.CPU_READ_MASK | USAGE.CPU_WRITE_MASK;
const VIDEO = USAGE.VIDEO_ENCODER | USAGE.VIDEO_DECODER | USAGE.CAMERA_OUTPUT | USAGE.CAMERA_INPUT;

/** Formats no GPU is asked to use. */
const NOT_FOR_GPU = new Set(["RGB_888", "YCRCB_420_SP", "BLOB", "RAW10", "RAW12", "RAW_OPAQUE"]);
/** Formats whose width or height must be a multiple. */
const MULTIPLES: Readonly<Record<string, readonly [width: number, height: number]>> = {
  YV12: [2, 2],
  Y8: [2, 2],
  Y16: [2, 2],
  YCBCR_P010: [2, 2],
  YCBCR_422_I: [2, 1],
  RAW10: [4, 2],
  RAW12: [4, 2],
};

/**
 * Checks a request and returns its format; for IMPLEMENTATION_DEFINED, usage decides. Throws a {@linkcode WsiError}.
 */
export function checkRequest(request: BufferRequest): HalFormat {
  const format = halFormatOf(request.format);
  if (!format) {
    const found = `0x${(request.format >>> 0).toString(16)}`;
    throw new WsiError(
      "bad-format",
      `Cannot allocate a buffer of format ${found}: give a HAL_PIXEL_FORMAT of HAL_FORMATS`,
    );
  }
  checkSize(request, format);
  checkUsage(request.usage, format);
  if (format.arrangement !== "chosen") return format;
  return (request.usage & VIDEO) !== 0n && (request.usage & USAGE.GPU_RENDER_TARGET) === 0n ? NV12 : halFormatOf(1)!;
}

function checkSize({ width, height, layers = 1 }: BufferRequest, format: HalFormat): void {
  const short = shortName(format), isBlob = short === "BLOB", [across, down] = MULTIPLES[short] ?? [1, 1];
  const refuse = (what: string) => {
    throw new WsiError("bad-size", `Cannot allocate a ${short} buffer of ${width} x ${height} x ${layers}: ${what}`);
  };
  if (!isCount(width, isBlob ? MOST_BYTES : MOST_PIXELS)) {
    refuse(`give a width of 1 to ${isBlob ? MOST_BYTES : MOST_PIXELS}`);
  }
  if (!isCount(height, MOST_PIXELS)) refuse(`give a height of 1 to ${MOST_PIXELS}`);
  if (!isCount(layers, MOST_PIXELS)) refuse(`give 1 to ${MOST_PIXELS} layers`);
  if (isBlob && height !== 1) refuse("its width is a number of bytes; give a height of 1");
  if (width % across !== 0) refuse(`give a width that is a multiple of ${across}`);
  if (height % down !== 0) refuse(`give a height that is a multiple of ${down}`);
  if (layers > 1 && (format.planes > 1 || format.bytesPerPixel === 0)) refuse("only formats of one plane have layers");
}

function isCount(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

function checkUsage(usage: bigint, format: HalFormat): void {
  const short = shortName(format);
  const refuse = (what: string) => {
    throw new WsiError("bad-usage", `Cannot allocate a ${short} buffer for usage 0x${usage.toString(16)}: ${what}`);
  };
  if (typeof usage !== "bigint" || BigInt.asUintN(64, usage) !== usage) refuse("give bits of USAGE, 64 at most");
  if ((usage & USAGE.PROTECTED) !== 0n) refuse("there is no protected memory here; leave PROTECTED out");
  if (NOT_FOR_GPU.has(short) && (usage & GPU_USAGE) !== 0n) refuse("no GPU uses it; leave the GPU bits out");
  if (format.arrangement === "chosen" && (usage & CPU) !== 0n) refuse("the CPU cannot know its layout; name a format");
}

/** A format's name without the prefix. */
export function shortName(format: HalFormat): string {
  return format.name.replace("HAL_PIXEL_FORMAT_", "");
}
