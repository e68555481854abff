import { callback, checkOptions, oneOf, type OptionRules, text } from "../check_options.ts";

/**
 * How the emitted image reaches the dynamic linker, best first: an anonymous
 * memory file; the same file, handed to Android's linker as a descriptor; a
 * temporary file; or not at all, so that every call goes through
 * `Deno.UnsafeFnPointer` (correct, but a hundred times slower).
 */
export type ImageRoad = "memfd" | "android" | "file" | "pointer";

/** Settings of {@linkcode configureImage}. */
export interface ImageOptions {
  /** The only road to try. Default: the best one that works. */
  road?: ImageRoad;
  /** Called once, with a sentence, if a slower road than usual is taken. Default: no messages. */
  log?: (message: string) => void;
  /** Library that exports `android_dlopen_ext`. Default `libdl.so`. */
  linker?: string;
}

const RULES: OptionRules<ImageOptions> = {
  road: oneOf("memfd", "android", "file", "pointer"),
  log: callback("takes a sentence"),
  linker: text("the path of a library"),
};

let options: ImageOptions = {};
let used = false;

/**
 * Chooses how emitted code is loaded. Call this function before the first
 * native call. Later calls throw, because loaded code cannot be moved.
 */
export function configureImage(settings: ImageOptions): void {
  checkOptions("configureImage()", settings, RULES);
  if (used && settings.road) {
    throw new TypeError(
      "Cannot choose the road of the emitted image: it is loaded already; call configureImage() first",
    );
  }
  options = { ...options, ...settings };
}

/** Returns the settings in force. From then on the road is fixed. */
export function imageOptions(): Readonly<ImageOptions> {
  used = true;
  return options;
}

let said = false;

/** Reports once that a slower road is taken, and why. */
export function sayRoad(message: string): void {
  if (said) return;
  said = true;
  options.log?.(message);
}
