import type { RawCommand } from "../api/state.ts";

/** One command at one place of a chain of layers: what is called there. */
export interface Level {
  /** What stands there: a TypeScript layer's hook, a native layer's function, or what lies below all layers. */
  readonly kind: "hook" | "native" | "bottom";
  /** Calls it from TypeScript. `isHot`: it is worth making code for this command alone. */
  call(isHot: boolean): RawCommand;
  /** Its function for native code, made when first asked for; 0n where the driver has none. */
  readonly address: bigint;
  /** Where native code on other threads goes, which have no context by this loader. */
  readonly elsewhere: bigint;
}
