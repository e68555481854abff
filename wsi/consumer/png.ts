import { callback, checkOptions, either, number, oneOf, type OptionRules, typed } from "../../ffi/check_options.ts";
import { pathsOf, writeWithFolders } from "./file_pattern.ts";
import { CallbackConsumer } from "./frames.ts";
import type { FrameView } from "./frame_view.ts";
import { encodePng } from "./png_file.ts";
import { isDeep } from "./pixels/unpack.ts";

/**
 * The files of the pictures: a pattern of paths (see {@linkcode PngOptions.pattern}), or a function of the frame's
 * number.
 */
export type PngPattern = string | ((number: number) => string);

/** Settings of {@linkcode pngConsumer}; either `pattern` or `sink` is required. */
export interface PngOptions {
  /**
   * A path with the frame's number, such as `out/frame-%04d.png`; a folder, for `frame-0001.png` and so on; or one path
   * that ends in `.png`, for the last frame.
   */
  readonly pattern?: PngPattern;
  /** Gets the bytes of each file, instead of files being written. */
  readonly sink?: (bytes: Uint8Array, number: number) => void;
  /** Writes only every Nth frame, from the first on. Default 1. */
  readonly every?: number;
  /** Writes at most this number of frames. Default: all. */
  readonly limit?: number;
  /** Bits of a channel. With 16, formats of 8 bits still give files of 8 bits. Default 8. */
  readonly bitDepth?: 8 | 16;
}

const RULES: OptionRules<PngOptions> = {
  pattern: either(callback("makes a path of a frame's number"), typed('a path such as "out/frame-%04d.png"', "string")),
  sink: callback("takes a file's bytes"),
  every: number,
  limit: number,
  bitDepth: oneOf(8, 16),
};

/** A consumer that writes frames as PNG files. Made by {@linkcode pngConsumer}. */
export class PngConsumer extends CallbackConsumer {
  #keep: (bytes: Uint8Array, number: number) => void;
  #every: number;
  #limit: number;
  #bitDepth: number;
  #written = 0;
  #seen = 0;

  /** Use {@linkcode pngConsumer}. */
  constructor(options: PngOptions) {
    super((frame) => this.#show(frame));
    checkOptions("pngConsumer()", options, RULES);
    const { pattern, sink, every = 1, limit = Infinity, bitDepth = 8 } = options;
    if (!(every >= 1)) throw new RangeError(`Cannot keep every ${every}th frame: give a whole number from 1`);
    this.#keep = sink ?? fileSink(pattern);
    [this.#every, this.#limit, this.#bitDepth] = [every, limit, bitDepth];
  }

  /** Number of pictures written. */
  get written(): number {
    return this.#written;
  }

  #show(frame: FrameView): void {
    if (this.#seen++ % this.#every !== 0 || this.#written >= this.#limit) return;
    const isKeptDeep = this.#bitDepth === 16 && isDeep(frame.format);
    this.#keep(encodePng(isKeptDeep ? frame.toRgba16() : frame.toRgba()), frame.number);
    this.#written++;
  }
}

function fileSink(pattern: PngPattern | undefined): (bytes: Uint8Array, number: number) => void {
  if (pattern === undefined || pattern === "") {
    throw new TypeError('Cannot write pictures nowhere: give a pattern such as "out/frame-%04d.png", or a sink');
  }
  const path = typeof pattern === "string" ? pathsOf(pattern, ".png") : pattern;
  return (bytes, number) => writeWithFolders(path(number), bytes);
}

/**
 * Creates a consumer that writes frames as PNG files, in 8-bit sRGB with alpha, converted by {@linkcode convertPixels};
 * missing folders are created. The file is written inside the call that queues the frame; this call throws a WsiError
 * `write-failed` if the file cannot be written. Needs `--allow-write`.
 *
 * @example Each tenth frame
 * ```ts ignore
 * import { pngConsumer } from "@pumice/gfx/wsi";
 *
 * const consumer = pngConsumer({ pattern: "out/frame-%04d.png", every: 10 });
 * ```
 */
export function pngConsumer(options: PngPattern | PngOptions): PngConsumer {
  return new PngConsumer(typeof options === "object" ? options : { pattern: options });
}
