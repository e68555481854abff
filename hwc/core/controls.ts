import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { FrameConsumer } from "../../wsi/contract/frame_consumer.ts";
import type { Window } from "../../wsi/contract/window.ts";
import type { Composer } from "../composer.ts";
import type { FramePlan } from "../planes/frame_plan.ts";
import type { PlaneModel } from "../planes/plane.ts";
import type { PlaneStrategy } from "../planes/strategy.ts";
import type { Rect } from "../types.ts";
import type { PanelMode, PanelOptions } from "./panel/panel.ts";

/** Counters of a display of a reference composer. */
export interface DisplayStatistics {
  /** Number of frames presented. */
  readonly presented: number;
  /** Number of validations. */
  readonly validated: number;
  /** The number of times that the layers were flattened because nothing changed. */
  readonly flattened: number;
  /** Number of frames that appeared on a panel; this counter and the following ones are 0 for virtual displays. */
  readonly shown: number;
  /** Number of frames that a later frame replaced before they appeared. */
  readonly overtaken: number;
  /** Number of frames shown although a fence was not signalled in time. */
  readonly fencesGivenUp: number;
}

/** A layer of a frame on a panel. */
export interface ShownLayer {
  /** The layer's handle. */
  readonly handle: bigint;
  /** The number of the layer's buffer, whoever composed the layer. */
  readonly buffer: bigint | undefined;
  /** The layer's current place; a cursor may have moved since the plan. */
  readonly place: Rect;
}

/** A frame on a panel. */
export interface ShownFrame {
  /** Counts the panel's frames; the first is 1. */
  readonly number: number;
  /** The frame's plan, whose `explain()` gives the reasons. */
  readonly plan: FramePlan;
  /** The plan's layers, in the order of the plan's decisions. */
  readonly layers: readonly ShownLayer[];
  /** The time at which the frame was presented, in nanoseconds of the composer's clock. */
  readonly presented: bigint;
  /** The time at which the last acquire fence of the frame was signalled. */
  readonly ready: bigint;
  /** The time of the vsync at which the frame appeared. */
  readonly shown: bigint;
}

/** Functions for scripts that control simulated panels; a client cannot do the same. */
export interface ReferenceControls {
  /**
   * Plugs a panel in, and returns its handle. The first panel must be internal, all others external; otherwise throws
   * an {@linkcode HwcError}.
   */
  plug(panel: PanelOptions): bigint;
  /** Unplugs an external panel. */
  unplug(display: bigint): void;
  /** Gives a panel other modes, as another cable would; HOTPLUG is called again. */
  changeModes(display: bigint, modes: readonly PanelMode[]): void;
  /** Asks the client for a new frame. */
  refresh(display: bigint): void;
  /**
   * Refuses seamless changes of the config for a while. SEAMLESS_POSSIBLE is called afterwards if a change was refused.
   */
  blockSeamless(display: bigint, blocked: boolean): void;
  /** Sets the strategy from the next validation on. */
  setStrategy(display: bigint, strategy: PlaneStrategy): void;
  /**
   * Names a layer in plans and messages. `SurfaceFlinger` gives each layer its own name; a layer without a name is
   * called by its number, such as `layer 3`.
   */
  nameLayer(display: bigint, layer: bigint, name: string): void;
  /** Returns the planes of a display. */
  planes(display: bigint): PlaneModel;
  /** Sets the planes from the next validation on, which no hardware can do. */
  setPlanes(display: bigint, planes: PlaneModel): void;
  /**
   * Returns the plan of the last validation, whose `explain()` gives the reason for every layer; `undefined` before the
   * first validation.
   */
  plan(display: bigint): FramePlan | undefined;
  /** Returns the frame that a panel shows; `undefined` before the first frame, and for a panel that is off. */
  shown(display: bigint): ShownFrame | undefined;
  /** Draws a panel's picture into a buffer; black if the panel is off. */
  capture(display: bigint, into: GraphicBuffer): void;
  /**
   * Also shows each frame of a panel elsewhere: on a consumer of frames (`x11Window()`, `webViewer()`,
   * `pngConsumer("out")` or another), which gets a window that is closed at the end; or on a window, which the caller
   * closes. Returns a function that ends this, and that throws the consumer's error unless `onError` got the error.
   */
  showOn(display: bigint, where: Window | FrameConsumer, onError?: (error: unknown) => void): () => void;
  /** Calls back after each flip. Returns a function that ends this. */
  onFlip(listener: (display: bigint, time: bigint) => void): () => void;
  /** Calls back at the vsync after a cursor moved without a frame. Returns a function that ends this. */
  onCursor(listener: (display: bigint) => void): () => void;
  /** Calls back after a panel was plugged in or unplugged. Returns a function that ends this. */
  onHotplug(listener: (display: bigint, isThere: boolean) => void): () => void;
  /** Returns the counters of a display. */
  statistics(display: bigint): DisplayStatistics;
}

/** A hardware composer with simulated panels: a {@linkcode Composer} with {@linkcode ReferenceControls} for scripts. */
export type ReferenceComposer = Composer & ReferenceControls;
