import type { NativeBlock } from "../../ffi/block.ts";
import { type ExportedLibrary, exportLibrary } from "../../ffi/functions/exported.ts";
import { Library } from "../../ffi/library/library.ts";
import type { ContextObject, SurfaceObject } from "./objects.ts";

/** The rules of a display: `ours` follows Android's, `drivers` leaves everything to the driver. */
export type DisplayKind = "ours" | "drivers";

/** A display as the loader keeps it: how often it was initialized, and what lives in it. */
export class Display {
  /** The driver's handle. */
  readonly handle: bigint;
  /** The handle that callers have. It differs from the driver's if callers can also have the driver's own display. */
  readonly shown: bigint;
  /** The rules that the display follows. */
  readonly kind: DisplayKind;
  /** Whether the display uses a connection of the caller's, who ends both. */
  isCallers = false;
  /** The number of calls of eglInitialize() that are not undone. */
  references = 0;
  /** The version that the driver's first eglInitialize() returned; minor 4 if functions of 1.5 are missing. */
  version: readonly [major: number, minor: number] = [0, 0];
  /** The extensions of the driver's display. */
  driverExtensions: ReadonlySet<string> = new Set();
  /** Answers of eglQueryString() by name: native strings, and their memory. */
  strings: ReadonlyMap<number, bigint> = new Map();
  /** The contexts by handle. */
  readonly contexts: Map<bigint, ContextObject> = new Map();
  /** The surfaces by handle. */
  readonly surfaces: Map<bigint, SurfaceObject> = new Map();
  /** Held while it is initialized; see {@linkcode SharedDisplay}. */
  shared: SharedDisplay | undefined;
  /** Owns the strings. */
  memory: NativeBlock | undefined;

  /** Keeps a display of the driver's, which callers know as `shown`. */
  constructor(handle: bigint, kind: DisplayKind, shown: bigint = handle) {
    this.handle = handle;
    this.kind = kind;
    this.shown = shown;
  }

  /** Whether the display follows Android's rules. */
  get isOurs(): boolean {
    return this.kind === "ours";
  }

  /** Whether the display is initialized. */
  get initialized(): boolean {
    return this.references > 0;
  }

  /** Whether the driver's display implements EGL 1.5. */
  get is15(): boolean {
    return this.version[0] > 1 || this.version[1] >= 5;
  }
}

/**
 * A driver gives every loader of a process the same display, also loaders of
 * other Workers, and its eglTerminate ends the display for all. So all of them
 * hold a library of the display's name: the last one to give it back may
 * terminate.
 */
export class SharedDisplay {
  readonly #name: string;
  readonly #made: ExportedLibrary | undefined;
  readonly #held: Library | undefined;

  /** Takes hold of a display of the driver's. */
  constructor(handle: bigint) {
    this.#name = `libpumice-egl-display-${handle.toString(16)}.so`;
    this.#held = Library.loaded(this.#name);
    if (!this.#held) this.#made = exportLibrary({ soname: this.#name, slots: [["display", handle]] });
  }

  /** Lets it go; whether nobody holds it any more. */
  release(): boolean {
    if (this.#made) return this.#made.unload();
    if (!this.#held) return true;
    this.#held.close();
    const other = Library.loaded(this.#name);
    other?.close();
    return other === undefined;
  }
}
