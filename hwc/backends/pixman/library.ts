import { NativeError } from "../../../ffi/error.ts";
import { Library, RTLD_NOW } from "../../../ffi/library/library.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { CompositionError } from "../backend.ts";

/** Functions of libyuv that are called, and their signatures. */
export const YUV_FUNCTIONS = {
  Android420ToARGBMatrix: "s:qsqsqssqsqss",
  I422ToARGBMatrix: "s:qsqsqsqsqss",
  I444ToARGBMatrix: "s:qsqsqsqsqss",
} as const;

/** One of {@linkcode YUV_FUNCTIONS}. */
export type YuvFunction = keyof typeof YUV_FUNCTIONS;

/** The used functions of pixman and libyuv, each bound once. */
export interface PixelLibraries {
  /** `pixman_image_t *pixman_image_create_bits_no_clear(format, width, height, bits, rowstride)`. */
  createBits(format: number, width: number, height: number, bits: bigint, pitch: number): bigint;
  /** `pixman_image_t *pixman_image_create_solid_fill(const pixman_color_t *)`. */
  createSolid(color: bigint): bigint;
  /** `pixman_bool_t pixman_image_set_transform(image, const pixman_transform_t *)`. */
  setTransform(image: bigint, transform: bigint): number;
  /** `pixman_bool_t pixman_image_set_filter(image, filter, params, n_params)`. */
  setFilter(image: bigint, filter: number): number;
  /** `void pixman_image_set_repeat(image, repeat)`. */
  setRepeat(image: bigint, repeat: number): void;
  /** `pixman_bool_t pixman_image_unref(image)`. */
  unref(image: bigint): void;
  /** `void pixman_image_composite32(op, src, mask, dest, src_x, src_y, mask_x, mask_y, dest_x, dest_y, width, height)`. */
  composite(op: number, source: bigint, mask: bigint, target: bigint, at: readonly number[]): void;
  /** Whether libyuv is loaded and has this function. */
  hasYuv(name: YuvFunction): boolean;
  /** Calls it. */
  callYuv(name: YuvFunction, args: readonly (bigint | number)[]): void;
  /** Gives the libraries back. */
  close(): void;
}

/** Opens `libpixman-1.so.0`, and `libyuv.so.0` if the machine has it. Throws a `CompositionError` `missing-library`. */
export function openPixelLibraries(): PixelLibraries {
  const pixman = open("libpixman-1.so.0");
  if (!pixman) {
    const advice = 'install it (Debian: libpixman-1-0), or use the backend "ts"';
    throw new CompositionError("missing-library", `Cannot open libpixman-1.so.0: ${advice}`);
  }
  const libyuv = open("libyuv.so.0"), of = (name: string) => pixman.require(name);
  const addresses = {
    bits: of("pixman_image_create_bits_no_clear"),
    solid: of("pixman_image_create_solid_fill"),
    transform: of("pixman_image_set_transform"),
    filter: of("pixman_image_set_filter"),
    repeat: of("pixman_image_set_repeat"),
    unref: of("pixman_image_unref"),
    composite: of("pixman_image_composite32"),
  };
  const found = new Map<string, bigint>();
  const yuv = (name: string) => {
    if (!found.has(name)) found.set(name, libyuv?.find(name) ?? 0n);
    return found.get(name)!;
  };
  const bind = (signature: string) => bindByAddress(signature);
  const bits = bind("q:wssqs"), one = bind("q:q"), two = bind("s:qq"), filter = bind("s:qwqs");
  const repeat = bind("v:qw"), unref = bind("s:q"), composite = bind("v:wqqqssssssss");
  return {
    createBits: (format, width, height, at, pitch) =>
      bits(format >>> 0, width, height, at, pitch, addresses.bits) as bigint,
    createSolid: (color) => one(color, addresses.solid) as bigint,
    setTransform: (image, transform) => two(image, transform, addresses.transform) as number,
    setFilter: (image, kind) => filter(image, kind >>> 0, 0n, 0, addresses.filter) as number,
    setRepeat: (image, kind) => void repeat(image, kind >>> 0, addresses.repeat),
    unref: (image) => void unref(image, addresses.unref),
    composite: (op, source, mask, target, [sx, sy, dx, dy, width, height]) =>
      void composite(op >>> 0, source, mask, target, sx, sy, 0, 0, dx, dy, width, height, addresses.composite),
    hasYuv: (name) => yuv(name) !== 0n,
    callYuv: (name, args) => void bindByAddress(YUV_FUNCTIONS[name])(...args, yuv(name)),
    close() {
      pixman.close();
      libyuv?.close();
    },
  };
}

function open(name: string): Library | undefined {
  try {
    return Library.open(name, RTLD_NOW);
  } catch (error) {
    if (error instanceof NativeError) return undefined;
    throw error;
  }
}
