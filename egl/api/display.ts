import type { ContextObject, SurfaceObject } from "./objects.ts";
import type { SharedDisplay } from "./shared_display.ts";
import type { NativeBlock } from "../../ffi/block.ts";

/** A display as the loader keeps it: how often it was initialized, and what lives in it. */
export class Display {
  /** The driver's handle, which is also the one callers have. */
  readonly handle: bigint;
  /** How many calls of eglInitialize() are not undone. */
  references = 0;
  /** What the driver said at the first of them; minor 4 if functions of 1.5 are missing. */
  version: readonly [major: number, minor: number] = [0, 0];
  /** The extensions of the driver's display. */
  driverExtensions: ReadonlySet<string> = new Set();
  /** What eglQueryString() answers, by name: native strings, and their memory. */
  strings: ReadonlyMap<number, bigint> = new Map();
  /** The contexts by handle. */
  readonly contexts = new Map<bigint, ContextObject>();
  /** The surfaces by handle. */
  readonly surfaces = new Map<bigint, SurfaceObject>();
  /** Held while it is initialized; see {@linkcode SharedDisplay}. */
  shared: SharedDisplay | undefined;
  /** Owns the strings. */
  memory: NativeBlock | undefined;

  /** Keeps a display of the driver. */
  constructor(handle: bigint) {
    this.handle = handle;
  }

  /** Whether it may be used. */
  get initialized(): boolean {
    return this.references > 0;
  }

  /** Whether the driver's display implements EGL 1.5. */
  get is15(): boolean {
    return this.version[0] > 1 || this.version[1] >= 5;
  }
}
