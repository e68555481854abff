import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { FrameConsumer } from "../../wsi/contract/frame_consumer.ts";
import type { Window } from "../../wsi/contract/window.ts";
import { NativeWindow } from "../../wsi/window/native_window.ts";
import { checkingArguments } from "../arguments.ts";
import type { Composer } from "../composer.ts";
import { CALLBACK, CONNECTION } from "../device_types.ts";
import { FUNCTION_NAMES } from "../function_names.ts";
import type { FramePlan } from "../planes/frame_plan.ts";
import type { PlaneModel } from "../planes/plane.ts";
import type { PlaneStrategy } from "../planes/strategy.ts";
import { configCalls } from "./calls/config_calls.ts";
import { contentCalls } from "./calls/content_calls.ts";
import { checkComposerOptions } from "./check_options.ts";
import { Device } from "./device.ts";
import type { Display } from "./display.ts";
import { deviceCalls } from "./calls/device_calls.ts";
import { displayCalls } from "./calls/display_calls.ts";
import { frameCalls } from "./calls/frame_calls.ts";
import { layerCalls } from "./calls/layer_calls.ts";
import { makePanel } from "./panel/make_panel.ts";
import type { ReferenceComposerOptions } from "./options.ts";
import type { PanelMode, PanelOptions } from "./panel/panel.ts";
import { ERROR, type Rect } from "../types.ts";
import { composeScreen, settingsOf } from "./output/present.ts";
import { namingErrors, refuse } from "./refusal.ts";
import { WindowOutput } from "./output/window_output.ts";

/** Counters of a display of a reference composer. */
export interface DisplayStatistics {
  /** Number of frames presented. */
  readonly presented: number;
  /** Number of validations. */
  readonly validated: number;
  /** How often the layers were flattened because nothing changed. */
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
  /** When the frame was presented, in nanoseconds of the composer's clock. */
  readonly presented: bigint;
  /** When the last acquire fence of the frame was signalled. */
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

/**
 * Creates a hardware composer in TypeScript, with simulated panels, planes as data, a strategy, and virtual displays.
 * Frames appear at a panel's vsyncs, which a timer or a test's clock decides.
 *
 * @example A frame on a simulated panel
 * ```ts ignore
 * import { COMPOSITION, createReferenceComposer, ManualClock } from "@pumice/gfx/hwc";
 *
 * const clock = new ManualClock();
 * using composer = createReferenceComposer({ clock });
 * composer.registerCallback(1, (display) => console.log(composer.getDisplayName(display)));
 * ```
 */
export function createReferenceComposer(options: ReferenceComposerOptions = {}): ReferenceComposer {
  checkComposerOptions(options);
  const composer = composerOf(new Device(options));
  for (const panel of options.panels ?? [{}]) composer.plug(panel);
  return composer;
}

/** The methods of a device, as a client calls them. */
export function composerOf(device: Device): ReferenceComposer {
  const methods = checkingArguments({
    ...deviceCalls(device),
    ...displayCalls(device),
    ...configCalls(device),
    ...layerCalls(device),
    ...frameCalls(device),
    ...contentCalls(device),
  }, device);
  const calls = namingErrors({ ...methods, ...controls(device) });
  const close = () => device.close();
  const composer: ReferenceComposer = {
    ...calls,
    getFunction: (descriptor) => {
      const name = FUNCTION_NAMES[descriptor];
      return name && composer[name] as (...args: never[]) => unknown;
    },
    close,
    [Symbol.dispose]: close,
  };
  return composer;
}

function controls(device: Device): ReferenceControls {
  return {
    plug: (panel) => device.plug(panel).id,
    unplug: (id) => device.unplug(device.display(id)),
    changeModes(id, modes) {
      const display = device.display(id);
      display.modes = makePanel({ modes }, 0).modes;
      display.activeConfig = 0;
      display.physical?.configSwitch.cancel();
      if (display.physical) device.setConfig(display, display.physical.timing, 0, device.clock.now());
      display.modify();
      device.emit(CALLBACK.HOTPLUG, id, CONNECTION.CONNECTED);
    },
    refresh: (id) => device.refresh(device.display(id)),
    blockSeamless(id, blocked) {
      device.display(id);
      const before = device.blocked.get(id);
      if (blocked) return void device.blocked.set(id, before ?? { refused: false });
      device.blocked.delete(id);
      if (before?.refused) device.emit(CALLBACK.SEAMLESS_POSSIBLE, id);
    },
    setStrategy(id, strategy) {
      const display = device.display(id);
      if (typeof strategy?.plan !== "function") refuse(ERROR.BAD_PARAMETER, "give a strategy, such as leastGpuWork()");
      display.strategy = strategy;
      device.refresh(display);
    },
    nameLayer: (id, layer, name) => void (device.layer(id, layer).layer.name = name),
    planes: (id) => device.display(id).model,
    setPlanes(id, planes) {
      const display = device.display(id);
      if (!Array.isArray(planes?.planes)) refuse(ERROR.BAD_PARAMETER, "give a model of planes, such as fourPlane()");
      display.model = planes;
      device.refresh(display);
    },
    plan: (id) => device.display(id).plan,
    shown: (id) => shownOn(device.display(id)),
    capture: (id, into) => capture(device, device.display(id), into),
    showOn: (id, where, onError) => showOn(device, device.display(id), where, onError),
    onFlip: (listener) => listen(device.listeners, listener),
    onCursor: (listener) => listen(device.cursorListeners, listener),
    onHotplug: (listener) => listen(device.hotplugListeners, listener),
    statistics(id) {
      const { counts: { presented, validated, flattened }, physical } = device.display(id);
      const { shown = 0, dropped = 0, timedOut = 0 } = physical?.scanout.counts ?? {};
      return { presented, validated, flattened, shown, overtaken: dropped, fencesGivenUp: timedOut };
    },
  };
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function shownOn({ physical }: Display): ShownFrame | undefined {
  const { onScreen, counts } = physical?.scanout ?? {};
  if (!onScreen) return undefined;
  const { plan, planned, queued: presented, ready = presented, appeared: shown = presented } = onScreen;
  const layers = plan.decisions.map(({ layer }, at) => {
    const moved = onScreen.layers.find(({ name }) => name === layer.name);
    return { ...planned[at], place: (moved ?? layer).displayFrame };
  });
  return { number: counts!.shown, plan, layers, presented, ready, shown };
}

function capture(device: Device, display: Display, into: GraphicBuffer): void {
  const layers = display.physical?.scanout.onScreen?.layers ?? [];
  composeScreen(device.compositor, into, layers, settingsOf(display));
}

function showOn(
  device: Device,
  display: Display,
  where: Window | FrameConsumer,
  onError: ((error: unknown) => void) | undefined,
): () => void {
  const { width, height } = display.mode;
  const own = "onFrame" in where ? new NativeWindow({ width, height, consumer: where, onError }) : undefined;
  const output = new WindowOutput(own ?? where as Window);
  const show = (id: bigint, time: bigint = device.clock.now()) => {
    if (id === display.id) output.show(display.screen, time, (into) => capture(device, display, into));
  };
  const ends = [listen(device.listeners, show), listen(device.cursorListeners, (id: bigint) => show(id))];
  return () => {
    for (const end of ends) end();
    output.close();
    own?.close();
  };
}
