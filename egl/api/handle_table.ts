import { NativeBlock } from "../../ffi/block.ts";
import { publish64 } from "../../ffi/machine.ts";
import { EGL_CLIENT_APIS, EGL_EXTENSIONS, EGL_VENDOR, EGL_VERSION } from "../gen/egl_constants_gen.js";

/** The first handle that the loader makes, and the distance of handles. */
export const FIRST_HANDLE = 0x10_0000, HANDLE_STEP = 16;
/** Handles that fit; later ones are unknown on other threads than the loader's. */
export const MOST_HANDLES: number = 1 << 21;
/**
 * Offsets in the table, whose layout is ours: the bytes that are used of the cells, the handle of Android's display, the addresses of that
 * display's strings, and the cells. A handle has a cell at its distance from the first handle: the driver's handle, 0
 * for none, and the kind, because some drivers number objects of each kind from 1. Behind the cells are the driver's
 * handles of the last objects that other threads made in Android's display; `made` counts those.
 */
export const TABLE = { used: 0, android: 8, strings: 16, made: 48, cells: 64 } as const;
/** Bits of the number of objects of other threads that are remembered, and where they are. */
export const MADE_BITS = 12, MADE_AT: number = TABLE.cells + HANDLE_STEP * MOST_HANDLES;

/** The kinds of handles. */
export const HANDLE_KINDS = { EGLDisplay: 1, EGLContext: 2, EGLSurface: 3 } as const;
/** A kind of handles. */
export type HandleKind = keyof typeof HANDLE_KINDS;

/** The names of the strings of a display, in the table's order. */
export const STRING_NAMES: readonly number[] = [EGL_VENDOR, EGL_VERSION, EGL_EXTENSIONS, EGL_CLIENT_APIS];

/**
 * The driver's handles behind those of displays of ours, in memory that machine code of other threads reads. Surfaces
 * that TypeScript provides are left out: the driver refuses their handles.
 */
export class HandleTable {
  readonly #known = new Map<bigint, readonly [driver: bigint, kind: HandleKind]>();
  #header: readonly bigint[] = [];
  #block: NativeBlock | undefined;

  /** Notes the driver's handle behind one of ours. */
  set(handle: bigint, driver: bigint, kind: HandleKind): void {
    this.#known.set(handle, [driver, kind]);
    this.#write(handle, driver, kind);
  }

  /** Forgets a handle: its object was destroyed. */
  delete(handle: bigint): void {
    const [, kind] = this.#known.get(handle) ?? [];
    if (kind) this.#write(handle, 0n, kind);
    this.#known.delete(handle);
  }

  /** Sets what is answered for Android's display: its handle, and the addresses of its strings once there are some. */
  setAndroid(shown: bigint, strings: readonly bigint[]): void {
    this.#header = [shown, ...strings];
    this.#writeHeader();
  }

  /** The table's address. The table is made by the first call. */
  get address(): bigint {
    if (this.#block) return this.#block.address;
    this.#block = new NativeBlock(MADE_AT + 8 * 2 ** MADE_BITS);
    for (const [handle, [driver, kind]] of this.#known) this.#write(handle, driver, kind);
    this.#writeHeader();
    return this.#block.address;
  }

  /** Whether another thread made an object with this handle of the driver's in Android's display, not too long ago. */
  wasMade(handle: bigint): boolean {
    const view = this.#block?.view;
    if (!view) return false;
    const count = Math.min(Number(view.getBigUint64(TABLE.made, true)), 2 ** MADE_BITS);
    return Array.from({ length: count }, (_, index) => view.getBigUint64(MADE_AT + 8 * index, true)).includes(handle);
  }

  /** Frees the table. No machine code may read it any more. */
  close(): void {
    this.#block?.close();
    this.#block = undefined;
  }

  #write(handle: bigint, driver: bigint, kind: HandleKind): void {
    const at = Number(handle) - FIRST_HANDLE, block = this.#block;
    if (!block || at < 0 || at % HANDLE_STEP !== 0 || at >= HANDLE_STEP * MOST_HANDLES) return;
    const cell = block.address + BigInt(TABLE.cells + at), end = BigInt(at + HANDLE_STEP);
    publish64(cell + 8n, BigInt(HANDLE_KINDS[kind]));
    publish64(cell, driver);
    if (end > block.view.getBigUint64(TABLE.used, true)) publish64(block.address + BigInt(TABLE.used), end);
  }

  #writeHeader(): void {
    const block = this.#block;
    if (!block) return;
    this.#header.forEach((value, index) => publish64(block.address + BigInt(TABLE.android + 8 * index), value));
  }
}
