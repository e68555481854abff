import { closeDescriptor, isSealedAgainstShrinking, sealAgainstShrinking } from "../../../ffi/file/file_descriptor.ts";
import { isDmaBuf } from "../../../wsi/buffer/dma_buf.ts";
import { importBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { HANDLE_INTS, TILED_HANDLE_INTS } from "../../../wsi/buffer/native_handle.ts";
import { WsiError } from "../../../wsi/error.ts";
import { IDENTITY } from "../../backends/colors/color_matrix.ts";
import type { AsyncComposer } from "../../composer.ts";
import { refuse } from "../../core/refusal.ts";
import { COLOR_MODE, COLOR_TRANSFORM, CONTENT_SAMPLING, CONTENT_TYPE, POWER_MODE, VSYNC } from "../../device_types.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import type { Call } from "../batch.ts";
import type { NamedBuffers, Reader } from "../wire/reader.ts";
import { MOST_SLOTS, SENT } from "../wire/wire.ts";

const NOTHING_YET = 0n;

/** A command of a client, done. */
type Done = Pick<Call, "name" | "args">;

type Undo = (composer: AsyncComposer, display: bigint) => unknown;

/** The calls that undo a client's settings, by method: they restore the initial state of every display. */
const UNDO: Readonly<Record<string, Undo>> = {
  setVsyncEnabled: (composer, display) => composer.setVsyncEnabled(display, VSYNC.DISABLE),
  setIdleTimerEnabled: (composer, display) => composer.setIdleTimerEnabled(display, 0),
  setRefreshRateChangedCallbackDebugEnabled: (composer, display) =>
    composer.setRefreshRateChangedCallbackDebugEnabled(display, false),
  setDisplayedContentSamplingEnabled: (composer, display) =>
    composer.setDisplayedContentSamplingEnabled(display, CONTENT_SAMPLING.DISABLE, 0, 0n),
  setContentType: (composer, display) => composer.setContentType(display, CONTENT_TYPE.NONE),
  setAutoLowLatencyMode: (composer, display) => composer.setAutoLowLatencyMode(display, false),
  setExpectedPresentTime: (composer, display) => composer.setExpectedPresentTime(display, NOTHING_YET),
  setClientTarget: (composer, display) => composer.setClientTarget(display, null, null, 0, []),
  setColorTransform: (composer, display) => composer.setColorTransform(display, IDENTITY, COLOR_TRANSFORM.IDENTITY),
  setColorMode: (composer, display) => composer.setColorMode(display, COLOR_MODE.NATIVE),
  setColorModeWithRenderIntent: (composer, display) => composer.setColorMode(display, COLOR_MODE.NATIVE),
  setDisplayBrightness: (composer, display) => composer.setDisplayBrightness(display, 1),
};

/**
 * A client's layers, displays and settings at a composer, so that all of them
 * can be removed when the client is gone.
 */
export class Belongings {
  readonly #composer: AsyncComposer;
  readonly #layers = new Map<bigint, Set<bigint>>();
  readonly #virtual = new Set<bigint>();
  readonly #callbacks = new Set<number>();
  readonly #settings = new Map<bigint, Set<string>>();
  readonly #configs = new Map<bigint, number>();
  readonly #log: (message: string) => void;

  /** Nothing yet. */
  constructor(composer: AsyncComposer, log: (message: string) => void) {
    this.#composer = composer;
    this.#log = log;
  }

  /** Before a call. The config that a display had comes back with the next client. */
  before({ name, args: [display] }: Done): Promise<void> | undefined {
    const isSwitch = name === "setActiveConfig" || name === "setActiveConfigWithConstraints";
    if (!isSwitch || this.#configs.has(display as bigint)) return;
    return this.#keepConfig(display as bigint);
  }

  /** A call has succeeded. */
  note({ name, args }: Done, result: unknown): void {
    const [display, layer] = args as [bigint, bigint];
    if (name === "createLayer") this.#layersOf(display).add(result as bigint);
    else if (name === "destroyLayer") this.#layersOf(display).delete(layer);
    else if (name === "createVirtualDisplay") this.#virtual.add((result as { display: bigint }).display);
    else if (name === "destroyVirtualDisplay") this.#forget(display);
    else if (name === "registerCallback") this.#callbacks.add(args[0] as number);
    else if (name in UNDO || name === "setPowerMode" || name === "setReadbackBuffer") {
      this.#settingsOf(display).add(name);
    }
  }

  /** Leaves the composer as it was before the client came: no layers, one last frame that is black, everything off. */
  async clear(): Promise<void> {
    const composer = this.#composer;
    for (const descriptor of this.#callbacks) await this.#tried(() => composer.registerCallback(descriptor as 1, null));
    for (const display of new Set([...this.#layers.keys(), ...this.#settings.keys()])) {
      await this.#clearDisplay(display);
    }
    for (const display of this.#virtual) await this.#tried(() => composer.destroyVirtualDisplay(display));
    for (const [display, config] of this.#configs) await this.#tried(() => composer.setActiveConfig(display, config));
  }

  async #clearDisplay(display: bigint): Promise<void> {
    const composer = this.#composer, settings = this.#settingsOf(display), layers = this.#layersOf(display);
    for (const layer of layers) await this.#tried(() => composer.destroyLayer(display, layer));
    for (const [name, undo] of Object.entries(UNDO)) {
      if (settings.has(name)) await this.#tried(() => undo(composer, display));
    }
    const hasShown = layers.size > 0 || settings.has("setClientTarget") || settings.has("setReadbackBuffer");
    if (hasShown && !this.#virtual.has(display)) await this.#tried(() => this.#showNothing(display));
    if (settings.has("setPowerMode")) await this.#tried(() => composer.setPowerMode(display, POWER_MODE.OFF));
  }

  async #showNothing(display: bigint): Promise<void> {
    const composer = this.#composer, { numTypes } = await composer.validateDisplay(display);
    if (numTypes > 0) await composer.acceptDisplayChanges(display);
    (await composer.presentDisplay(display)).close();
  }

  async #keepConfig(display: bigint): Promise<void> {
    await this.#tried(async () => this.#configs.set(display, await this.#composer.getActiveConfig(display)));
  }

  #forget(display: bigint): void {
    this.#virtual.delete(display);
    this.#layers.delete(display);
    this.#settings.delete(display);
  }

  #layersOf(display: bigint): Set<bigint> {
    let layers = this.#layers.get(display);
    if (!layers) this.#layers.set(display, layers = new Set());
    return layers;
  }

  #settingsOf(display: bigint): Set<string> {
    let settings = this.#settings.get(display);
    if (!settings) this.#settings.set(display, settings = new Set());
    return settings;
  }

  /** A display that was unplugged has nothing to be cleared away. */
  async #tried(run: () => unknown): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof HwcError)) {
        this.#log(`Cannot remove the layers, displays and settings of a client that is gone: ${error}`);
      }
    }
  }
}

/** The buffers that a client has sent, by their slots. */
export class ReceivedBuffers implements NamedBuffers {
  readonly #slots = new Map<number, GraphicBuffer>();

  /** The buffer that is meant, which stays this one's. Refuses one that cannot be used. */
  read(from: Reader): GraphicBuffer {
    const slot = from.u32();
    const sent = from.u8();
    if (sent === SENT.BEFORE) {
      return this.#slots.get(slot) ?? refuse(ERROR.BAD_PARAMETER, `there is no buffer in slot ${slot}; send it again`);
    }
    const length = sent === SENT.TILED ? TILED_HANDLE_INTS : HANDLE_INTS;
    const ints = Array.from({ length }, () => from.i32()), fd = from.fd();
    try {
      if (slot >= MOST_SLOTS) refuse(ERROR.BAD_PARAMETER, `there is no slot ${slot}; there are ${MOST_SLOTS} slots`);
      const buffer = importedBuffer(fd, ints);
      this.#slots.get(slot)?.close();
      this.#slots.set(slot, buffer);
      return buffer;
    } finally {
      closeDescriptor(fd);
    }
  }

  /** The client has closed these. */
  clear(slots: readonly number[]): void {
    for (const slot of slots) {
      this.#slots.get(slot)?.close();
      this.#slots.delete(slot);
    }
  }

  /** The client is gone. */
  close(): void {
    this.clear([...this.#slots.keys()]);
  }
}

/**
 * Another owner of a buffer that another process sent; the descriptor stays the caller's. A file that becomes smaller
 * while it is read would end this process. Refuses one that cannot be used.
 */
export function importedBuffer(fd: number, ints: readonly number[]): GraphicBuffer {
  if (!isSealedAgainstShrinking(fd) && !sealAgainstShrinking(fd) && !isDmaBuf(fd)) {
    refuse(ERROR.BAD_PARAMETER, "the buffer's file could become smaller while it is shown; give a memfd or a dma-buf");
  }
  try {
    return importBuffer(fd, ints);
  } catch (error) {
    if (!(error instanceof WsiError)) throw error;
    refuse(error.code.startsWith("out-of") ? ERROR.NO_RESOURCES : ERROR.BAD_PARAMETER, error.message);
  }
}
