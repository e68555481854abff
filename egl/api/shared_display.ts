import { type ExportedLibrary, exportLibrary } from "../../ffi/functions/exported.ts";
import { Library } from "../../ffi/library/library.ts";

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
