import type { TraceWriter } from "./vulkan/trace_writer.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { NativeFence } from "../../wsi/fence/native_fence.ts";
import type { AsyncComposer } from "../../hwc/composer.ts";
import type { ChangedCompositionType } from "../../hwc/composer_records.ts";
import { CALLBACK } from "../../hwc/device_types.ts";
import { FUNCTION_NAMES } from "../../hwc/function_names.ts";
import type { FramePlan } from "../../hwc/planes/frame_plan.ts";
import { COMPOSITION } from "../../hwc/types.ts";
import type { BufferFlows } from "./windows.ts";
import { DisplayTracks } from "./display_tracks.ts";

// deno-lint-ignore no-explicit-any -- the methods of a composer differ
type Method = (...args: any[]) => any;

/** Methods that a display's track shows as slices. */
const SHOWN = new Set(["validateDisplay", "acceptDisplayChanges", "setClientTarget", "presentDisplay"]);

/** The facts that a client stated of a layer. */
interface LayerFacts {
  /** The COMPOSITION that the client asked for, or that the device gave. */
  type?: number;
  z?: number;
  /** The name of the window whose frame the layer has. */
  window?: string;
}

/** A composer whose frames are traced: passes every call on, and writes what a timeline shows. */
export class TracedComposer {
  readonly #composer: AsyncComposer;
  readonly #writer: TraceWriter;
  readonly #frames: BufferFlows;
  readonly #displays = new Map<bigint, DisplayTracks>();
  readonly #layers = new Map<bigint, Map<bigint, LayerFacts>>();
  readonly #methods = new Map<PropertyKey, Method>();

  /** Traces a composer. */
  constructor(composer: AsyncComposer, writer: TraceWriter, frames: BufferFlows) {
    this.#composer = composer;
    this.#writer = writer;
    this.#frames = frames;
  }

  /** Returns the composer to use in place of the other. Members that are no functions are the other's. */
  wrap<Kind extends AsyncComposer>(composer: Kind): Kind {
    return new Proxy(composer, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        let method = this.#methods.get(name);
        if (!method) this.#methods.set(name, method = this.#method(String(name), value.bind(target)));
        return method;
      },
    });
  }

  /** Writes the frames that are on their displays by now. */
  poll(): void {
    for (const tracks of this.#displays.values()) tracks.poll();
  }

  /** Ends all tracks. */
  close(): void {
    for (const tracks of this.#displays.values()) tracks.close();
  }

  #method(name: string, call: Method): Method {
    if (name === "registerCallback") {
      return (descriptor, callback) => call(descriptor, this.#heard(descriptor, callback));
    }
    if (SHOWN.has(name)) {
      return (display, ...rest) => this.#sliced(display, name, () => call(display, ...rest));
    }
    return (...args) => this.#after(name, args, call(...args));
  }

  /** The methods that hwcomposer2.h finds by number are traced, too. */
  #function(descriptor: number, find: Method): unknown {
    const found = find(descriptor), name = FUNCTION_NAMES[descriptor];
    const wrap = (method: Method | undefined) =>
      method && name ? this.#method(String(name), method.bind(this.#composer)) : method;
    return found instanceof Promise ? found.then(wrap) : wrap(found);
  }

  /** Runs a call inside a slice, to the end of its Promise if the call returns one. */
  #sliced(display: bigint, name: string, run: () => unknown): unknown {
    const tracks = this.#tracks(display);
    tracks.begin(name);
    const done = (result: unknown) => {
      tracks.end();
      if (name === "presentDisplay") this.#presented(display, result);
      return result;
    };
    const failed = (error: unknown) => {
      tracks.end(error);
      throw error;
    };
    let result: unknown;
    try {
      result = run();
    } catch (error) {
      return failed(error);
    }
    return result instanceof Promise ? result.then(done, failed) : done(result);
  }

  #presented(display: bigint, fence: unknown): void {
    const tracks = this.#tracks(display), layers = [...this.#layers.get(display)?.values() ?? []];
    tracks.client(layers.filter(({ type }) => type === COMPOSITION.CLIENT).length);
    const plan = (this.#composer as { plan?(display: bigint): FramePlan | undefined }).plan?.(display);
    if (plan) tracks.planes(plan, (z) => layers.find((each) => each.z === z)?.window);
    if (fence instanceof NativeFence) tracks.presented(fence);
    this.poll();
  }

  /** Notes what a call of another method says. */
  #after(name: string, args: unknown[], result: unknown): unknown {
    const [display, layer, value] = args as [bigint, bigint, unknown];
    if (name === "setLayerBuffer" && value) this.#arrives(display, layer, value as GraphicBuffer);
    else if (name === "setLayerCompositionType") this.#note(display, layer, { type: value as number });
    else if (name === "setLayerZOrder") this.#note(display, layer, { z: value as number });
    else if (name === "destroyLayer") this.#layers.get(display)?.delete(layer);
    else if (name === "getChangedCompositionTypes") {
      const note = (changes: ChangedCompositionType[]) => {
        for (const { layer, type } of changes) this.#note(display, layer, { type });
        return changes;
      };
      return result instanceof Promise ? result.then(note) : note(result as ChangedCompositionType[]);
    }
    return result;
  }

  #arrives(display: bigint, layer: bigint, buffer: GraphicBuffer): void {
    this.#tracks(display).arrives(this.#frames.of(buffer));
    this.#note(display, layer, { window: this.#frames.windowOf(buffer) });
  }

  #note(display: bigint, layer: bigint, facts: LayerFacts): void {
    const layers = this.#layers.get(display) ?? new Map<bigint, LayerFacts>();
    this.#layers.set(display, layers.set(layer, { ...layers.get(layer), ...facts }));
  }

  #heard(descriptor: number, callback: Method | null): Method | null {
    if (!callback || descriptor !== CALLBACK.VSYNC && descriptor !== CALLBACK.VSYNC_2_4) return callback;
    return (display: bigint, timestamp: bigint, ...rest) => {
      this.poll();
      this.#tracks(display).vsync(timestamp);
      return callback(display, timestamp, ...rest);
    };
  }

  #tracks(display: bigint): DisplayTracks {
    let tracks = this.#displays.get(display);
    if (!tracks) {
      const name = `display ${this.#displays.size + 1} (0x${display.toString(16)})`;
      this.#displays.set(display, tracks = new DisplayTracks(this.#writer, name));
    }
    return tracks;
  }
}
