import type { RawCommand } from "../api/state.ts";

/** One command at one place of a chain of layers: what is called there. */
export interface Level {
  /** Calls it from TypeScript. */
  readonly call: RawCommand;
  /** Its function for native code, made when first asked for; 0n where the driver has none. */
  readonly address: bigint;
  /** Whether a layer stands here. */
  readonly isLayered: boolean;
}
