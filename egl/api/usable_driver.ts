import type { EntrySource } from "../dispatch/source.ts";

/** The parts of an open driver that the loader needs. */
export interface UsableDriver extends EntrySource, Disposable {
  /** The file, or the soname, of the library with the EGL functions. */
  readonly path: string;
  /** Every library of the driver. */
  readonly libraries: readonly string[];
  /** The kind of the driver; see `EglDriver.kind`. */
  readonly kind: "three" | "one" | "glvnd" | "angle";
  /** Whether the driver returns an address for every name that begins with `gl`. */
  readonly answersAnyName: boolean;
  /** Client extensions for platforms that the driver leaves out of its own list. */
  readonly platformExtensions?: string;
  /** Closes the driver's libraries. */
  close(): void;
}
