import type { CompositionBackend } from "../backends/backend.ts";
import { createCpuBackend } from "../backends/create.ts";
import { CALLBACK, CONNECTION } from "../device_types.ts";
import type { ComposerCallbacks } from "../composer_records.ts";
import { blitterPlane, fourPlane } from "../planes/models.ts";
import type { PlaneModel } from "../planes/plane.ts";
import { leastGpuWork, type PlaneStrategy } from "../planes/strategy.ts";
import { ERROR } from "../types.ts";
import { type Clock, systemClock } from "./time/clock.ts";
import type { BootConfigs, Compositor, ReferenceComposerOptions } from "./options.ts";
import { ConfigSwitch } from "./panel/config_switch.ts";
import { ContentSampler } from "./output/content_sampler.ts";
import { DeviceOutput, VirtualOutput } from "./output/virtual_output.ts";
import { Display } from "./display.ts";
import { Idleness } from "./time/alarm.ts";
import { Layer } from "./layer.ts";
import { makePanel, type Panel, type PanelMode, type PanelOptions } from "./panel/panel.ts";
import { refuse } from "./refusal.ts";
import { Scanout, type ScanoutDevice } from "./output/scanout.ts";
import { Timing, VsyncTicker } from "./time/vsyncs.ts";

const MILLISECOND = 1_000_000n;
/** Handles are far apart, so that none is another's neighbour, and far from the small numbers that clients try. */
const FIRST_DISPLAY = 0x7d15_0000_0100n, FIRST_LAYER = 0x1a7e_0000_0100n, STEP = 0x40n;

/** A device that writes the frames of a virtual display. */
export interface VirtualDevice {
  readonly screen: ScanoutDevice;
  readonly planes: PlaneModel;
  readonly strategy: PlaneStrategy;
}

/** Nanoseconds between a mode's vsyncs. */
export function periodOf({ refreshRate }: PanelMode): number {
  return Math.round(1e9 / refreshRate);
}

/** A device, simulated or a card: its displays, its callbacks, what they share. */
export class Device {
  readonly options: ReferenceComposerOptions;
  readonly clock: Clock;
  readonly compositor: Compositor;
  readonly displays: Map<bigint, Display> = new Map();
  readonly callbacks: Map<number, (...args: never[]) => void> = new Map();
  /** Displays whose seamless changes are blocked, and those that were refused one. */
  readonly blocked: Map<bigint, { refused: boolean }> = new Map();
  readonly debugRefreshRate: Set<bigint> = new Set();
  /** Called after each flip. */
  readonly listeners: Set<(display: bigint, time: bigint) => void> = new Set();
  /** Called at the vsync after a cursor was moved. */
  readonly cursorListeners: Set<(display: bigint) => void> = new Set();
  /** Called after a panel came or went. */
  readonly hotplugListeners: Set<(display: bigint, isThere: boolean) => void> = new Set();
  /** The initial configs of panels, by port. */
  readonly bootConfigs: BootConfigs;
  /** Opens a device that writes the frames of a virtual display; `undefined` if there is none left. */
  openWriter: ((mode: PanelMode, display: () => Display) => VirtualDevice | undefined) | undefined;
  isClosed = false;
  /** Opened by the first picture that is wanted: frames that nobody looks at need none. */
  #backend: CompositionBackend | undefined;
  #nextDisplay = FIRST_DISPLAY;
  #nextLayer = FIRST_LAYER;
  #panels = 0;

  /** A device with no display. */
  constructor(options: ReferenceComposerOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock();
    this.compositor = options.compositor ??
      ((target, layers, settings) => (this.#backend ??= createCpuBackend()).compose(target, layers, settings));
    this.bootConfigs = options.bootConfigs ?? new Map();
  }

  /** A display by its handle, or BAD_DISPLAY. */
  display(id: bigint): Display {
    this.#refuseIfClosed();
    return this.displays.get(id) ??
      refuse(ERROR.BAD_DISPLAY, `there is no display ${hex(id)}; use the handle of a hotplug, until it is unplugged`);
  }

  /** A display and one of its layers, or BAD_DISPLAY or BAD_LAYER. */
  layer(display: bigint, id: bigint): { display: Display; layer: Layer } {
    const found = this.display(display), layer = found.layers.get(id);
    return {
      display: found,
      layer: layer ?? refuse(ERROR.BAD_LAYER, `display ${hex(display)} has no layer ${hex(id)}; create it first`),
    };
  }

  /** A new layer with a handle, which is called by its number as long as the client gives no name. */
  newLayer(): Layer {
    const id = this.#nextLayer += STEP;
    return new Layer(id, `layer ${(id - FIRST_LAYER) / STEP}`);
  }

  /** Calls the client back, if it wants that. */
  emit<Descriptor extends keyof ComposerCallbacks>(
    descriptor: Descriptor,
    ...args: Parameters<ComposerCallbacks[Descriptor]>
  ): boolean {
    const callback = this.callbacks.get(descriptor) as ((...args: unknown[]) => void) | undefined;
    callback?.(...args);
    return callback !== undefined;
  }

  /** Connects a panel; `openScreen` gives what shows the panel's frames at the panel's vsyncs. */
  plug(options: PanelOptions, openScreen: (timing: Timing) => ScanoutDevice): Display {
    this.#refuseIfClosed();
    const panel = makePanel(options, this.#panels), isFirst = this.#panels === 0;
    if (isFirst !== (panel.connection === "internal")) {
      const found = isFirst ? "the first panel is external" : `${panel.name} is a second internal one`;
      refuse(ERROR.BAD_PARAMETER, `${found}; exactly one panel is internal, and it comes first`);
    }
    this.#panels++;
    const display = this.#makePhysical(panel, openScreen);
    this.displays.set(display.id, display);
    this.emit(CALLBACK.HOTPLUG, display.id, CONNECTION.CONNECTED);
    for (const listener of this.hotplugListeners) listener(display.id, true);
    return display;
  }

  /** Disconnects a panel. */
  unplug(display: Display): void {
    if (!display.panel) {
      refuse(ERROR.BAD_PARAMETER, "a virtual display is not plugged; destroyVirtualDisplay() ends it");
    }
    if (display.panel.connection === "internal") {
      refuse(ERROR.BAD_PARAMETER, "the internal panel cannot be unplugged; turn it off with setPowerMode()");
    }
    this.remove(display);
    this.emit(CALLBACK.HOTPLUG, display.id, CONNECTION.DISCONNECTED);
    for (const listener of this.hotplugListeners) listener(display.id, false);
  }

  /** Removes a display. */
  remove(display: Display): void {
    this.displays.delete(display.id);
    this.blocked.delete(display.id);
    this.debugRefreshRate.delete(display.id);
    display.close();
  }

  /** A display that writes to buffers. */
  makeVirtual(width: number, height: number): Display {
    this.#refuseIfClosed();
    const { clock, options } = this, timeout = this.#fenceTimeout, mode = { width, height, refreshRate: 60 };
    const writer = this.openWriter?.(mode, () => display), plain = new VirtualOutput(clock, timeout);
    const timing = new Timing(clock.now(), periodOf(mode)), device = writer?.screen;
    const virtual = device ? new DeviceOutput(new Scanout({ clock, timing, timeout, device }), plain) : plain;
    const display: Display = new Display({
      id: this.#newDisplayId(),
      modes: [mode],
      model: writer?.planes ?? options.virtualDisplays?.planes ?? blitterPlane(),
      strategy: writer?.strategy ?? options.strategy ?? leastGpuWork(),
    }, { virtual });
    this.displays.set(display.id, display);
    return display;
  }

  /** The number of virtual displays. */
  get virtualCount(): number {
    return [...this.displays.values()].filter(({ virtual }) => virtual).length;
  }

  /** A frame appeared on a panel. */
  flipped(display: Display, time: bigint): void {
    for (const listener of this.listeners) listener(display.id, time);
  }

  /** A frame must be sent again. */
  refresh(display: Display): void {
    if (display.state === "presented") display.modify();
    this.emit(CALLBACK.REFRESH, display.id);
  }

  /** Ends it all. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const display of this.displays.values()) display.close();
    this.displays.clear();
    this.#backend?.close();
    this.callbacks.clear();
    this.listeners.clear();
    this.hotplugListeners.clear();
    this.cursorListeners.clear();
  }

  get #fenceTimeout(): bigint {
    return BigInt(this.options.fenceTimeout ?? 3000) * MILLISECOND;
  }

  #newDisplayId(): bigint {
    return this.#nextDisplay += STEP;
  }

  #refuseIfClosed(): void {
    if (this.isClosed) refuse(ERROR.NO_RESOURCES, "the composer is closed; open another one");
  }

  #makePhysical(panel: Panel, openScreen: (timing: Timing) => ScanoutDevice): Display {
    const { clock } = this, id = this.#newDisplayId(), boot = this.bootConfigs.get(panel.connector);
    const activeConfig = boot !== undefined && boot < panel.modes.length ? boot : 0;
    const timing = new Timing(clock.now(), periodOf(panel.modes[activeConfig]));
    const screen = openScreen(timing);
    const tellsVsyncs = screen.nextVsync && ((tell: (time: bigint) => void) => screen.nextVsync!(tell));
    const ticker = new VsyncTicker(clock, timing, (timestamp) => this.#vsync(id, timestamp, timing), tellsVsyncs);
    const configSwitch = new ConfigSwitch(clock, timing, panel.refreshToSwitch, {
      apply: (config, time) => this.setConfig(display, timing, config, time),
      changed: (timeline) => this.emit(CALLBACK.VSYNC_PERIOD_TIMING_CHANGED, id, timeline),
    });
    const flattenAfter = BigInt(this.options.flattenAfter ?? 1000) * MILLISECOND;
    const idleness = new Idleness(clock, flattenAfter, () => this.#flatten(display), () => {
      this.emit(CALLBACK.VSYNC_IDLE, id);
    });
    const physical = {
      scanout: new Scanout({ clock, timing, timeout: this.#fenceTimeout, device: screen }, () => {
        for (const listener of this.cursorListeners) listener(id);
      }),
      ticker,
      configSwitch,
      idleness,
      sampler: new ContentSampler(),
      timing,
    };
    const model = panel.planes ?? this.options.planes ?? fourPlane();
    const strategy = panel.strategy ?? this.options.strategy ?? leastGpuWork();
    const display: Display = new Display({ id, panel, modes: panel.modes, model, strategy }, { physical });
    display.activeConfig = activeConfig;
    screen.setMode?.(activeConfig);
    return display;
  }

  /** A display is in another mode from a vsync on. */
  setConfig(display: Display, timing: Timing, config: number, time: bigint): void {
    const before = timing.period;
    display.activeConfig = config;
    timing.change(time, periodOf(display.mode));
    display.physical!.scanout.device.setMode?.(config);
    display.physical!.ticker.reset();
    if (display.state === "presented") display.modify();
    if (timing.period !== before && this.debugRefreshRate.has(display.id)) {
      this.emit(CALLBACK.REFRESH_RATE_CHANGED_DEBUG, display.id, timing.period);
    }
  }

  #vsync(id: bigint, timestamp: bigint, { period }: Timing): void {
    if (!this.emit(CALLBACK.VSYNC_2_4, id, timestamp, period)) this.emit(CALLBACK.VSYNC, id, timestamp);
  }

  #flatten(display: Display): void {
    if (!display.isOn || !display.worthFlattening) return;
    display.flatten = "wanted";
    this.refresh(display);
  }
}

/** A handle as text. */
export function hex(id: bigint): string {
  return `0x${BigInt.asUintN(64, id).toString(16)}`;
}
