import type { DisplayLayer, DisplayReport } from "./watch/report.ts";

/**
 * The pages' wishes about layers that the client has not carried out yet. The
 * client does so at its next vsync; until then, a switch stays as the page set
 * it.
 */
export class Wishes {
  /** By a layer's number: whether the page hides the layer. */
  readonly #hidden = new Map<number, boolean>();

  /** Hides a layer, or shows it. */
  hide(layer: number, isHidden: boolean): void {
    this.#hidden.set(layer, isHidden);
  }

  /** Reports as if they were done; those that are, or whose layers are gone, are forgotten. */
  applied(reports: readonly DisplayReport[]): DisplayReport[] {
    const before = new Map(this.#hidden);
    this.#hidden.clear();
    const apply = (layer: DisplayLayer): DisplayLayer => {
      const isHidden = before.get(layer.id);
      if (isHidden === undefined || isHidden === layer.isHidden) return layer;
      this.#hidden.set(layer.id, isHidden);
      return { ...layer, isHidden };
    };
    return reports.map((report) => ({ ...report, layers: report.layers.map(apply) }));
  }
}
