import { callback, checkOptions, object, type OptionRules } from "../../../ffi/check_options.ts";
import type { DisplayInfo } from "../../flinger/options.ts";
import type { SurfaceFlinger } from "../../flinger/surface_flinger.ts";
import type { SurfaceLayer } from "../../flinger/layers/surface_layer.ts";
import type { ReferenceComposer, ShownFrame } from "../../core/controls.ts";
import { PanelRecord } from "./panel_record.ts";
import type { DisplayLayer, DisplayPlane, DisplayReport } from "./report.ts";
import { POWER_MODE } from "../../device_types.ts";
import { COMPOSITION } from "../../types.ts";

/** A display and its layers. */
interface Described {
  readonly composer: ReferenceComposer;
  /** All layers. */
  readonly layers: readonly SurfaceLayer[];
  /** A number for a layer, the same for the layer's life. */
  idOf(layer: SurfaceLayer): number;
}

/** Describes a display as it is now. */
function describeDisplay(about: Described, info: DisplayInfo, record: PanelRecord): DisplayReport {
  const { composer } = about, { handle, shown: frame } = record, { planes, name: model } = composer.planes(handle);
  const { presented, shown, overtaken, flattened } = composer.statistics(handle);
  const { display: number, name, width, height, isPrimary, power, clientFrames } = info;
  return {
    ...{ number, name, width, height, isPrimary, isOn: power !== POWER_MODE.OFF },
    refreshRate: 1e9 / composer.getDisplayVsyncPeriod(handle),
    strategy: frame?.plan.strategy ?? "",
    model,
    planes: describePlanes(planes, frame, record),
    layers: describeLayers(about, info, frame, record),
    gpuWork: frame?.plan.gpuWork ?? 0,
    totalWork: frame?.plan.totalWork ?? 0,
    counts: { presented, shown, overtaken, flattened, clientFrames },
    frames: [...record.frames],
  };
}

function describePlanes(
  planes: readonly { readonly name: string }[],
  frame: ShownFrame | undefined,
  record: PanelRecord,
): DisplayPlane[] {
  const nameOf = (layer: number) => record.layerOf(frame!.layers[layer].handle)?.name ?? "a layer that is gone";
  const shows = new Map(
    frame?.plan.stack.map(({ plane, layer }) => {
      return [plane, layer < 0 ? "client target" : nameOf(layer)] as const;
    }),
  );
  return planes.map(({ name }) => ({ name, shows: shows.get(name) ?? null }));
}

/** From the top; those that the frame does not show at the end. */
function describeLayers(
  about: Described,
  { layerStack }: DisplayInfo,
  frame: ShownFrame | undefined,
  record: PanelRecord,
): DisplayLayer[] {
  const seen = frame ? seenLayers(about, frame, record) : new Map<SurfaceLayer, DisplayLayer>();
  const others = about.layers.filter((layer) => !seen.has(layer) && stackOf(layer) === layerStack);
  return [...seen.values(), ...others.map((layer) => unseen(about.idOf(layer), layer))];
}

function seenLayers({ idOf }: Described, frame: ShownFrame, record: PanelRecord): Map<SurfaceLayer, DisplayLayer> {
  const { layers, plan } = frame;
  const found = record.reasons.of(plan).flatMap(({ plane = null, given, reason, planes }, at) => {
    const { handle, place } = layers[at], layer = record.layerOf(handle);
    if (!layer) return [];
    const { name, state: { isHidden } } = layer, id = idOf(layer), composition = compositionName(given);
    const refusals = planes.map(({ plane, why = null }) => ({ plane, why }));
    const report = { id, name, isHidden, frame: place, composition, plane, reason, refusals };
    return [{ z: plan.decisions[at].layer.z, layer, report }];
  });
  found.sort((one, other) => other.z - one.z);
  return new Map(found.map(({ layer, report }) => [layer, report]));
}

function unseen(id: number, { name, state: { isHidden }, frameNumber, window }: SurfaceLayer): DisplayLayer {
  const waits = window !== undefined && frameNumber === undefined;
  const reason = isHidden ? "it is hidden" : waits ? "it has no frame yet" : "nothing of it is seen here";
  return { id, name, isHidden, frame: null, composition: null, plane: null, reason, refusals: [] };
}

function stackOf({ state }: SurfaceLayer): number {
  return state.parent ? stackOf(state.parent) : state.layerStack;
}

function compositionName(value: number): string {
  return Object.entries(COMPOSITION).find(([, each]) => each === value)?.[0] ?? `${value}`;
}

/** The composer to watch, and the callbacks. */
export interface FrameWatchOptions {
  /** The composer; the caller keeps and closes it. */
  readonly composer: ReferenceComposer;
  /** The composer's client; the caller keeps and closes it. */
  readonly flinger: SurfaceFlinger;
  /** Called when a frame appeared on a display, with the flinger's number of the display. */
  readonly onFrame?: (display: number) => void;
  /** Called when a display was connected or disconnected. */
  readonly onHotplug?: () => void;
  /** Called when a cursor moved on a display without a frame. */
  readonly onCursor?: (display: number) => void;
}

const RULES: OptionRules<FrameWatchOptions> = {
  composer: object("a composer of createReferenceComposer()"),
  flinger: object("a SurfaceFlinger"),
  onFrame: callback("takes a frame"),
  onHotplug: callback("is called when a display comes or goes"),
  onCursor: callback("takes a display's number"),
};

/** The frames on the panels of a composer, with the reasons for each layer's plane. Made by {@linkcode watchFrames}. */
export class FrameWatch implements Disposable {
  readonly #options: FrameWatchOptions;
  readonly #records = new Map<number, PanelRecord>();
  readonly #ids = new WeakMap<SurfaceLayer, number>();
  readonly #ends: readonly (() => void)[];
  /** The time of the first frame, in the composer's nanoseconds: times are counted from there. */
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

  /** The displays with a panel, from the flinger. */
  get displays(): readonly DisplayInfo[] {
    return this.#options.flinger.displays.filter(({ isVirtual, handle }) => !isVirtual && handle !== undefined);
  }

  /** Returns the reports of all displays, or of the display with the flinger's number. */
  report(display?: number): DisplayReport[] {
    this.#update();
    const { composer, flinger: { layers } } = this.#options, about = { composer, layers, idOf: this.#idOf };
    const wanted = this.displays.filter((info) => display === undefined || info.display === display);
    return wanted.map((info) => describeDisplay(about, info, this.#records.get(info.display)!));
  }

  /** Returns the layer with a number from a report; `undefined` if the layer is gone. */
  layer(id: number): SurfaceLayer | undefined {
    return this.#options.flinger.layers.find((layer) => this.#ids.get(layer) === id);
  }

  /** Ends the watch. A second call does nothing. */
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
 * Watches a composer's panels: which planes show which layers of the current frame, which layers the client composes
 * and why, and when frames were presented, ready and shown. Reports are computed on request.
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
