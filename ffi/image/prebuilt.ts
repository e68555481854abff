import { SONAME } from "../emit/layout.ts";
import { NativeError } from "../error.ts";
import { Image, type ImageFile, uniqueName } from "./image.ts";

/** A shared object as `ffi/gen/` has it. The bytes are the same for each processor, except for the soname. */
export interface Prebuilt {
  /** The file up to the end of its code, in base64. */
  readonly head: string;
  /** The rest of the file, behind zeros, in base64. */
  readonly tail: string;
  /** Offset of the rest in the file. */
  readonly tailAt: number;
  /** Offset of the soname in the file, which is {@linkcode SONAME} there. */
  readonly sonameAt: number;
  /** Bytes of read-write data. */
  readonly dataSize: number;
  /** Distance from the read-write data to the code, in bytes. */
  readonly dataToCode: number;
  /** Offsets in the read-write data. */
  readonly slots: Readonly<Record<string, number>>;
  /** Exported functions, each `NAME OFFSET`, separated by blanks. */
  readonly functions: string;
}

/** The images made beforehand for a processor. */
export interface PrebuiltImages {
  /** The helpers, the stubs of all commands, the first callbacks and lookup functions. */
  readonly CORE: Prebuilt;
  /** More callbacks and lookup functions. */
  readonly POOL: Prebuilt;
  /** An image whose unloading tells that Deno takes leave of an isolate. */
  readonly LAST: Prebuilt;
  /** The terminators in the core image, each as `stampKey` returns it, separated by blanks. */
  readonly STAMPS: string;
}

/**
 * The images for the processor of this process; `undefined` if there are none.
 * Images of other processors are not loaded.
 */
export const PREBUILT: PrebuiltImages | undefined = Deno.build.arch === "x86_64"
  ? await import("../gen/images_x86_64_gen.js")
  : Deno.build.arch === "aarch64"
  ? await import("../gen/images_aarch64_gen.js")
  : undefined;

/** Loads a copy of an image; `undefined` if the system refuses emitted code. */
export function loadPrebuilt(prebuilt: Prebuilt): Image | undefined {
  return Image.load(prebuiltFile(prebuilt, uniqueName()));
}

/** Returns an image's file under a soname as long as {@linkcode SONAME}. */
export function prebuiltFile(prebuilt: Prebuilt, soname: string): ImageFile {
  const { tailAt, sonameAt, dataSize, dataToCode, functions } = prebuilt;
  const head = fromBase64(prebuilt.head), tail = fromBase64(prebuilt.tail);
  new TextEncoder().encodeInto(soname, head.subarray(sonameAt, sonameAt + SONAME.length));
  const words = functions.split(" "), offsets = new Map<string, number>();
  for (let index = 0; index < words.length; index += 2) offsets.set(words[index], Number(words[index + 1]));
  return { head, tail, tailAt, soname, dataSize, dataToCode, offsets };
}

/** Newer than the types of the oldest Deno that runs this package. */
const Bytes = Uint8Array as unknown as { fromBase64?(text: string): Uint8Array<ArrayBuffer> };

/**
 * The bytes that a text in base64 stands for. Every program that calls native
 * code comes through here first, so a Deno that is too old is told so here.
 *
 * @throws {NativeError} with code `"unsupported"` when this Deno is too old.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if (Bytes.fromBase64) return Bytes.fromBase64(text);
  throw new NativeError(
    "unsupported",
    `Cannot run on Deno ${Deno.version.deno}: Pumice needs Deno 2.5 or newer; run "deno upgrade"`,
  );
}
