import type { RawCommand } from "../api/state.ts";

/** One command at one level of a chain of layers. */
export interface Level {
  /** The owner of the level: a TypeScript layer's hook, a native layer's function, or the bottom below all layers. */
  readonly kind: "hook" | "native" | "bottom";
  /**
   * Returns the function for calls from TypeScript. `isHot` means that the command deserves generated code of its own.
   */
  call(isHot: boolean): RawCommand;
  /** The function for native code, made at the first access; 0n if the driver has none. */
  readonly address: bigint;
  /** The function for native code on other threads, which have no context of this loader. */
  readonly elsewhere: bigint;
}
