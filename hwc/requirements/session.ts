import { callback, number, type OptionRules, typed } from "../../ffi/check_options.ts";
import type { Verdict } from "../../loader/requirements/verdict.ts";
import type { BufferRequest } from "../../wsi/buffer/check_request.ts";
import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { NativeFence } from "../../wsi/fence/native_fence.ts";
import { type AsyncComposer, takesAnyFence } from "../composer.ts";
import { ATTRIBUTE, CALLBACK, CONNECTION, POWER_MODE, VSYNC } from "../device_types.ts";
import { HwcError } from "../hwc_error.ts";
import { ERROR, FORMAT, type Rect } from "../types.ts";

/** Settings of {@linkcode checkComposer}. */
export interface ComposerCheckOptions {
  /** Allocates the buffers for the check. Default: `allocateBuffer()` of `@pumice/gfx/wsi`. */
  readonly allocate?: (request: BufferRequest) => GraphicBuffer;
  /** The owner of the composer, for the verdicts. Default `"driver"`. */
  readonly own?: Verdict["own"];
  /**
   * Lets at most one vsync of the device's time pass while the check waits; for composers on a clock that a test moves.
   * Default: a millisecond of real time.
   */
  readonly pass?: () => void | Promise<void>;
  /** The most calls of `pass` before the check stops waiting. Default 3000. */
  readonly passes?: number;
}

/** The options of a check, with the values that fit. */
export const COMPOSER_CHECK_RULES: OptionRules<ComposerCheckOptions> = {
  allocate: callback("makes a buffer"),
  own: typed('whose fault a failure is: "driver" or another', "string"),
  pass: callback("lets time pass"),
  passes: number,
};

const USED = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.COMPOSER_OVERLAY;
const MILLISECOND = 1, PASSES = 3000;

/** A client that checks a composer. */
export class ComposerSession {
  /** The composer under test. */
  readonly composer: AsyncComposer;
  /** The displays that are connected, in the order they were told of. */
  readonly displays: bigint[] = [];
  /** Whether something was told while registerCallback() for HOTPLUG ran. */
  toldAtOnce = false;
  /** The times of vsyncs, in nanoseconds. */
  readonly vsyncs: bigint[] = [];
  /** All of the first display. */
  screen: Rect = { left: 0, top: 0, right: 0, bottom: 0 };
  readonly #options: ComposerCheckOptions;
  readonly #buffers: GraphicBuffer[] = [];
  readonly #layers: (readonly [display: bigint, layer: bigint])[] = [];

  /** See {@linkcode ComposerSession.open}. */
  constructor(composer: AsyncComposer, options: ComposerCheckOptions) {
    this.composer = composer;
    this.#options = options;
  }

  /** The first display, which is the internal one. */
  get display(): bigint {
    return this.displays[0];
  }

  /** Whether the composer is given fences of every kind; see `openHwc2`. */
  get takesAnyFence(): boolean {
    return takesAnyFence(this.composer);
  }

  /** Registers for displays and vsyncs, and turns the first display on. Throws if the composer refuses. */
  async open(): Promise<void> {
    const { composer } = this;
    await composer.registerCallback(CALLBACK.HOTPLUG, (display: bigint, connection: number) => {
      const at = this.displays.indexOf(display);
      if (connection === CONNECTION.CONNECTED && at < 0) this.displays.push(display);
      if (connection === CONNECTION.DISCONNECTED && at >= 0) this.displays.splice(at, 1);
    });
    this.toldAtOnce = this.displays.length > 0;
    await composer.registerCallback(CALLBACK.VSYNC, (_display, time) => void this.vsyncs.push(time));
    await this.until(() => this.displays.length > 0);
    if (this.displays.length === 0) return;
    await composer.setPowerMode(this.display, POWER_MODE.ON);
    await this.measure();
  }

  /** Asks how large the first display is now. */
  async measure(): Promise<void> {
    const { composer, display } = this, config = await composer.getActiveConfig(display);
    const right = await composer.getDisplayAttribute(display, config, ATTRIBUTE.WIDTH);
    const bottom = await composer.getDisplayAttribute(display, config, ATTRIBUTE.HEIGHT);
    this.screen = { left: 0, top: 0, right, bottom };
  }

  /** Whether the composer has a function of hwcomposer2.h. */
  async has(descriptor: number): Promise<boolean> {
    return await this.composer.getFunction(descriptor) !== undefined;
  }

  /** A buffer that is given back when the probe is over; the CPU can write it unless told otherwise. */
  allocate(request: Partial<BufferRequest> = {}): GraphicBuffer {
    const { right: width, bottom: height } = this.screen, { allocate = allocateBuffer } = this.#options;
    const buffer = allocate({ width, height, format: FORMAT.RGBA_8888, usage: USED, ...request });
    this.#buffers.push(buffer);
    return buffer;
  }

  /** A layer that is destroyed when the probe is over. */
  async createLayer(display: bigint = this.display): Promise<bigint> {
    const layer = await this.composer.createLayer(display);
    this.#layers.push([display, layer]);
    return layer;
  }

  /** Turns the first display's vsyncs on or off. */
  async setVsync(isOn: boolean): Promise<void> {
    await this.composer.setVsyncEnabled(this.display, isOn ? VSYNC.ENABLE : VSYNC.DISABLE);
  }

  /** Lets time pass until something is so, or the passes are used up: whether it is so. */
  async until(isSo: () => boolean): Promise<boolean> {
    const { pass = aMoment, passes = PASSES } = this.#options;
    for (let left = passes; left > 0 && !isSo(); left--) await pass();
    return isSo();
  }

  /** Waits for a fence and closes it: whether it signalled. */
  async signals(fence: NativeFence): Promise<boolean> {
    try {
      return await this.until(() => fence.poll());
    } finally {
      fence.close();
    }
  }

  /** Takes away the layers and buffers of a probe. */
  async clear(): Promise<void> {
    await this.clearLayers();
    for (const buffer of this.#buffers.splice(0)) buffer.close();
  }

  /** Takes away the layers alone. */
  async clearLayers(): Promise<void> {
    for (const [display, layer] of this.#layers.splice(0)) {
      await ignoring(() => this.composer.destroyLayer(display, layer), ERROR.BAD_LAYER, ERROR.BAD_DISPLAY);
    }
  }

  /** Unregisters. The caller keeps the composer. */
  async close(): Promise<void> {
    await this.clear();
    if (this.displays.length > 0) await ignoring(() => this.setVsync(false));
    for (const callback of [CALLBACK.VSYNC, CALLBACK.HOTPLUG] as const) {
      await ignoring(() => this.composer.registerCallback(callback, null));
    }
  }
}

/** The code of the error that a call ends with; 0 for none. */
export async function errorOf(call: () => unknown): Promise<number> {
  try {
    await call();
    return ERROR.NONE;
  } catch (error) {
    if (error instanceof HwcError) return error.code;
    throw error;
  }
}

/** Some errors, or all, don't matter. */
async function ignoring(call: () => unknown, ...codes: number[]): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof HwcError) || (codes.length > 0 && !codes.includes(error.code))) throw error;
  }
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, MILLISECOND));
}
