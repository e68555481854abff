import { NativeBlock } from "../../ffi/block.ts";
import { createThunk, returning, type Thunk } from "../../ffi/thunk/thunk.ts";
import { STATUS, WINDOW_MAGIC } from "../android_values.ts";
import type { Window } from "../contract/window.ts";

/** `sizeof(ANativeWindow)` on 64-bit machines, which is also the version that the struct states. */
const SIZE = 192;
/** The offsets of the members of ANativeWindow, of `system/window.h`. */
const AT = {
  magic: 0,
  version: 4,
  incRef: 40,
  decRef: 48,
  minSwapInterval: 60,
  maxSwapInterval: 64,
  xdpi: 68,
  ydpi: 72,
};
/** The offsets of the first and the last function pointer: setSwapInterval to cancelBuffer. */
const FIRST_FUNCTION = 112, LAST_FUNCTION = 184;
/** The density of a desktop display, in dots per inch. */
const DPI = 96;

/** The windows of this process by their addresses. */
const windows = new Map<bigint, Window>();
let references: { readonly incRef: Thunk; readonly decRef: Thunk } | undefined;
let refuse: bigint | undefined;
let depth = 0;

/**
 * Returns the TypeScript window at an address; `undefined` if there is none.
 *
 * @example
 * ```ts
 * import { NativeWindow, windowAt } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * using native = new NativeWindow({ width: 4, height: 2 });
 * assertEquals(windowAt(native.address) === native, true);
 * ```
 */
export function windowAt(address: bigint): Window | undefined {
  return windows.get(address);
}

/**
 * Native memory with the form of an ANativeWindow, so that native code can recognise a window and keep references to
 * it. All other functions return INVALID_OPERATION, because buffers come through TypeScript.
 */
export class WindowMemory {
  /** The address of the memory. */
  readonly address: bigint;
  readonly #block = new NativeBlock(SIZE);
  #open = true;

  /** Allocates memory that stands for a window. */
  constructor(window: Window) {
    this.address = this.#block.address;
    windows.set(this.address, window);
    const { view } = this.#block, { incRef, decRef } = references ??= makeReferences();
    view.setUint32(AT.magic, WINDOW_MAGIC, true);
    view.setUint32(AT.version, SIZE, true);
    view.setBigUint64(AT.incRef, incRef.address, true);
    view.setBigUint64(AT.decRef, decRef.address, true);
    view.setInt32(AT.minSwapInterval, 0, true);
    view.setInt32(AT.maxSwapInterval, 1, true);
    view.setFloat32(AT.xdpi, DPI, true);
    view.setFloat32(AT.ydpi, DPI, true);
    refuse ??= returning("s:qqqqqq", STATUS.INVALID_OPERATION);
    for (let at = FIRST_FUNCTION; at <= LAST_FUNCTION; at += 8) view.setBigUint64(at, refuse, true);
  }

  /** Frees the memory. A second call does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    windows.delete(this.address);
    // Native code that dropped the last reference is still inside the callback.
    if (depth > 0) queueMicrotask(() => this.#free());
    else this.#free();
  }

  #free(): void {
    this.#block.close();
    freeReferences();
  }
}

/** incRef and decRef of all windows: `void (*)(android_native_base_t *)`. */
function makeReferences(): { incRef: Thunk; decRef: Thunk } {
  const counting = (count: (window: Window) => void) =>
    createThunk("v:q", (base) => {
      depth++;
      try {
        const window = windows.get(base as bigint);
        if (window) count(window);
      } finally {
        depth--;
      }
      return undefined;
    });
  return { incRef: counting((window) => window.acquire()), decRef: counting((window) => window.release()) };
}

function freeReferences(): void {
  if (windows.size > 0) return;
  references?.incRef.free();
  references?.decRef.free();
  references = undefined;
}
