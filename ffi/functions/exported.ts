import type { CheckedTrampolineSpec } from "../emit/emitter.ts";
import { connectChecks, type HandleTexts, reserveChecks } from "./handle_check.ts";
import { emitterForThisMachine, loadEmitted } from "../image/emitted.ts";

/** What {@linkcode exportLibrary} is to export. */
export interface ExportedFunctions {
  /** The name other code opens or links the library by, such as `libvulkan.so.1`. Default: one that nothing else has. */
  readonly soname?: string;
  /** Functions that jump through the dispatch table of their first argument, with their byte offset there. */
  readonly trampolines?: Iterable<readonly [name: string, tableOffset: number]>;
  /** The same, for first arguments that may be NULL: nothing is called then, and the result is 0. */
  readonly nullableTrampolines?: Iterable<readonly [name: string, tableOffset: number]>;
  /** The same, for first arguments that may be anything: what is no handle of ours ends the process, and it says so. */
  readonly checkedTrampolines?: { readonly texts: HandleTexts; readonly specs: Iterable<CheckedTrampolineSpec> };
  /** Functions that jump to an address, which can be changed later. */
  readonly slots?: Iterable<readonly [name: string, address: bigint]>;
}

/** A shared object in this process that native code finds by its soname. It stays unless it is unloaded. */
export interface ExportedLibrary {
  /** What `Deno.dlopen` finds it under. */
  readonly path: string;
  /** The dynamic linker's handle. */
  readonly handle: bigint;
  /** Address of an exported function. Throws a `RangeError` if there is none. */
  address(name: string): bigint;
  /** Leads a slot's function somewhere else. */
  set(name: string, address: bigint): void;
  /**
   * Gives it back to the dynamic linker. `false` if native code holds it: then
   * it stays usable, and is still what its soname leads to. Once it is gone,
   * none of its addresses may be called and no slot set.
   */
  unload(): boolean;
  /** Takes hold again of what was given back; `false` if it is gone. */
  reload(): boolean;
}

/**
 * Makes a shared object that other native code in this process gets when it
 * opens or links `soname`, unless a library of that name is loaded already: the
 * dynamic linker keeps the first one. Calling a slot's function whose address
 * is 0n ends the process. Returns `undefined` where emitted code cannot be used.
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
