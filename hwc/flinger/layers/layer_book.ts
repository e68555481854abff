import type { FrameRequest } from "../../../wsi/contract/frame_consumer.ts";
import type { DisplayBook } from "../displays/display_book.ts";
import { FlingerLayer } from "./flinger_layer.ts";
import { changed, checkChange, type LayerState } from "./layer_state.ts";
import type { LayerOptions, SurfaceLayer } from "./surface_layer.ts";

/** Callbacks for the needs of layers. */
export interface LayerNeeds {
  /** Asks for a frame at the next vsync. */
  schedule(): void;
  /** Notes that a layer's producer on this thread waits for a buffer. */
  hurry(layer: FlingerLayer): void;
  /** Moves a layer; a cursor moves at once. */
  moveCursor(layer: FlingerLayer, x: number, y: number): void;
  /** Says something to people. */
  log(message: string): void;
}

/** All layers in the order of their creation, and their changes for the next frame. */
export class LayerBook {
  /** Always the same array. */
  readonly all: FlingerLayer[] = [];
  readonly #displays: DisplayBook;
  readonly #needs: LayerNeeds;
  #changes: (() => void)[] = [];

  /** Makes a book without layers; `displays` are the displays that show layers. */
  constructor(displays: DisplayBook, needs: LayerNeeds) {
    this.#displays = displays;
    this.#needs = needs;
  }

  /** Adds a layer above the other layers of its z. Throws a `RangeError` for impossible values. */
  create(options: LayerOptions): SurfaceLayer {
    const needs = this.#needs;
    const layer = new FlingerLayer(options, {
      queued: () => needs.schedule(),
      starving: (starving) => needs.hurry(starving),
      change: (changed, change) => this.transaction().set(changed, change).apply(),
      moveCursor: (moved, x, y) => needs.moveCursor(moved, x, y),
      closed: (closed) => this.#remove(closed),
      log: (message) => needs.log(message),
    });
    this.all.push(layer);
    if (layer.state.color) this.#displays.markDirty(this.rootStackOf(layer)); // nothing else will come of it
    needs.schedule();
    return layer;
  }

  /** Changes of several layers that are seen together. */
  transaction(): Transaction {
    return new Transaction((layer, change) => () => this.#change(layer, change), (changes) => {
      this.#changes.push(...changes);
      this.#needs.schedule();
    });
  }

  /** Whether a change or a buffer waits for a frame. */
  get isWaiting(): boolean {
    return this.#changes.length > 0 || this.all.some((layer) => layer.isWaiting);
  }

  /** Applies all changes. */
  change(): void {
    for (const change of this.#changes.splice(0)) change();
  }

  /** The layers whose queue has a frame. */
  get waiting(): FlingerLayer[] {
    return this.all.filter((layer) => layer.isWaiting);
  }

  /** The layer stack that a layer is in, by its parents: a layer whose parent is gone is in its own. */
  rootStackOf(layer: FlingerLayer): number {
    let root: SurfaceLayer = layer;
    for (let parent = root.state.parent; parent && this.all.some((one) => one === parent); parent = root.state.parent) {
      root = parent;
    }
    return root.state.layerStack;
  }

  /** Takes the frames that layers have waiting; `request` says which, or `undefined` for none. Returns their number. */
  latch(request: (layer: FlingerLayer) => FrameRequest | undefined): number {
    const latched = this.all.filter((layer) => {
      const wanted = layer.isWaiting ? request(layer) : undefined;
      return wanted !== undefined && layer.latch(wanted);
    });
    for (const layer of latched) this.#displays.markDirty(this.rootStackOf(layer));
    return latched.length;
  }

  /** Returns buffers that are no longer shown to their producers. */
  giveBack(): void {
    for (const layer of this.all) this.#giveBack(layer);
  }

  /** Closes every layer. */
  close(): void {
    for (const layer of [...this.all]) layer.close();
  }

  /** Gives frames back. Displays without a new frame still show the old one, which is not free before they change. */
  #giveBack(layer: FlingerLayer): void {
    const { leaving: number } = layer;
    if (number === undefined) return;
    for (const display of this.#displays.all) {
      const fence = display.keeps({ layer, number });
      if (fence) layer.addRelease(fence);
    }
    layer.giveBack();
  }

  #change(layer: SurfaceLayer, change: Partial<LayerState>): void {
    const found = this.all.find((each) => each === layer);
    if (!found) return; // closed meanwhile
    for (let { parent } = change; parent; parent = parent.state.parent) {
      if (parent === layer) {
        return this.#needs.log(`layer "${layer.name}" would be its own parent: it stays where it is`);
      }
    }
    this.#displays.markDirty(this.rootStackOf(found));
    found.state = changed(found.state, change);
    this.#displays.markDirty(this.rootStackOf(found));
  }

  #remove(layer: FlingerLayer): void {
    const at = this.all.indexOf(layer), left = [layer, ...this.all.filter(({ state }) => state.parent === layer)];
    for (const each of left) this.#displays.markDirty(this.rootStackOf(each));
    if (at >= 0) this.all.splice(at, 1);
    for (const each of left) this.#displays.markDirty(this.rootStackOf(each)); // children are on their own now
    this.#needs.schedule();
  }
}

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
