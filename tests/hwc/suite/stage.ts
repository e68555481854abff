/**
 * The stage of every case of the suite: a composer from a factory, its first
 * display, buffers that are given back, and the callbacks that came.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import type { AsyncComposer } from "../../../hwc/composer.ts";
import { BLEND, COMPOSITION, FORMAT, type Rect } from "../../../hwc/types.ts";
import { CALLBACK, CONNECTION, POWER_MODE, VSYNC } from "../../../hwc/device_types.ts";
import { HwcError, hwcErrorName } from "../../../hwc/hwc_error.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import type { ReferenceControls } from "../../../hwc/core/controls.ts";
import type { VsyncPeriodChangeTimeline } from "../../../hwc/composer_records.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";

/** A composer to be tested, whichever way it is reached. */
export interface Subject {
  /** The composer that the client sees. */
  readonly composer: AsyncComposer;
  /** The simulated device behind it. */
  readonly controls: ReferenceControls;
  /** The device's time, nanoseconds. */
  now(): bigint;
  /** Lets so much time pass at the device, and what it has to say arrive. */
  pass(nanoseconds: bigint): void | Promise<void>;
  /** Says what waits to be said together, for a composer that does not hear of everything at once. */
  flush?(): void | Promise<void>;
  /** Ends both. */
  close(): void | Promise<void>;
}

/** Makes a subject whose device has these settings. */
export type Factory = (options: ReferenceComposerOptions) => Subject | Promise<Subject>;

/** A case: what is done on a stage, with a device of its own settings if it needs one. */
export interface Case {
  readonly options?: ReferenceComposerOptions;
  run(stage: Stage): void | Promise<void>;
}

/** Cases by their names. */
export type Cases = Readonly<Record<string, Case | Case["run"]>>;

/** A display that no device has. */
export const NO_DISPLAY = 0xdead_beefn;
/** One second and less, in nanoseconds. */
export const SECOND = 1_000_000_000n, MILLISECOND = 1_000_000n;
/** No fence. */
export const NO_FENCE = null;

/** A vsync as it came. */
export interface SeenVsync {
  readonly display: bigint;
  readonly timestamp: bigint;
  readonly period: number;
}

/** A client of a composer under test. */
export class Stage {
  readonly subject: Subject;
  readonly composer: AsyncComposer;
  /** Displays that are connected, in the order they came. */
  readonly displays: bigint[] = [];
  readonly vsyncs: SeenVsync[] = [];
  readonly refreshes: bigint[] = [];
  readonly timelines: VsyncPeriodChangeTimeline[] = [];
  /** The callbacks that came and must not. */
  readonly stray: string[] = [];
  readonly #buffers: GraphicBuffer[] = [];
  readonly #vsyncWanted = new Set<bigint>();

  /** Before {@linkcode Stage.connect}, nobody has registered. */
  constructor(subject: Subject) {
    this.subject = subject;
    this.composer = subject.composer;
  }

  /** The first display. */
  get display(): bigint {
    return this.displays[0];
  }

  /** Registers for everything, as the fixtures of all suites do. */
  async connect(): Promise<void> {
    const { composer } = this;
    await composer.registerCallback(CALLBACK.HOTPLUG, (display: bigint, connection: number) => {
      this.#hotplug(display, connection);
    });
    await composer.registerCallback(CALLBACK.REFRESH, (display: bigint) => {
      if (!this.displays.includes(display)) this.stray.push(`refresh of display ${display}`);
      this.refreshes.push(display);
    });
    await composer.registerCallback(CALLBACK.VSYNC_2_4, (display: bigint, timestamp: bigint, period: number) => {
      if (!this.#vsyncWanted.has(display)) this.stray.push(`vsync of display ${display}`);
      this.vsyncs.push({ display, timestamp, period });
    });
    await composer.registerCallback(CALLBACK.VSYNC_PERIOD_TIMING_CHANGED, (_display, timeline) => {
      this.timelines.push(timeline);
    });
    await this.subject.pass(0n);
  }

  /** Turns a display on. */
  async powerOn(display = this.display): Promise<void> {
    await this.composer.setPowerMode(display, POWER_MODE.ON);
  }

  /** Turns vsyncs on or off. */
  async setVsync(enabled: boolean, display = this.display): Promise<void> {
    if (enabled) this.#vsyncWanted.add(display);
    await this.composer.setVsyncEnabled(display, enabled ? VSYNC.ENABLE : VSYNC.DISABLE);
    if (!enabled) this.#vsyncWanted.delete(display);
  }

  /** Lets a number of the display's vsyncs go by. */
  async passVsyncs(count: number, display = this.display): Promise<void> {
    const period = await this.composer.getDisplayVsyncPeriod(display);
    await this.subject.pass(BigInt(Math.ceil(period * count)));
  }

  /** All of a display. */
  screen(display = this.display): Promise<Rect> {
    return this.#screen(display);
  }

  /** A buffer that is given back at the end. */
  allocate(width: number, height: number, format: number = FORMAT.RGBA_8888): GraphicBuffer {
    const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.COMPOSER_OVERLAY;
    const buffer = allocateBuffer({ width, height, format, usage });
    this.#buffers.push(buffer);
    return buffer;
  }

  /** A buffer of a display's size. */
  async allocateScreen(display = this.display): Promise<GraphicBuffer> {
    const { right, bottom } = await this.#screen(display);
    return this.allocate(right, bottom);
  }

  /** A layer with a buffer of the display's size, for a plane. */
  async fullLayer(display = this.display, type: number = COMPOSITION.DEVICE): Promise<bigint> {
    const { composer } = this, screen = await this.#screen(display), layer = await composer.createLayer(display);
    await composer.setLayerBuffer(display, layer, await this.allocateScreen(display), NO_FENCE);
    await this.place(layer, screen, screen, display);
    await composer.setLayerBlendMode(display, layer, BLEND.PREMULTIPLIED);
    await composer.setLayerCompositionType(display, layer, type);
    return layer;
  }

  /** Says what a layer shows and where. */
  async place(layer: bigint, crop: Rect, frame: Rect, display = this.display): Promise<void> {
    await this.composer.setLayerSourceCrop(display, layer, crop);
    await this.composer.setLayerDisplayFrame(display, layer, frame);
  }

  /** Validates and accepts; gives the client target if it is needed. */
  async validate(display = this.display): Promise<void> {
    const { composer } = this, { numTypes } = await composer.validateDisplay(display);
    if (numTypes > 0) await composer.acceptDisplayChanges(display);
  }

  /** A whole frame. The present fence is the caller's. */
  async frame(display = this.display): Promise<NativeFence> {
    await this.validate(display);
    return await this.composer.presentDisplay(display);
  }

  /** Expects a call to fail with an error. */
  async fails(error: number, call: () => unknown): Promise<void> {
    const found = await this.errorOf(call);
    assertEquals(hwcErrorName(found), hwcErrorName(error));
  }

  /** The error a call ends with; 0 for none. */
  async errorOf(call: () => unknown): Promise<number> {
    try {
      await call();
      await this.subject.flush?.();
      return 0;
    } catch (error) {
      if (error instanceof HwcError) return error.code;
      throw error;
    }
  }

  /** Nothing came that must not, and the buffers are given back. */
  end(): void {
    for (const buffer of this.#buffers) buffer.close();
    assertEquals(this.stray, []);
  }

  async #screen(display: bigint): Promise<Rect> {
    const { composer } = this, config = await composer.getActiveConfig(display);
    const right = await composer.getDisplayAttribute(display, config, 1);
    const bottom = await composer.getDisplayAttribute(display, config, 2);
    return { left: 0, top: 0, right, bottom };
  }

  #hotplug(display: bigint, connection: number): void {
    const at = this.displays.indexOf(display);
    if (connection === CONNECTION.CONNECTED) {
      if (at < 0) this.displays.push(display);
    } else if (at < 0) this.stray.push(`hotplug of unknown display ${display}`);
    else this.displays.splice(at, 1);
  }
}

/** Waits at the device until a fence signals, three seconds at most, and closes it. */
export async function assertSignals(stage: Stage, fence: NativeFence): Promise<void> {
  for (let waited = 0n; waited < 3n * SECOND && !fence.poll(); waited += 10n * MILLISECOND) {
    await stage.subject.pass(10n * MILLISECOND);
  }
  assert(fence.poll(), `${fence.describe()} within 3 s`);
  fence.close();
}
