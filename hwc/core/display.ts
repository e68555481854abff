import { dropBuffer, holdBuffer } from "../../wsi/queue/buffer_hold.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { NativeFence } from "../../wsi/fence/native_fence.ts";
import { COLOR_MODE, DISPLAY_TYPE, POWER_MODE } from "../device_types.ts";
import type { FramePlan } from "../planes/frame_plan.ts";
import type { PlaneModel } from "../planes/plane.ts";
import type { PlaneStrategy } from "../planes/strategy.ts";
import { isProtectedLayer } from "../planes/search/layer_facts.ts";
import { COMPOSITION, type Rect } from "../types.ts";
import { IDENTITY } from "../backends/colors/color_matrix.ts";
import type { ConfigSwitch } from "./panel/config_switch.ts";
import type { ContentSampler } from "./output/content_sampler.ts";
import type { Flip } from "./output/flip_fence.ts";
import type { Idleness } from "./time/alarm.ts";
import type { Layer } from "./layer.ts";
import type { Panel, PanelMode } from "./panel/panel.ts";
import type { Scanout } from "./output/scanout.ts";
import type { Timing, VsyncTicker } from "./time/vsyncs.ts";
import type { FrameWriter } from "./output/virtual_output.ts";

/**
 * A display's state in its frame: `modified` needs validation, `changed` needs
 * its changes accepted, `validated` can be presented. `presented`, after a
 * frame, can be presented again.
 */
export type FrameState = "modified" | "changed" | "validated" | "presented";

/** A buffer given to a display with the fence to wait for. */
export interface FencedBuffer {
  /** Held. */
  readonly buffer: GraphicBuffer;
  /** Owned. */
  readonly fence: NativeFence | undefined;
}

/** The parts of a display of either kind. */
export interface DisplayParts {
  /** The display's handle. */
  readonly id: bigint;
  /** For a physical one. */
  readonly panel?: Panel;
  /** The modes that can be set. */
  readonly modes: readonly PanelMode[];
  /** The display's planes. */
  readonly model: PlaneModel;
  /** The use of the planes. */
  readonly strategy: PlaneStrategy;
}

/** The state of one display, as the client has set it. */
export class Display {
  readonly id: bigint;
  readonly panel: Panel | undefined;
  modes: readonly PanelMode[];
  model: PlaneModel;
  strategy: PlaneStrategy;
  readonly layers: Map<bigint, Layer> = new Map();
  state: FrameState = "modified";
  plan: FramePlan | undefined;
  /** The layers of the plan's decisions. */
  planned: readonly Layer[] = [];
  activeConfig = 0;
  powerMode: number = POWER_MODE.OFF;
  colorMode: number = COLOR_MODE.NATIVE;
  renderIntent = 0;
  colorTransform: readonly number[] = IDENTITY;
  brightness = 1;
  contentType = 0;
  autoLowLatency = false;
  expectedPresentTime = 0n;
  clientTarget: (FencedBuffer & { readonly dataspace: number; readonly damage: readonly Rect[] }) | undefined;
  output: FencedBuffer | undefined;
  readback: FencedBuffer | undefined;
  readbackFlip: Flip | undefined;
  /** Whether the next validation leaves all to the client, or the frame shown is such a one. */
  flatten: "no" | "wanted" | "done" = "no";
  /** The buffers that planes showed in the frame before, by layer: buffer numbers. */
  lastShown: Map<bigint, bigint> = new Map();
  releases: { layer: bigint; flip: Flip }[] = [];
  /** Frames presented, frames that rested. */
  readonly counts = { presented: 0, flattened: 0, validated: 0, gpuWork: 0, totalWork: 0 };
  readonly physical: PhysicalParts | undefined;
  readonly virtual: FrameWriter | undefined;

  /** A display that is off, with nothing on it. */
  constructor(parts: DisplayParts, working: { physical?: PhysicalParts; virtual?: FrameWriter }) {
    ({ id: this.id, panel: this.panel, modes: this.modes, model: this.model, strategy: this.strategy } = parts);
    ({ physical: this.physical, virtual: this.virtual } = working);
  }

  /** DISPLAY_TYPE */
  get type(): number {
    return this.virtual ? DISPLAY_TYPE.VIRTUAL : DISPLAY_TYPE.PHYSICAL;
  }

  /** The mode it is in. */
  get mode(): PanelMode {
    return this.modes[this.activeConfig];
  }

  /** All its pixels. */
  get screen(): Rect {
    return { left: 0, top: 0, right: this.mode.width, bottom: this.mode.height };
  }

  /** Whether the display shows pictures. */
  get isOn(): boolean {
    return this.powerMode !== POWER_MODE.OFF;
  }

  /** Whether resting saves anything: several planes show something, and nothing but the client moves it. */
  get worthFlattening(): boolean {
    const stack = this.plan?.stack ?? [], moving = [COMPOSITION.CURSOR, COMPOSITION.SIDEBAND] as number[];
    if (this.flatten === "done" || stack.length < 2) return false;
    return this.plan!.decisions.every(({ layer }) => !isProtectedLayer(layer) && !moving.includes(layer.composition));
  }

  /** The next present needs a validation. */
  modify(): void {
    this.state = "modified";
  }

  /** Takes what the client composed. */
  setClientTarget(
    target: GraphicBuffer | null,
    fence: NativeFence | null,
    { dataspace, damage }: { readonly dataspace: number; readonly damage: readonly Rect[] },
  ): void {
    const before = this.clientTarget;
    this.clientTarget = target ? { ...take(target, fence), dataspace, damage } : undefined;
    if (!target) fence?.close();
    give(before);
  }

  /** Takes where it writes; the fence is copied. */
  setOutput(buffer: GraphicBuffer, fence: NativeFence | null): void {
    const before = this.output;
    this.output = take(buffer, fence?.dup() ?? null);
    give(before);
  }

  /** Takes where the next frame is copied. */
  setReadback(buffer: GraphicBuffer, fence: NativeFence | null): void {
    give(this.readback);
    this.readback = take(buffer, fence);
  }

  /** The buffer for a copy of this frame, which the caller then owns. */
  takeReadback(): FencedBuffer | undefined {
    const { readback } = this;
    this.readback = undefined;
    return readback;
  }

  /** Gives back everything. */
  close(): void {
    this.physical?.ticker.stop();
    this.physical?.idleness.stop();
    this.physical?.configSwitch.cancel();
    this.physical?.scanout.blank();
    this.physical?.scanout.device.close?.();
    this.physical?.sampler.close();
    this.virtual?.close();
    for (const layer of this.layers.values()) layer.close();
    this.layers.clear();
    for (const held of [this.clientTarget, this.output, this.readback]) give(held);
    this.clientTarget = this.output = this.readback = undefined;
  }
}

/** The parts of a panel that virtual displays lack. */
export interface PhysicalParts {
  readonly scanout: Scanout;
  readonly ticker: VsyncTicker;
  readonly configSwitch: ConfigSwitch;
  readonly idleness: Idleness;
  readonly sampler: ContentSampler;
  readonly timing: Timing;
}

function take(buffer: GraphicBuffer, fence: NativeFence | null): FencedBuffer {
  return { buffer: holdBuffer(buffer.retain()), fence: fence ?? undefined };
}

/** Gives back a buffer and its fence. */
export function give(held: FencedBuffer | undefined): void {
  if (!held) return;
  held.fence?.close();
  dropBuffer(held.buffer);
}
