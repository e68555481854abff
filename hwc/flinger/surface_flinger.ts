import { NEWEST_RELEASE } from "../../loader/driver/android/options.ts";
import { fitted } from "../arguments.ts";
import { checkOptions, object, oneOf, type OptionRules, typed, yesOrNo } from "../../ffi/check_options.ts";
import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { CompositionBackend } from "../backends/backend.ts";
import { createCpuBackend } from "../backends/create.ts";
import { CALLBACK, CAPABILITY, CONNECTION, POWER_MODE } from "../device_types.ts";
import { FORMAT } from "../types.ts";
import { drawStack } from "./frame/compose_display.ts";
import type { FlingerDisplay } from "./displays/display.ts";
import { DisplayBook } from "./displays/display_book.ts";
import { describeDisplay, dumpText } from "./dump.ts";
import type { FlingerLayer } from "./layers/flinger_layer.ts";
import type { FrameContext } from "./frame/frame_context.ts";
import { FrameLoop } from "./frame/frame_loop.ts";
import { LayerBook, type Transaction } from "./layers/layer_book.ts";
import { checkChange, checkStack } from "./layers/layer_state.ts";
import {
  type DisplayInfo,
  type FlingerStatistics,
  type SurfaceFlingerOptions,
  VIRTUAL_DISPLAY_RULES,
  type VirtualDisplayOptions,
} from "./options.ts";
import { stackOf } from "./layers/stack.ts";
import { LAYER_RULES, type LayerOptions, type SurfaceLayer } from "./layers/surface_layer.ts";
import { settle, type Work, WorkQueue } from "./work.ts";

const RULES: OptionRules<SurfaceFlingerOptions> = {
  composer: object("a composer, such as createReferenceComposer()"),
  renderer: object("a backend, such as createCpuBackend()"),
  release: oneOf(7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17),
  powerOn: yesOrNo,
  log: typed("a function that takes a sentence", "function"),
};

/**
 * The hardware composer's client, which builds frames in the order of Android's SurfaceFlinger. The flinger wakes once
 * a vsync, and only if something changed. A wake applies transactions, takes new frames from producers, asks the
 * composer who composes each layer, composes the client's layers, presents, and returns fences to the producers.
 *
 * @example A window's frames on a simulated panel
 * ```ts ignore
 * import { createReferenceComposer, SurfaceFlinger } from "@pumice/gfx/hwc";
 *
 * using composer = createReferenceComposer();
 * using flinger = new SurfaceFlinger({ composer });
 * const layer = flinger.createLayer({ name: "app", window: { width: 1080, height: 1920 } });
 * // Give layer.window to a swapchain, or draw into it.
 * console.log(flinger.dump());
 * ```
 */
export class SurfaceFlinger implements Disposable, AsyncDisposable {
  readonly #options: SurfaceFlingerOptions;
  readonly #own: CompositionBackend | undefined;
  readonly #work = new WorkQueue((error) => this.#log(error instanceof Error ? error.message : String(error)));
  readonly #displays: DisplayBook;
  readonly #layers: LayerBook;
  readonly #frames: FrameLoop;
  readonly #context: { -readonly [Name in keyof FrameContext]: FrameContext[Name] };
  #isClosed = false;

  /**
   * Registers the composer's callbacks. Displays exist once the composer has reported them; a composer without Promises
   * reports them at once.
   */
  constructor(options: SurfaceFlingerOptions) {
    const { composer, release = NEWEST_RELEASE } = options;
    checkOptions("SurfaceFlinger", { ...options, composer: composer ?? null }, RULES);
    this.#options = options;
    this.#own = options.renderer ? undefined : createCpuBackend();
    const renderer = options.renderer ?? this.#own!;
    const log = (message: string) => this.#log(message);
    this.#displays = new DisplayBook(composer, renderer, log);
    this.#layers = new LayerBook(this.#displays, {
      schedule: () => this.#frames.schedule(),
      hurry: (layer) => this.#frames.hurry(layer),
      moveCursor: (layer, x, y) => this.#moveCursor(layer, x, y),
      log,
    });
    const layers = this.#layers.all;
    this.#context = { composer, renderer, layers, forcesClient: false, skipsValidate: false, log };
    const context = this.#context;
    this.#frames = new FrameLoop({
      context,
      release,
      work: this.#work,
      displays: this.#displays,
      layers: this.#layers,
    });
    this.#work.add(() => this.#begin());
  }

  *#begin(): Work {
    const { composer } = this.#options;
    const capabilities = yield* settle(composer.getCapabilities());
    this.#context.skipsValidate = capabilities.includes(CAPABILITY.SKIP_VALIDATE);
    yield* settle(composer.registerCallback(CALLBACK.VSYNC, (display, time) => this.#frames.onVsync(display, time)));
    yield* settle(composer.registerCallback(CALLBACK.REFRESH, (display) => this.#onRefresh(display)));
    const hotplug = (display: bigint, connection: number) => this.#onHotplug(display, connection);
    yield* settle(composer.registerCallback(CALLBACK.HOTPLUG, hotplug));
  }

  /** Resolves when the composer has answered all calls; at once for a composer without Promises. */
  async settled(): Promise<void> {
    await this.#work.settled();
  }

  /** Creates a layer above the other layers of the same z. Throws a `RangeError` for an invalid option. */
  createLayer(options: LayerOptions = {}): SurfaceLayer {
    checkOptions("createLayer()", options, LAYER_RULES);
    return this.#layers.create(options);
  }

  /** Starts a transaction: changes of several layers that become visible together. */
  transaction(): Transaction {
    return this.#layers.transaction();
  }

  /** The layers, in the order of their creation. */
  get layers(): readonly SurfaceLayer[] {
    return [...this.#layers.all];
  }

  /** The displays; the first one is the primary display. */
  get displays(): readonly DisplayInfo[] {
    return this.#displays.entries().map(([number, display]) => describeDisplay(display, number));
  }

  /**
   * Returns the layer that the composer of a display knows by a handle; `undefined` if there is none. Throws a
   * `RangeError` for an unknown display.
   */
  layerOf(number: number, handle: bigint): SurfaceLayer | undefined {
    for (const [layer, { id }] of this.#displays.get(number).hwcLayers) if (id === handle) return layer;
    return undefined;
  }

  /**
   * Creates a display that writes to a window, and returns the display's number. Throws a `RangeError` if another
   * producer draws to the window.
   */
  createVirtualDisplay(options: VirtualDisplayOptions): number {
    checkOptions("createVirtualDisplay()", options, VIRTUAL_DISPLAY_RULES, ["window"]);
    checkStack(options.layerStack);
    const [number, display] = this.#displays.addVirtual(options);
    if (options.usesComposer !== false) this.#work.add(() => this.#displays.tellComposer(display));
    this.#frames.schedule();
    return number;
  }

  /**
   * Destroys a virtual display; another producer can then draw to the window. Throws a `RangeError` for another
   * display.
   */
  destroyVirtualDisplay(number: number): void {
    const display = this.#displays.get(number);
    if (!display.output) throw new RangeError(`Cannot destroy display ${number}: it is not virtual; unplug it`);
    this.#work.add(() => this.#displays.destroy(number));
  }

  /**
   * Sets a display's POWER_MODE. A display that does not support DOZE is turned on instead. Throws a `RangeError` for
   * an unknown display.
   */
  setPowerMode(number: number, mode: number): void {
    fitted("i32", mode, "setPowerMode mode");
    const display = this.#displays.get(number);
    this.#work.add(() => this.#setPower(display, mode));
  }

  *#setPower(display: FlingerDisplay, mode: number): Work {
    if (mode === POWER_MODE.OFF) yield* this.#frames.leave(display);
    yield* this.#displays.setPower(display, mode);
    yield* this.#frames.follow();
  }

  /** Sets a display's COLOR_MODE. Throws a `RangeError` for an unknown display. */
  setColorMode(number: number, mode: number): void {
    fitted("i32", mode, "setColorMode mode");
    const display = this.#displays.get(number);
    this.#work.add(() => this.#displays.setColorMode(display, mode));
    this.#frames.schedule();
  }

  /** Changes a display's mode to the composer's config of this number. Throws a `RangeError` for an unknown display. */
  setActiveConfig(number: number, config: number): void {
    fitted("u32", config, "setActiveConfig config");
    const display = this.#displays.get(number);
    this.#work.add(() => this.#displays.setActiveConfig(display, config));
    this.#frames.schedule();
  }

  /** Sets the layer stack that a display shows. Throws a `RangeError` for an unknown display. */
  setLayerStack(number: number, layerStack: number): void {
    checkStack(layerStack);
    const display = this.#displays.get(number);
    display.layerStack = layerStack;
    display.isDirty = true;
    this.#frames.schedule();
  }

  /** Makes the client compose every layer, as Android's option "disable HW overlays" does. */
  setForceClient(on: boolean): void {
    this.#context.forcesClient = on;
    this.#displays.markDirty();
    this.#frames.schedule();
  }

  /**
   * Draws a display's current content with the renderer into a buffer; without a buffer, into a new buffer that the
   * caller closes. Secure layers are black. Throws a `RangeError` for an unknown display.
   */
  capture(number: number, into?: GraphicBuffer): GraphicBuffer {
    const { screen, layerStack, colorMode, leftOut } = this.#displays.get(number);
    const { right: width, bottom: height } = screen;
    const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
    const target = into ?? allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage });
    const stack = stackOf(this.#layers.all, { layerStack, screen, isSecure: false, leftOut });
    drawStack(this.#context, target, stack, colorMode);
    return target;
  }

  /** The flinger's counters. */
  get statistics(): FlingerStatistics {
    return { ...this.#frames.counts };
  }

  /** Returns a text for people that describes the flinger's state. */
  dump(): string {
    const { release = NEWEST_RELEASE } = this.#options, { renderer, forcesClient } = this.#context;
    const settings = [
      `release ${release}`,
      `renderer ${renderer.name}`,
      ...forcesClient ? ["client composition only"] : [],
    ];
    return dumpText(this.#displays.entries(), this.#layers.all, this.#frames.counts, settings);
  }

  /** Destroys layers and virtual displays, and unregisters the composer's callbacks. A second call does nothing. */
  close(): void {
    if (this.#isClosed) return;
    this.#layers.close();
    this.#isClosed = true;
    this.#frames.stop();
    this.#work.clear();
    this.#work.add(() => this.#end());
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Closes at the end of an `await using` scope, and waits until a composer that answers later has heard of everything:
   * only then may such a composer be closed.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.settled();
  }

  *#end(): Work {
    const { composer } = this.#options;
    try {
      yield* this.#frames.follow();
      yield* this.#displays.leave();
      for (const descriptor of [CALLBACK.VSYNC, CALLBACK.REFRESH, CALLBACK.HOTPLUG] as const) {
        yield* settle(composer.registerCallback(descriptor, null));
      }
    } finally {
      this.#frames.close();
      this.#displays.close();
      this.#own?.close();
    }
  }

  /** A log that throws stops no frame. */
  #log(message: string): void {
    try {
      this.#options.log?.(message);
    } catch {
      this.#frames.counts.unsaid++;
    }
  }

  #onRefresh(display: bigint): void {
    if (this.#isClosed) return;
    this.#displays.resendAll(display);
    this.#frames.schedule();
  }

  #onHotplug(display: bigint, connection: number): void {
    if (this.#isClosed) return;
    this.#work.add(() => this.#plugged(display, connection === CONNECTION.CONNECTED));
  }

  *#plugged(display: bigint, isThere: boolean): Work {
    const { powerOn = true } = this.#options;
    if (isThere) yield* this.#displays.plugged(display, powerOn);
    else this.#displays.unplugged(display);
    yield* this.#frames.follow();
  }

  #moveCursor(layer: FlingerLayer, x: number, y: number): void {
    checkChange({ position: { x, y } });
    const shown = this.#displays.cursorsOf(layer);
    if (shown.length === 0 || layer.state.parent) return layer.set({ position: { x, y } });
    layer.state = { ...layer.state, position: { x, y } };
    this.#work.add(() => this.#displays.moveCursor(shown, x, y));
  }
}
