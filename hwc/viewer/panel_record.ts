import type { SurfaceFlinger } from "../flinger/surface_flinger.ts";
import type { SurfaceLayer } from "../flinger/surface_layer.ts";
import type { ReferenceComposer, ShownFrame } from "../reference/reference_composer.ts";
import { Reasons } from "./reasons.ts";
import type { FrameTimes } from "./report.ts";

/** How many frames' times are kept. */
const MOST_FRAMES = 120;

/** What is remembered of a panel: its last frames, and whose layers they show. */
export class PanelRecord {
  /** The composer's handle. */
  readonly handle: bigint;
  readonly reasons: Reasons = new Reasons();
  readonly frames: FrameTimes[] = [];
  readonly #composer: ReferenceComposer;
  /** Layers by their handles on this panel: a frame may still show one that is gone. */
  readonly #layers = new Map<bigint, SurfaceLayer>();

  /** Remembers nothing yet. */
  constructor(composer: ReferenceComposer, handle: bigint) {
    this.#composer = composer;
    this.handle = handle;
  }

  /** The frame on it. */
  get shown(): ShownFrame | undefined {
    return this.#composer.shown(this.handle);
  }

  /** A frame appeared; times count from an epoch. */
  flipped(flinger: SurfaceFlinger, number: number, epoch: bigint): void {
    const frame = this.shown;
    if (!frame) return;
    for (const handle of frame.handles) {
      const layer = flinger.layerOf(number, handle);
      if (layer) this.#layers.set(handle, layer);
    }
    for (const handle of this.#layers.keys()) if (!frame.handles.includes(handle)) this.#layers.delete(handle);
    this.frames.push(timesOf(frame, epoch));
    if (this.frames.length > MOST_FRAMES) this.frames.shift();
  }

  /** The layer that a frame's decision is about. */
  layerOf(handle: bigint): SurfaceLayer | undefined {
    return this.#layers.get(handle);
  }
}

function timesOf({ number, presented, ready, shown }: ShownFrame, epoch: bigint): FrameTimes {
  const since = (time: bigint) => Number(time - epoch) / 1e6;
  return { number, presented: since(presented), ready: since(ready), shown: since(shown) };
}
