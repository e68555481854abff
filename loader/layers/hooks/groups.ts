import type { NativeCall } from "../../command/compile.ts";
import { entering } from "../../command/compiled/entering.ts";
import type { Layer } from "../../layer.ts";
import { LayerPlaces } from "./places.ts";

/**
 * The TypeScript layers of one instance. The first group is above all native
 * layers; each other group is in a seat below one.
 */
export class LayerGroups extends LayerPlaces<Layer> {
  /** How many hooks below a native layer are running. */
  #depth = 0;

  /** Whether there are seats below native layers. */
  get hasSeats(): boolean {
    return this.size > 1;
  }

  /**
   * Wraps a command whose hooks are below a native layer, so that
   * {@linkcode LayerGroups.checkOutside} knows when they run.
   */
  within(call: NativeCall, arity: number): NativeCall {
    return entering(call, arity, () => void this.#depth++, () => void this.#depth--);
  }

  /**
   * Throws a `TypeError` while such a hook is running. The objects of a script
   * begin at the top of the chain, where handles may differ, and a native layer
   * need not support being called from below.
   */
  checkOutside(command: string): void {
    if (this.#depth === 0) return;
    throw new TypeError(
      `Cannot call ${command} from a hook below a native layer: call this.below(handle).${command}() there`,
    );
  }
}
