/**
 * Native memory, libraries, calls and callbacks, without a line of C.
 *
 * At first use a small shared object is written, machine code and all, and
 * loaded from memory; through it native functions are called at the speed of
 * `Deno.dlopen`'s own symbols, whatever table or address they come from, and
 * call back safely from any thread. Needs `--allow-ffi`, nothing else.
 *
 * @example A function of the C library
 * ```ts ignore
 * import { invokeAddress, Library } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using libc = Library.open("libc.so.6");
 * assertEquals(invokeAddress(libc.require("getpid"), "s:", []), Deno.pid);
 * ```
 *
 * @module
 */
import "./image/assembler.ts";

export { Arena, arena } from "./arena.ts";
export { NativeBlock } from "./block.ts";
export { cstring, NameBlob, readCString } from "./cstring.ts";
export { type ElfFile, inspectElf } from "./library/elf_file.ts";
export {
  GraphicsError,
  type GraphicsErrorParts,
  NativeError,
  type NativeErrorCode,
  type NativeErrorOptions,
} from "./error.ts";
export { dumpGenerated } from "./generated_code.ts";
export { fetchLibrary, type FetchOptions } from "./fetch.ts";
export { hasFault, rethrowFault, takeFault, takeFaults } from "./error.ts";
export { configureImage, type ImageOptions, type LoadMethod } from "./image/load.ts";
export { invokeAddress } from "./invoke.ts";
export { Library, RTLD_GLOBAL, RTLD_LAZY, RTLD_NODELETE, RTLD_NOLOAD, RTLD_NOW } from "./library/library.ts";
export {
  acquire64,
  copyFromArena,
  copyMemory,
  copyToArena,
  exchange64,
  type FillTable,
  fillTable,
  peek16,
  peek32,
  peek64,
  peek8,
  poke16,
  poke32,
  poke64,
  poke8,
  publish64,
  threadId,
} from "./machine.ts";
export { CallRing, type CallRingOptions, type RingCaller, type RingRecord } from "./thunk/ring.ts";
export { parseSignature, type Signature } from "./signature.ts";
export { bindByAddress, bindByTable, declareSignatures, type NativeFunction } from "./stubs.ts";
export { createLookup, type Lookup } from "./functions/lookup.ts";
export { declareStamps, setLoaderDataAddress, stampAddress, type StampSpec } from "./functions/stamp.ts";
export type { CodeRange } from "./executable.ts";
export { createThunk, type Thunk, type ThunkOptions } from "./thunk/thunk.ts";
export { type ExportedFunctions, type ExportedLibrary, exportLibrary } from "./functions/exported.ts";
export type { CheckedTrampolineSpec, CheckText } from "./emit/emitter.ts";
export type { TableSet } from "./emit/layout.ts";
export type { HandleTexts } from "./functions/exported.ts";
