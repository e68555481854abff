import type { SurfaceFlinger } from "../../flinger/surface_flinger.ts";
import type { LatchedFrame, SurfaceLayer } from "../../flinger/layers/surface_layer.ts";
import type { ReferenceComposer, ShownFrame } from "../../core/controls.ts";
import type { FrameTimes } from "./report.ts";
import type { FramePlan, PlaneFinding } from "../../planes/frame_plan.ts";

/** The number of frames whose times are kept. */
const MOST_FRAMES = 120;

/** A panel's last frames, and the layers in them. */
export class PanelRecord {
  /** The composer's handle. */
  readonly handle: bigint;
  readonly reasons: Reasons = new Reasons();
  readonly frames: FrameTimes[] = [];
  readonly #composer: ReferenceComposer;
  /** Layers by their handles on this panel: a frame may still show one that is gone. */
  readonly #layers = new Map<bigint, SurfaceLayer>();
  /** The buffers that the frame before showed, by the handles of their layers. */
  #buffers: ReadonlyMap<bigint, bigint | undefined> = new Map();

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
    this.#find(flinger, number, frame);
    this.frames.push(timesOf(frame, this.#newFrames(frame), epoch));
    if (this.frames.length > MOST_FRAMES) this.frames.shift();
  }

  #find(flinger: SurfaceFlinger, number: number, { layers }: ShownFrame): void {
    const before = new Map(this.#layers);
    this.#layers.clear();
    for (const { handle } of layers) {
      const layer = flinger.layerOf(number, handle) ?? before.get(handle);
      if (layer) this.#layers.set(handle, layer);
    }
  }

  /** The producers' new frames in this frame of the panel. */
  #newFrames({ layers }: ShownFrame): { layer: string; frame: LatchedFrame }[] {
    const before = this.#buffers;
    this.#buffers = new Map(layers.map(({ handle, buffer }) => [handle, buffer]));
    return layers.flatMap(({ handle, buffer }) => {
      const { name: layer = "", latched = [] } = this.#layers.get(handle) ?? {};
      const frame = latched.findLast((each) => each.buffer === buffer);
      return frame && before.get(handle) !== buffer ? [{ layer, frame }] : [];
    });
  }

  /** The layer that a frame's decision is about. */
  layerOf(handle: bigint): SurfaceLayer | undefined {
    return this.#layers.get(handle);
  }
}

function timesOf(
  { number, presented, ready, shown }: ShownFrame,
  drawn: readonly { readonly layer: string; readonly frame: LatchedFrame }[],
  epoch: bigint,
): FrameTimes {
  const since = (time: bigint) => Number(time - epoch) / 1e6;
  const acquired = drawn.map(({ layer, frame: { queued, drawn = queued } }) => {
    return { layer, queued: since(queued), drawn: since(drawn > queued ? drawn : queued) };
  });
  return { number, acquired, presented: since(presented), ready: since(ready), shown: since(shown) };
}

/** Milliseconds in which reasons are taken to hold while planes show the same layers. */
const GOOD_FOR = 250;

/**
 * The reasons why layers of a display are composed by planes or client. A moving
 * layer makes a plan a frame, and each search for reasons costs more than the
 * plan: the search runs when another plane shows a layer, and now and then.
 */
class Reasons {
  #plan: FramePlan | undefined;
  #shape = "";
  #told = 0;
  #reasons: readonly PlaneFinding[] = [];

  /** The reasons of a plan, by its decisions. */
  of(plan: FramePlan): readonly PlaneFinding[] {
    const shape = shapeOf(plan), now = performance.now();
    const isGood = plan === this.#plan || (shape === this.#shape && now - this.#told < GOOD_FOR);
    if (isGood) return this.#reasons;
    this.#plan = plan;
    this.#shape = shape;
    this.#told = now;
    return this.#reasons = plan.explain();
  }
}

function shapeOf({ decisions, strategy, target }: FramePlan): string {
  return [strategy, target, ...decisions.map(({ layer, plane, given }) => `${layer.name} ${plane} ${given}`)].join();
}
