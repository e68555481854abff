import type { DisplayLayer, DisplayReport } from "./report.ts";

/** What pages asked of layers that the client has not done yet, which it does at its next vsync: a switch stays as it was put. */
export class Wishes {
  /** By a layer's number: whether it is to be hidden. */
  readonly #hidden = new Map<number, boolean>();

  /** A layer is to be hidden, or shown. */
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
