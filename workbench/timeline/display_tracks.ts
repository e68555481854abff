import { nanoseconds } from "../../loader/layers/shipped/native/clock.ts";
import { timeOf, type TraceWriter, type Track } from "./vulkan/trace_writer.ts";
import type { NativeFence } from "../../wsi/fence/native_fence.ts";
import type { FramePlan } from "../../hwc/planes/frame_plan.ts";

/** A frame that was presented and is not yet known to be on the display. */
interface Pending {
  readonly fence: NativeFence;
  readonly presented: number;
  readonly flows: readonly number[];
  /** The number of vsyncs before. */
  readonly vsyncs: number;
}

/** A plane's track and the layer on the plane. */
interface PlaneTrack {
  readonly track: Track;
  layer: string | undefined;
}

/** The tracks of one display: calls, vsyncs, frames until they appear, planes, and layers that the client composes. */
export class DisplayTracks {
  readonly #writer: TraceWriter;
  readonly #calls: Track;
  readonly #vsync: Track;
  readonly #frames: Track;
  readonly #client: Track;
  readonly #planes = new Map<string, PlaneTrack>();
  readonly #pending: Pending[] = [];
  #flows: number[] = [];
  #vsyncs = 0;
  #lastFrame = 0;

  /** Adds the tracks of a display with this name. */
  constructor(writer: TraceWriter, name: string) {
    this.#writer = writer;
    this.#calls = writer.track(name);
    this.#vsync = writer.track("vsync", this.#calls);
    this.#frames = writer.track("present fence", this.#calls);
    this.#client = writer.counter("client layers", "layers", this.#calls);
  }

  /** Notes the arrow of a frame that a layer shows from the next present on. */
  arrives(flows: readonly number[]): void {
    this.#flows.push(...flows);
  }

  /** Begins the slice of a call. */
  begin(name: string): void {
    this.#writer.begin(this.#calls, name, { flows: name === "presentDisplay" ? this.#flows : [] });
  }

  /** Ends the slice of a call, with the error if there was one. */
  end(error?: unknown): void {
    this.#writer.end(this.#calls, error === undefined ? {} : { args: { error: String(error) } });
  }

  /** Writes a vsync with the time that the composer says. */
  vsync(timestamp: bigint): void {
    this.#vsyncs++;
    this.#writer.instant(this.#vsync, "vsync", { args: { timestamp: Number(timestamp) } });
  }

  /** Writes how many layers the client composes. */
  client(layers: number): void {
    this.#writer.count(this.#client, layers);
  }

  /** Follows a frame until its fence says that the frame is on the display. The fence stays the caller's. */
  presented(fence: NativeFence): void {
    const flows = this.#flows;
    this.#flows = [];
    this.#pending.push({ fence: fence.dup(), presented: nanoseconds(), flows, vsyncs: this.#vsyncs });
  }

  /** Shows which layer each plane has from now on. `nameAt` returns the name of the layer at a z, if known. */
  planes({ stack, decisions }: FramePlan, nameAt: (z: number) => string | undefined): void {
    const shown = new Map(stack.map(({ plane, layer }) => {
      const z = decisions[layer]?.layer.z;
      return [plane, z === undefined ? "client target" : nameAt(z) ?? `layer at z ${z}`];
    }));
    for (const plane of new Set([...shown.keys(), ...this.#planes.keys()])) this.#put(plane, shown.get(plane));
  }

  #put(plane: string, layer: string | undefined): void {
    let row = this.#planes.get(plane);
    if (!row) this.#planes.set(plane, row = { track: this.#writer.track(plane, this.#calls), layer: undefined });
    if (row.layer === layer) return;
    if (row.layer !== undefined) this.#writer.end(row.track);
    if (layer !== undefined) this.#writer.begin(row.track, layer);
    row.layer = layer;
  }

  /** Writes the frames that are on the display by now. */
  poll(): void {
    while (this.#pending[0]?.fence.poll()) this.#appeared(this.#pending.shift()!);
  }

  #appeared({ fence, presented, flows, vsyncs }: Pending): void {
    const start = Math.max(presented, this.#lastFrame);
    const end = Math.max(start, timeOf(fence.signalTime ?? 0n));
    fence.close();
    this.#writer.begin(this.#frames, "frame", { time: start, flows });
    this.#writer.end(this.#frames, { time: end });
    if (this.#vsyncs - vsyncs > 1) this.#writer.instant(this.#frames, "missed a vsync", { time: end });
    this.#lastFrame = end;
  }

  /** Ends what is open. */
  close(): void {
    this.poll();
    for (const { fence } of this.#pending.splice(0)) fence.close();
    for (const plane of this.#planes.keys()) this.#put(plane, undefined);
  }
}
