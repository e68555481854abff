import type { Code } from "../asm/code.ts";
import type { CheckedTrampolineSpec, CheckSlots } from "../emit/emitter.ts";
import { coreImage } from "../image/core.ts";
import { emitterForThisMachine, type Image, loadEmitted } from "../image/image.ts";
import { libcAddress } from "../libc.ts";

/** The functions that {@linkcode exportLibrary} exports. */
export interface ExportedFunctions {
  /** The name by which other code opens or links the library, such as `libvulkan.so.1`. Default: a unique name. */
  readonly soname?: string;
  /** Functions that jump through the dispatch table of their first argument, each with its byte offset in the table. */
  readonly trampolines?: Iterable<readonly [name: string, tableOffset: number]>;
  /** The same for first arguments that may be NULL. With NULL, nothing is called and the result is 0. */
  readonly nullableTrampolines?: Iterable<readonly [name: string, tableOffset: number]>;
  /**
   * The same for first arguments that may be anything. An argument that is not
   * a handle of this package ends the process with a message.
   */
  readonly checkedTrampolines?: { readonly texts: HandleTexts; readonly specs: Iterable<CheckedTrampolineSpec> };
  /** Functions that jump to an address. {@linkcode ExportedLibrary.set} changes the address. */
  readonly slots?: Iterable<readonly [name: string, address: bigint]>;
}

/** A shared object in this process that native code finds by its soname. The object stays until it is unloaded. */
export interface ExportedLibrary {
  /** The path under which `Deno.dlopen` finds the library. */
  readonly path: string;
  /** The dynamic linker's handle. */
  readonly handle: bigint;
  /** Address of an exported function. Throws a `RangeError` if there is none. */
  address(name: string): bigint;
  /** Changes the address that a slot's function jumps to. Throws a `RangeError` if there is no such slot. */
  set(name: string, address: bigint): void;
  /**
   * Gives the library back to the dynamic linker. Returns `false` if native
   * code holds the library: then the library stays usable, and its soname still
   * leads to it. After `true`, none of its addresses may be called and no slot
   * may be set.
   */
  unload(): boolean;
  /** Opens the library again after {@linkcode ExportedLibrary.unload}. Returns `false` if the library is gone. */
  reload(): boolean;
}

/**
 * Makes a shared object that other native code in this process gets when that
 * code opens or links `soname`. If a library of the name is loaded already, the
 * dynamic linker keeps the loaded one. Calling a slot's function whose address
 * is 0n ends the process. Returns `undefined` where emitted code cannot be
 * used.
 *
 * @example
 * ```ts
 * import { createThunk, exportLibrary } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using seven = createThunk("w:", () => 7);
 * const library = exportLibrary({ soname: "libexample_seven.so", slots: [["seven", seven.address]] })!;
 * const opened = Deno.dlopen(library.path, { seven: { parameters: [], result: "u32" } });
 * assertEquals(opened.symbols.seven(), 7);
 * opened.close();
 * ```
 */
export function exportLibrary(spec: ExportedFunctions): ExportedLibrary | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  const slots = new Map<string, number>();
  for (const [name, offset] of spec.trampolines ?? []) emitter.trampoline(name, offset);
  for (const [name, offset] of spec.nullableTrampolines ?? []) emitter.nullableTrampoline(name, offset);
  const checks = spec.checkedTrampolines && reserveChecks(emitter.code);
  if (checks) {
    const paths = emitter.checkPaths(checks);
    for (const each of spec.checkedTrampolines!.specs) emitter.checkedTrampoline(each, checks, paths);
  }
  for (const [name] of spec.slots ?? []) {
    slots.set(name, emitter.code.reserve());
    emitter.slotJump(name, slots.get(name)!);
  }
  const image = loadEmitted(emitter, spec.soname);
  if (!image) return;
  if (checks) connectChecks(image, checks, spec.checkedTrampolines!.texts);
  const set = (name: string, address: bigint) => {
    const slot = slots.get(name);
    if (slot === undefined) {
      throw new RangeError(`Cannot set "${name}" of "${spec.soname ?? image.path}": it is not one of its slots`);
    }
    image.data.setBigUint64(slot, address, true);
  };
  for (const [name, address] of spec.slots ?? []) set(name, address);
  return {
    path: image.path,
    handle: image.handle,
    address: (name) => image.address(name),
    set,
    unload: () => image.unload(),
    reload: () => image.reload(),
  };
}

/** Texts in native memory for the messages about arguments that are not handles. The memory must stay. */
export interface HandleTexts {
  /** Address of the message for `dprintf`, with four `%s`: the command and its parameter, twice. */
  readonly format: bigint;
  /** Address of the names of commands, each with a NUL, within 64 KiB. */
  readonly names: bigint;
  /** Address of the names of parameters, in the same form. */
  readonly parameters: bigint;
}

/** Reserves the slots that an image's handle checks read. */
export function reserveChecks(code: Code): CheckSlots {
  const [sets, dprintf, abort, format, names, parameters] = Array.from({ length: 6 }, () => code.reserve());
  return { sets, dprintf, abort, format, names, parameters };
}

/** Fills the slots after the image is loaded. */
export function connectChecks({ data }: Image, slots: CheckSlots, texts: HandleTexts): void {
  const values: Record<keyof CheckSlots, bigint> = {
    sets: coreImage()!.tablesAddress,
    dprintf: libcAddress("dprintf"),
    abort: libcAddress("abort"),
    ...texts,
  };
  for (const key of Object.keys(slots) as (keyof CheckSlots)[]) data.setBigUint64(slots[key], values[key], true);
}
