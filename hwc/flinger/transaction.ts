import { checkChange, type LayerState } from "./layer_state.ts";
import type { SurfaceLayer } from "./surface_layer.ts";

/** Changes of layers that are seen together, or not yet. */
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

  /** Adds a change. Throws a `RangeError` for what cannot be. */
  set(layer: SurfaceLayer, change: Partial<LayerState>): this {
    checkChange(change);
    this.#changes.push(this.#change(layer, { ...change }));
    return this;
  }

  /** Hands the changes over: the next wake does them all. The transaction is empty then, and can be used again. */
  apply(): void {
    this.#apply(this.#changes);
    this.#changes = [];
  }
}
