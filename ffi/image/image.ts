/**
 * Emitted images: shared objects that the process writes, or that were written
 * beforehand, and that the dynamic linker loads like any other. `../emit/`
 * writes the functions, `../asm/elf.ts` the file, `load.ts` loads it.
 *
 * ```text
 *  the file                                  in memory
 *  0       ELF header, 4 segments          \
 *          .hash                            |
 *          .dynsym  the exported functions, |  read and execute, never written:
 *                   and pumice_data         |  all that changes is below
 *          .dynstr  names, last the soname  |
 *          relocations of imported          |
 *          functions, if there are any      |
 *  codeAt  functions, each on 16 bytes     /
 *          (zeros, which the system keeps no memory for)
 *  64 KiB  .dynamic                        \
 *  dataAt  (section names and headers       |  read and write, never executed:
 *          are here in the file only;       |  slots and records, which begin as
 *          in memory the data begins)      /   zeros; pumice_data is their address
 * ```
 *
 * Code finds data by its distance, so that the file needs no relocation and
 * can be the same for every process: `dataToCode` leads back from the data to
 * the functions. The second segment begins on a multiple of 64 KiB, the largest
 * page there is. On AArch64, code reaches 1 MiB.
 *
 * ```text
 *  the core image, one per isolate: functions       its data
 *  peek, poke, copy, readString, fillTable, invoke  the arena's address, memcpy, scratch
 *  the gate, takeLeave                              GATE, LEAVE
 *  t_SHAPE  call by dispatch table and offset       -
 *  a_SHAPE  call by address                         -
 *  instance_SHAPE, device_SHAPE  the same, checked  TABLE_SETS, the last table found
 *  stamps   terminators that store dispatch keys    -
 *  64 thunks, crossing                                 64 THUNK records, SPILL, the callback
 *  16 lookups                                       16 LOOKUP records
 * ```
 *
 * When its thunks or lookups run out, an isolate loads pool images, which have
 * nothing but the last two rows. Images with exported libraries or joined
 * drivers are assembled when they are needed. The soname is unique for each
 * loaded image: linkers take two objects of one name for one.
 *
 * @module
 */
import type { Emitter } from "../emit/emitter.ts";
import { DATA_SYMBOL, SONAME } from "../emit/layout.ts";
import { libc } from "../libc.ts";
import { foreignParameters, foreignResult, parseSignature } from "../signature.ts";
import { type Loaded, loadImage, reloadImage, unloadImage } from "./load.ts";

/** A native function as TypeScript calls it. The signature decides which numbers are `bigint`. */
// deno-lint-ignore no-explicit-any
export type NativeFunction = (...args: any[]) => any;

/** A shared object that is ready to be loaded. */
export interface ImageFile {
  /** The ELF file up to the end of its code. */
  readonly head: Uint8Array<ArrayBuffer>;
  /** The rest of the file, behind zeros. */
  readonly tail: Uint8Array<ArrayBuffer>;
  /** Offset of the rest in the file. */
  readonly tailAt: number;
  /** The soname, unique in the process. */
  readonly soname: string;
  /** Bytes of read-write data. */
  readonly dataSize: number;
  /** Distance from the read-write data to the code, in bytes. */
  readonly dataToCode: number;
  /** Offsets of the exported functions in the code, by name. */
  readonly offsets: ReadonlyMap<string, number>;
}

/**
 * Loaded machine code: its addresses, its data, its functions. The image stays
 * loaded until {@linkcode Image.unload} is called.
 */
export class Image {
  /** Address of the read-write data. */
  readonly dataAddress: bigint;
  /** The read-write data, as a view that stays valid. */
  readonly data: DataView<ArrayBuffer>;
  readonly #loaded: Loaded;
  #codeAddress: bigint;
  #offsets: ReadonlyMap<string, number>;
  /** The functions of {@linkcode Image.bindTogether}, by name. */
  readonly #bound = new Map<string, NativeFunction>();

  private constructor(loaded: Loaded, { dataSize, dataToCode, offsets }: ImageFile) {
    this.#loaded = loaded;
    this.dataAddress = libc().dlsym(loaded.handle, new TextEncoder().encode(DATA_SYMBOL + "\0"));
    this.#codeAddress = this.dataAddress + BigInt(dataToCode);
    this.#offsets = offsets;
    const pointer = Deno.UnsafePointer.create(this.dataAddress)!;
    this.data = new DataView(Deno.UnsafePointerView.getArrayBuffer(pointer, Math.max(dataSize, 8)) as ArrayBuffer);
  }

  /** Loads a shared object; `undefined` if the system refuses emitted code. */
  static load(file: ImageFile): Image | undefined {
    const loaded = loadImage(file);
    return loaded && new Image(loaded, file);
  }

  /** The path under which `Deno.dlopen` finds the library. */
  get path(): string {
    return this.#loaded.path;
  }

  /** The dynamic linker's handle. */
  get handle(): bigint {
    return this.#loaded.handle;
  }

  /** Gives the image back to the dynamic linker. Returns `false` if others hold the image, which then stays usable. */
  unload(): boolean {
    return unloadImage(this.#loaded, this.dataAddress);
  }

  /** Opens an unloaded image again. Returns `false` if the image is gone and must not be used any more. */
  reload(): boolean {
    return reloadImage(this.#loaded, this.dataAddress);
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

  /** Binds an exported function. Each call compiles the binding again (about 0.1 ms), so keep the result. */
  bind(name: string, signature: string, extra?: "u32" | "u64"): NativeFunction {
    return this.#bound.get(name) ?? this.#bindAll({ [name]: foreignFunction(signature, extra) })[name];
  }

  /**
   * Binds exported functions, each by its signature, in half the time that it
   * takes one by one. {@linkcode Image.bind} returns them.
   */
  bindTogether(signatures: Readonly<Record<string, string>>): void {
    const wanted = Object.entries(signatures).map(([name, signature]) => [name, foreignFunction(signature)] as const);
    const functions = this.#bindAll(Object.fromEntries(wanted));
    for (const name in functions) this.#bound.set(name, functions[name]);
  }

  #bindAll(wanted: Readonly<Record<string, Deno.ForeignFunction>>): Readonly<Record<string, NativeFunction>> {
    const library = Deno.dlopen(this.path, wanted);
    // A bound function needs its code, which our own handle keeps mapped, but not Deno's library object.
    library.close();
    return library.symbols as unknown as Readonly<Record<string, NativeFunction>>;
  }
}

function foreignFunction(signature: string, extra?: "u32" | "u64"): Deno.ForeignFunction {
  const shape = parseSignature(signature), parameters = foreignParameters(shape);
  if (extra) parameters.push(extra);
  return { parameters, result: foreignResult(shape) };
}

/**
 * Returns a name that no isolate of the process has used. Android finds images
 * by this name alone. The name is as long as {@linkcode SONAME}.
 */
export function uniqueName(): string {
  return SONAME.replace(
    /0+/,
    (zeros) => Math.random().toString(36).slice(2, 2 + zeros.length).padEnd(zeros.length, "0"),
  );
}

/** Writes machine code while the process runs; see `assembler.ts`. */
interface Assembler {
  /** Makes an empty emitter for the processor that this process runs on. */
  emitter(): Emitter;
  /** Writes the emitter's code as a shared object. */
  write(emitter: Emitter, soname: string): ImageFile;
}

let assembler: Assembler | undefined;

/** Enables the emission of machine code from now on. */
export function useAssembler(using: Assembler): void {
  assembler = using;
}

/** Returns an emitter for the processor of this process; `undefined` if no assembler is loaded. */
export function emitterForThisMachine(): Emitter | undefined {
  return assembler?.emitter();
}

/** Loads the emitter's code; `undefined` if the system refuses emitted code. */
export function loadEmitted(emitter: Emitter, soname: string = uniqueName()): Image | undefined {
  return Image.load(assembler!.write(emitter, soname));
}
