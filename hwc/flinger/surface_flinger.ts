import { fitted } from "../arguments.ts";
import { checkOptions, object, type OptionRules, typed, yesOrNo } from "../../ffi/check_options.ts";
import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { CompositionBackend } from "../backends/backend.ts";
import { createCpuBackend } from "../backends/create.ts";
import { CALLBACK, CAPABILITY, CONNECTION, POWER_MODE } from "../device_types.ts";
import { FORMAT } from "../types.ts";
import { drawStack } from "./compose_display.ts";
import type { FlingerDisplay } from "./display.ts";
import { DisplayBook } from "./display_book.ts";
import { describeDisplay, dumpText } from "./dump.ts";
import { FlingerLayer } from "./flinger_layer.ts";
import type { FrameContext } from "./frame_context.ts";
import { makeFrame } from "./make_frame.ts";
import { checkStack, type LayerState } from "./layer_state.ts";
import {
  type DisplayInfo,
  type FlingerStatistics,
  type SurfaceFlingerOptions,
  VIRTUAL_DISPLAY_RULES,
  type VirtualDisplayOptions,
} from "./options.ts";
import { stackOf } from "./stack.ts";
import type { LayerOptions, SurfaceLayer } from "./surface_layer.ts";
import { Transaction } from "./transaction.ts";
import { VsyncSource } from "./vsync_source.ts";
import { settle, type Work, WorkQueue } from "./work.ts";

const RULES: OptionRules<SurfaceFlingerOptions> = {
  composer: object("a composer, such as createReferenceComposer()"),
  renderer: object("a backend, such as createCpuBackend()"),
  order: typed('an order of calls, such as "android-10"', "string"),
  powerOn: yesOrNo,
  log: typed("a function that takes a sentence", "function"),
};

/** Frames that a display may have still to show when another is made. */
const MOST_PENDING = 2;
/** Milliseconds that a producer without a buffer waits for a display. */
const PATIENCE = 100;

/**
 * The hardware composer's client, with the frame of Android's SurfaceFlinger: it
 * wakes once a vsync, and only if something changed; takes transactions, then
 * frames that are drawn; has the composer say who composes which layer, composes
 * the rest, presents, and hands fences to the producers.
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
export class SurfaceFlinger implements Disposable {
  readonly #options: SurfaceFlingerOptions;
  readonly #own: CompositionBackend | undefined;
  readonly #work = new WorkQueue((error) => this.#log(error instanceof Error ? error.message : String(error)));
  readonly #displays: DisplayBook;
  readonly #vsync: VsyncSource;
  readonly #context: { -readonly [Name in keyof FrameContext]: FrameContext[Name] };
  readonly #counts = { wakes: 0, vsyncs: 0, latched: 0, missed: 0 };
  #layers: FlingerLayer[] = [];
  #changes: (() => void)[] = [];
  #isTicking = false;
  #isClosed = false;

  /** Takes the composer's callbacks; displays are there when it says so, which is at once if it answers at once. */
  constructor(options: SurfaceFlingerOptions) {
    const { composer } = options;
    checkOptions("SurfaceFlinger", { ...options, composer: composer ?? null }, RULES);
    this.#options = options;
    this.#own = options.renderer ? undefined : createCpuBackend();
    const renderer = options.renderer ?? this.#own!;
    this.#context = {
      composer,
      renderer,
      layers: this.#layers,
      forcesClient: false,
      skipsValidate: false,
      log: (message) => this.#log(message),
    };
    this.#displays = new DisplayBook(composer, renderer, (message) => this.#log(message));
    this.#vsync = new VsyncSource(composer, () => this.#wake(0n));
    this.#work.add(() => this.#begin());
  }

  *#begin(): Work {
    const { composer } = this.#options;
    const capabilities = yield* settle(composer.getCapabilities());
    this.#context.skipsValidate = capabilities.includes(CAPABILITY.SKIP_VALIDATE);
    yield* settle(composer.registerCallback(CALLBACK.VSYNC, (display, time) => this.#onVsync(display, time)));
    yield* settle(composer.registerCallback(CALLBACK.REFRESH, (display) => this.#onRefresh(display)));
    const hotplug = (display: bigint, connection: number) => this.#onHotplug(display, connection);
    yield* settle(composer.registerCallback(CALLBACK.HOTPLUG, hotplug));
  }

  /** Resolves when the composer has answered everything; with one that answers at once, there is nothing to wait for. */
  async settled(): Promise<void> {
    await this.#work.settled();
  }

  /** A new layer on top of the others of its z. Throws a `RangeError` for what cannot be. */
  createLayer(options: LayerOptions = {}): SurfaceLayer {
    const layer = new FlingerLayer(options, {
      queued: () => this.#schedule(),
      starving: () => this.#hurry(),
      change: (changed, change) => this.transaction().set(changed, change).apply(),
      moveCursor: (moved, x, y) => this.#moveCursor(moved, x, y),
      closed: (closed) => this.#removeLayer(closed),
      log: (message) => this.#log(message),
    });
    this.#layers.push(layer);
    if (layer.state.color) this.#displays.soil(layer.rootStack); // nothing else will come of it
    this.#schedule();
    return layer;
  }

  /** Changes of several layers that are seen together. */
  transaction(): Transaction {
    return new Transaction((layer, change) => () => this.#change(layer, change), (changes) => {
      this.#changes.push(...changes);
      this.#schedule();
    });
  }

  #change(layer: SurfaceLayer, change: Partial<LayerState>): void {
    const found = this.#layers.find((each) => each === layer);
    if (!found) return; // closed meanwhile
    for (let { parent } = change; parent; parent = parent.state.parent) {
      if (parent === layer) return this.#log(`layer "${layer.name}" would be its own parent: it stays where it is`);
    }
    found.state = { ...found.state, ...change };
    this.#displays.soil();
  }

  /** The layers there are, as they were made. */
  get layers(): readonly SurfaceLayer[] {
    return [...this.#layers];
  }

  /** The displays there are; the first is the primary one. */
  get displays(): readonly DisplayInfo[] {
    return this.#displays.entries().map(([number, display]) => describeDisplay(display, number));
  }

  /** Which layer the composer of a display knows by a handle; `undefined` for none that is there. Throws a `RangeError` for no display. */
  layerOf(number: number, handle: bigint): SurfaceLayer | undefined {
    for (const [layer, { id }] of this.#displays.get(number).hwcLayers) if (id === handle) return layer;
    return undefined;
  }

  /** A display that writes to a window; its number. Throws a `RangeError` when somebody else draws there. */
  createVirtualDisplay(options: VirtualDisplayOptions): number {
    checkOptions("createVirtualDisplay()", options, VIRTUAL_DISPLAY_RULES);
    checkStack(options.layerStack);
    const [number, display] = this.#displays.addVirtual(options);
    if (options.usesComposer !== false) this.#work.add(() => this.#displays.tellComposer(display));
    this.#schedule();
    return number;
  }

  /** Ends a virtual display; its window is free for others. Throws a `RangeError` for another one. */
  destroyVirtualDisplay(number: number): void {
    const display = this.#displays.get(number);
    if (!display.output) throw new RangeError(`Cannot destroy display ${number}: it is not virtual; unplug it`);
    this.#work.add(() => this.#displays.destroy(number));
  }

  /** Turns a display on or off: POWER_MODE. One that cannot DOZE is turned on. Throws a `RangeError` for no display. */
  setPowerMode(number: number, mode: number): void {
    fitted("i32", mode, "setPowerMode mode");
    const display = this.#displays.get(number);
    this.#work.add(() => this.#setPower(display, mode));
  }

  *#setPower(display: FlingerDisplay, mode: number): Work {
    // Vsyncs end before the display does.
    if (mode === POWER_MODE.OFF) yield* this.#vsync.leave(display);
    yield* this.#displays.setPower(display, mode);
    yield* this.#vsync.follow(this.#displays.all, this.#wantsVsync);
  }

  /** COLOR_MODE of a display. Throws a `RangeError` for no display. */
  setColorMode(number: number, mode: number): void {
    fitted("i32", mode, "setColorMode mode");
    const display = this.#displays.get(number);
    this.#work.add(() => this.#displays.setColorMode(display, mode));
    this.#schedule();
  }

  /** Another mode of a display, by the composer's number of its config. Throws a `RangeError` for no display. */
  setActiveConfig(number: number, config: number): void {
    fitted("u32", config, "setActiveConfig config");
    const display = this.#displays.get(number);
    this.#work.add(() => this.#displays.setActiveConfig(display, config));
    this.#schedule();
  }

  /** Which layers a display shows. Throws a `RangeError` for no display. */
  setLayerStack(number: number, layerStack: number): void {
    checkStack(layerStack);
    const display = this.#displays.get(number);
    display.layerStack = layerStack;
    display.isDirty = true;
    this.#schedule();
  }

  /** Has the client compose everything, as "disable HW overlays" does. */
  setForceClient(on: boolean): void {
    this.#context.forcesClient = on;
    this.#displays.soil();
    this.#schedule();
  }

  /** Draws what a display shows, by the renderer, into a buffer, by default a new one that the caller closes. Secure layers are black. Throws a `RangeError` for no display. */
  capture(number: number, into?: GraphicBuffer): GraphicBuffer {
    const { screen, layerStack, colorMode } = this.#displays.get(number), { right: width, bottom: height } = screen;
    const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
    const target = into ?? allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage });
    drawStack(this.#context, target, stackOf(this.#layers, { layerStack, screen, isSecure: false }), colorMode);
    return target;
  }

  /** What it has done. */
  get statistics(): FlingerStatistics {
    return { ...this.#counts };
  }

  /** What it is doing, for people. */
  dump(): string {
    const { order = "android-10" } = this.#options, { renderer, forcesClient } = this.#context;
    const settings = [
      `order ${order}`,
      `renderer ${renderer.name}`,
      ...forcesClient ? ["client composition only"] : [],
    ];
    return dumpText(this.#displays.entries(), this.#layers, this.#counts, settings);
  }

  /** Ends layers and virtual displays, and leaves the composer's callbacks. A second call does nothing. */
  close(): void {
    if (this.#isClosed) return;
    for (const layer of [...this.#layers]) layer.close();
    this.#isClosed = true;
    this.#work.clear();
    this.#work.add(() => this.#end());
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  *#end(): Work {
    const { composer } = this.#options;
    try {
      yield* this.#vsync.follow(this.#displays.all, false);
      yield* this.#displays.leave();
      for (const descriptor of [CALLBACK.VSYNC, CALLBACK.REFRESH, CALLBACK.HOTPLUG] as const) {
        yield* settle(composer.registerCallback(descriptor, null));
      }
    } finally {
      this.#vsync.close();
      this.#displays.close();
      this.#own?.close();
    }
  }

  #log(message: string): void {
    this.#options.log?.(message);
  }

  #onVsync(display: bigint, time: bigint): void {
    if (this.#isClosed || !this.#vsync.accepts(display, time)) return;
    this.#counts.vsyncs++;
    this.#wake(time + this.#displays.primaryPeriod);
  }

  #onRefresh(display: bigint): void {
    if (this.#isClosed) return;
    this.#displays.sayAgain(display);
    this.#schedule();
  }

  #onHotplug(display: bigint, connection: number): void {
    if (this.#isClosed) return;
    this.#work.add(() => this.#plugged(display, connection === CONNECTION.CONNECTED));
  }

  *#plugged(display: bigint, isThere: boolean): Work {
    const { powerOn = true } = this.#options;
    if (isThere) yield* this.#displays.plugged(display, powerOn);
    else this.#displays.unplugged(display);
    yield* this.#vsync.follow(this.#displays.all, this.#wantsVsync);
  }

  get #hasWork(): boolean {
    if (this.#isClosed) return false;
    return this.#changes.length > 0 || this.#layers.some((layer) => layer.isWaiting) ||
      this.#displays.all.some(({ isActive, isDirty }) => isActive && isDirty);
  }

  get #wantsVsync(): boolean {
    return this.#hasWork || this.#displays.all.some(({ pending }) => pending > 0);
  }

  /** There is something to do: at the next vsync. */
  #schedule(): void {
    if (this.#isClosed) return;
    this.#work.add(() => this.#vsync.isOn ? nothing() : this.#vsync.follow(this.#displays.all, this.#wantsVsync));
  }

  #wake(expectedPresent: bigint): void {
    if (this.#isClosed || this.#isTicking) return; // the one before is not done
    this.#isTicking = true;
    this.#work.add(() => this.#tick(expectedPresent));
  }

  *#tick(expectedPresent: bigint): Work {
    try {
      for (const display of this.#displays.all) display.settle();
      if (this.#hasWork) yield* this.#frame(expectedPresent);
      yield* this.#vsync.follow(this.#displays.all, this.#wantsVsync);
    } finally {
      this.#isTicking = false;
    }
  }

  /** A producer on this thread waits for a buffer, so that no vsync can come: the display is waited for instead. */
  #hurry(): void {
    if (this.#work.isBusy || this.#isClosed) return;
    for (const { lastPresent, pending } of this.#displays.all) if (pending > 0) lastPresent?.wait(PATIENCE);
    this.#wake(0n);
  }

  *#frame(expectedPresent: bigint): Work {
    const active = this.#displays.all.filter(({ isActive }) => isActive);
    if (active.length === 0) return;
    if (active.some(({ pending }) => pending >= MOST_PENDING)) {
      this.#counts.missed++;
      return;
    }
    for (const change of this.#changes.splice(0)) change();
    this.#latch(expectedPresent);
    if (active.some(({ isDirty }) => isDirty)) yield* this.#compose(active);
    for (const layer of this.#layers) this.#giveBack(layer);
  }

  /** What displays that got no new frame still show, is not free before they do. */
  #giveBack(layer: FlingerLayer): void {
    const { leaving: number } = layer;
    if (number === undefined) return;
    for (const display of this.#displays.all) {
      const fence = display.keeps({ layer, number });
      if (fence) layer.addRelease(fence);
    }
    layer.giveBack();
  }

  *#compose(active: readonly FlingerDisplay[]): Work {
    this.#counts.wakes++;
    const { order = "android-10" } = this.#options;
    // All go on if one does, but virtual ones that nobody would see a difference of.
    const chosen = active.filter(({ output, isDirty }) => {
      return isDirty || !output || output.wantsAll || order === "android-9";
    });
    for (const display of chosen) {
      display.isWanted = display.isDirty || (display.output?.wantsAll ?? true);
      display.isDirty = false;
    }
    yield* makeFrame(this.#context, chosen, order);
  }

  #latch(expectedPresent: bigint): void {
    const request = expectedPresent === 0n ? undefined : expectedPresent;
    for (const layer of this.#layers) {
      if (!layer.latch(request)) continue;
      this.#counts.latched++;
      this.#displays.soil(layer.rootStack);
    }
  }

  #moveCursor(layer: FlingerLayer, x: number, y: number): void {
    const shown = this.#displays.cursorsOf(layer);
    if (shown.length === 0 || layer.state.parent) return layer.set({ position: { x, y } });
    layer.state = { ...layer.state, position: { x, y } };
    this.#work.add(() => this.#displays.moveCursor(shown, x, y));
  }

  #removeLayer(layer: FlingerLayer): void {
    const at = this.#layers.indexOf(layer);
    if (at >= 0) this.#layers.splice(at, 1);
    this.#displays.soil();
    this.#schedule();
  }
}

function* nothing(): Work {}
