import type { EntrySource } from "../dispatch/source.ts";

/** What the loader needs of an opened driver. */
export interface UsableDriver extends EntrySource, Disposable {
  /** The file, or the soname, of the library its EGL functions come from. */
  readonly path: string;
  /** Every library it is made of. */
  readonly libraries: readonly string[];
  /** What it is made of: see the driver's own description. */
  readonly kind: "three" | "one" | "glvnd" | "angle";
  /** Whether it gives an address for every name that begins with `gl`. */
  readonly answersAnyName: boolean;
  /** Client extensions for platforms that it leaves out of its own list. */
  readonly platformExtensions?: string;
  /** Closes its libraries. */
  close(): void;
}
