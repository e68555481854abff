import { DATA_SYMBOL, SONAME } from "../emit/layout.ts";
import { libc } from "../libc.ts";
import { foreignParameters, foreignResult, parseSignature } from "../signature.ts";
import { type Loaded, loadImage, reloadImage, unloadImage } from "./load.ts";

/** A native function as TypeScript calls it. Which numbers are `bigint` is up to its signature. */
// deno-lint-ignore no-explicit-any
export type NativeFunction = (...args: any[]) => any;

/** A shared object that is ready to be loaded. */
export interface ImageFile {
  /** The ELF file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its name among all that the process has loaded. */
  readonly soname: string;
  /** Bytes of read-write data. */
  readonly dataSize: number;
  /** From the read-write data to the code, in bytes. */
  readonly dataToCode: number;
  /** Where exported functions begin in the code, by name. */
  readonly offsets: ReadonlyMap<string, number>;
}

/** Machine code that is loaded: its addresses, its data, its functions. Stays loaded unless {@linkcode Image.unload} is called. */
export class Image {
  /** Address of the read-write data. */
  readonly dataAddress: bigint;
  /** The read-write data, seen for good. */
  readonly data: DataView<ArrayBuffer>;
  readonly #loaded: Loaded;
  #codeAddress: bigint;
  #offsets: ReadonlyMap<string, number>;

  private constructor(loaded: Loaded, { dataSize, dataToCode, offsets }: ImageFile) {
    this.#loaded = loaded;
    this.dataAddress = libc().dlsym(loaded.handle, new TextEncoder().encode(DATA_SYMBOL + "\0"));
    this.#codeAddress = this.dataAddress + BigInt(dataToCode);
    this.#offsets = offsets;
    const pointer = Deno.UnsafePointer.create(this.dataAddress)!;
    this.data = new DataView(Deno.UnsafePointerView.getArrayBuffer(pointer, Math.max(dataSize, 8)) as ArrayBuffer);
  }

  /** Loads a shared object; `undefined` when the system refuses code of ours. */
  static load(file: ImageFile): Image | undefined {
    const loaded = loadImage(file.bytes, file.soname);
    return loaded && new Image(loaded, file);
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

  /** Whether a function of this name is exported. */
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

/** Unique in the process, whatever other isolates do: Android finds images by this name alone. As long as {@linkcode SONAME}. */
export function uniqueName(): string {
  return SONAME.replace(
    /0+/,
    (zeros) => Math.random().toString(36).slice(2, 2 + zeros.length).padEnd(zeros.length, "0"),
  );
}
