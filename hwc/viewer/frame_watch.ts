import { callback, checkOptions, object, type OptionRules } from "../../ffi/check_options.ts";
import type { DisplayInfo } from "../flinger/options.ts";
import type { SurfaceFlinger } from "../flinger/surface_flinger.ts";
import type { SurfaceLayer } from "../flinger/surface_layer.ts";
import type { ReferenceComposer } from "../reference/reference_composer.ts";
import { describeDisplay } from "./describe.ts";
import { PanelRecord } from "./panel_record.ts";
import type { DisplayReport } from "./report.ts";

/** What is watched, and who hears of it. */
export interface FrameWatchOptions {
  /** The composer; stays the caller's. */
  readonly composer: ReferenceComposer;
  /** Its client; stays the caller's. */
  readonly flinger: SurfaceFlinger;
  /** Told that a frame appeared on a display, by the flinger's number. */
  readonly onFrame?: (display: number) => void;
  /** Told that a display came or went. */
  readonly onHotplug?: () => void;
  /** Told that a cursor moved on a display without a frame. */
  readonly onCursor?: (display: number) => void;
}

const RULES: OptionRules<FrameWatchOptions> = {
  composer: object("a composer of createReferenceComposer()"),
  flinger: object("a SurfaceFlinger"),
  onFrame: callback("takes a frame"),
  onHotplug: callback("is called when a display comes or goes"),
  onCursor: callback("takes a display's number"),
};

/** Knows what the panels of a composer show, and why. Made by {@linkcode watchFrames}. */
export class FrameWatch implements Disposable {
  readonly #options: FrameWatchOptions;
  readonly #records = new Map<number, PanelRecord>();
  readonly #ids = new WeakMap<SurfaceLayer, number>();
  readonly #ends: readonly (() => void)[];
  /** When the first frame appeared: times are counted from there. */
  #epoch: bigint | undefined;
  #lastId = 0;

  /** Use {@linkcode watchFrames}. */
  constructor(options: FrameWatchOptions) {
    checkOptions("watchFrames()", options, RULES);
    this.#options = options;
    this.#ends = [
      options.composer.onFlip((handle, time) => this.#flipped(handle, time)),
      options.composer.onHotplug(() => options.onHotplug?.()),
      options.composer.onCursor((handle) => {
        for (const [number, record] of this.#records) if (record.handle === handle) options.onCursor?.(number);
      }),
    ];
  }

  /** The displays with a panel, as the flinger has them. */
  get displays(): readonly DisplayInfo[] {
    return this.#options.flinger.displays.filter(({ isVirtual, handle }) => !isVirtual && handle !== undefined);
  }

  /** What there is to say of all displays, or of one, by the flinger's number. */
  report(display?: number): DisplayReport[] {
    this.#update();
    const { composer, flinger: { layers } } = this.#options, about = { composer, layers, idOf: this.#idOf };
    const wanted = this.displays.filter((info) => display === undefined || info.display === display);
    return wanted.map((info) => describeDisplay(about, info, this.#records.get(info.display)!));
  }

  /** The layer of a number that a report gave; `undefined` if it is gone. */
  layer(id: number): SurfaceLayer | undefined {
    return this.#options.flinger.layers.find((layer) => this.#ids.get(layer) === id);
  }

  /** Ends it. A second call does nothing. */
  close(): void {
    for (const end of this.#ends) end();
    this.#records.clear();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #flipped(handle: bigint, time: bigint): void {
    this.#epoch ??= time;
    this.#update();
    for (const [number, record] of this.#records) {
      if (record.handle !== handle) continue;
      record.flipped(this.#options.flinger, number, this.#epoch);
      this.#options.onFrame?.(number);
    }
  }

  /** A panel has a record as long as it is plugged. */
  #update(): void {
    const { displays } = this;
    for (const number of this.#records.keys()) {
      if (!displays.some(({ display }) => display === number)) this.#records.delete(number);
    }
    for (const { display, handle } of displays) {
      if (!this.#records.has(display)) this.#records.set(display, new PanelRecord(this.#options.composer, handle!));
    }
  }

  #idOf = (layer: SurfaceLayer): number => {
    const known = this.#ids.get(layer), id = known ?? ++this.#lastId;
    if (known === undefined) this.#ids.set(layer, id);
    return id;
  };
}

/**
 * Watches a composer's panels: which planes show which layers of the frame on
 * each, what fell to the client and why, and when frames were presented, ready
 * and shown. Everything is worked out when it is asked for.
 *
 * @example Why a layer got no plane
 * ```ts
 * import { clientOnly, createReferenceComposer, ManualClock, SurfaceFlinger, watchFrames } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new ManualClock();
 * using composer = createReferenceComposer({ clock, strategy: clientOnly() });
 * using flinger = new SurfaceFlinger({ composer });
 * using watch = watchFrames({ composer, flinger });
 * flinger.createLayer({ name: "sky", color: { r: 0, g: 0, b: 1, a: 1 }, size: { width: 1920, height: 1080 } });
 * clock.advance(100_000_000n);
 * const [{ layers: [sky] }] = watch.report();
 * assertEquals([sky.name, sky.composition, sky.plane], ["sky", "CLIENT", null]);
 * ```
 */
export function watchFrames(options: FrameWatchOptions): FrameWatch {
  return new FrameWatch(options);
}
