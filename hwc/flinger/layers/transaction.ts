import { checkChange, type LayerState } from "./layer_state.ts";
import type { SurfaceLayer } from "./surface_layer.ts";

/** Changes of layers that become visible together, once applied. */
export class Transaction {
  readonly #apply: (changes: readonly (() => void)[]) => void;
  readonly #change: (layer: SurfaceLayer, change: Partial<LayerState>) => () => void;
  #changes: (() => void)[] = [];

  /** Use `SurfaceFlinger.transaction()`. */
  constructor(
    change: (layer: SurfaceLayer, change: Partial<LayerState>) => () => void,
    apply: (changes: readonly (() => void)[]) => void,
  ) {
    this.#change = change;
    this.#apply = apply;
  }

  /** Adds a change. Throws a `RangeError` for an invalid value. */
  set(layer: SurfaceLayer, change: Partial<LayerState>): this {
    checkChange(change);
    this.#changes.push(this.#change(layer, { ...change }));
    return this;
  }

  /** Applies the changes at the next wake, all together. The transaction is then empty and can be used again. */
  apply(): void {
    this.#apply(this.#changes);
    this.#changes = [];
  }
}
