import { DATA_SYMBOL, writeElf } from "../asm/elf.ts";
import type { Emitter } from "../emit/emitter.ts";
import { emitterFor } from "../emit/emitter_for.ts";
import { libc } from "../libc.ts";
import { foreignParameters, foreignResult, parseSignature } from "../signature.ts";
import { type Loaded, loadImage, reloadImage, unloadImage } from "./load.ts";

/** A native function as TypeScript calls it. Which numbers are `bigint` is up to its signature. */
// deno-lint-ignore no-explicit-any
export type NativeFunction = (...args: any[]) => any;

/** Emitted code that is loaded: its addresses, its data, its functions. Stays loaded unless {@linkcode Image.unload} is called. */
export class Image {
  /** Address of the read-write data. */
  readonly dataAddress: bigint;
  /** The read-write data, seen for good. */
  readonly data: DataView<ArrayBuffer>;
  readonly #loaded: Loaded;
  #codeAddress: bigint;
  #offsets: Map<string, number>;

  private constructor(loaded: Loaded, emitter: Emitter, dataToCode: number) {
    const { code } = emitter;
    this.#loaded = loaded;
    this.dataAddress = libc().dlsym(loaded.handle, new TextEncoder().encode(DATA_SYMBOL + "\0"));
    this.#codeAddress = this.dataAddress + BigInt(dataToCode);
    this.#offsets = new Map(code.exported.map(({ name, offset }) => [name, offset]));
    const pointer = Deno.UnsafePointer.create(this.dataAddress)!;
    this.data = new DataView(Deno.UnsafePointerView.getArrayBuffer(pointer, Math.max(code.dataSize, 8)) as ArrayBuffer);
  }

  /** Writes what the emitter holds as a shared object and loads it; `undefined` when the system refuses emitted code. */
  static load(emitter: Emitter, soname: string = uniqueName()): Image | undefined {
    emitter.code.reserve(8);
    const elf = writeElf(emitter.code, soname);
    const loaded = loadImage(elf.bytes, soname);
    return loaded && new Image(loaded, emitter, elf.codeAt - elf.dataAt);
  }

  /** What `Deno.dlopen` finds it under. */
  get path(): string {
    return this.#loaded.path;
  }

  /** The dynamic linker's handle. */
  get handle(): bigint {
    return this.#loaded.handle;
  }

  /** Gives the image back to the dynamic linker; `false` if others hold it, so that it stays usable. */
  unload(): boolean {
    return unloadImage(this.#loaded);
  }

  /** Takes hold again of an image that was given back; `false` if it is gone, and must not be used any more. */
  reload(): boolean {
    return reloadImage(this.#loaded);
  }

  /** Address of an exported function. */
  address(name: string): bigint {
    const offset = this.#offsets.get(name);
    if (offset === undefined) throw new RangeError(`Cannot find "${name}" in the emitted image: it was not declared`);
    return this.#codeAddress + BigInt(offset);
  }

  /** Whether a function of this name was emitted. */
  has(name: string): boolean {
    return this.#offsets.has(name);
  }

  /** Binds an exported function. Each call compiles anew (about 0.1 ms): keep the result. */
  bind(name: string, signature: string, extra?: "u32" | "u64"): NativeFunction {
    const shape = parseSignature(signature);
    const parameters = foreignParameters(shape);
    if (extra) parameters.push(extra);
    const library = Deno.dlopen(this.path, { [name]: { parameters, result: foreignResult(shape) } });
    // A bound function needs its code, which our own handle keeps mapped, but not Deno's library object.
    library.close();
    return library.symbols[name] as NativeFunction;
  }
}

/** A writer for the machine this process runs on; `undefined` if there is none. */
export function emitterForThisMachine(): Emitter | undefined {
  return emitterFor(Deno.build.arch);
}

/** Unique in the process, whatever other isolates do: Android finds images by this name alone. */
function uniqueName(): string {
  return `libpumice-${Math.random().toString(36).slice(2)}.so`;
}
