import type { AsyncComposer } from "../../composer.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { ATTRIBUTE, POWER_MODE } from "../../device_types.ts";
import { COMPOSITION, type Rect } from "../../types.ts";
import { FlingerDisplay } from "./display.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";
import type { VirtualDisplayOptions } from "../options.ts";
import { OutputWindow } from "./output_window.ts";
import type { Renderer } from "../frame/frame_context.ts";
import { settle, type Work } from "../work.ts";

/** The greatest distance from the origin, in pixels, at which a cursor can be on a display. */
const FAR = 2 ** 20;
/** The longest side of a buffer. */
const MOST_PIXELS = 65535;

/** The displays, by number, in the order in which they came: the first is the primary display. */
export class DisplayBook {
  readonly #composer: AsyncComposer;
  readonly #renderer: Renderer;
  readonly #log: (message: string) => void;
  readonly #displays = new Map<number, FlingerDisplay>();
  #next = 0;

  /** Makes a book without displays. */
  constructor(composer: AsyncComposer, renderer: Renderer, log: (message: string) => void) {
    this.#composer = composer;
    this.#renderer = renderer;
    this.#log = log;
  }

  /** All displays. */
  get all(): FlingerDisplay[] {
    return [...this.#displays.values()];
  }

  /** The displays with their numbers. */
  entries(): [number, FlingerDisplay][] {
    return [...this.#displays];
  }

  /** The time between vsyncs of the primary display. */
  get primaryPeriod(): bigint {
    return this.all.find(({ isPrimary }) => isPrimary)?.vsyncPeriod ?? 16_666_667n;
  }

  /**
   * By layer stack, the display at whose pace frames are taken, as displays are now: the first panel that is on and
   * shows the stack, else the first virtual display; `undefined` for a stack that no display shows.
   */
  pacers(): (layerStack: number) => FlingerDisplay | undefined {
    const active = this.all.filter(({ isActive }) => isActive), found = new Map<number, FlingerDisplay>();
    const rank = ({ isPrimary, output }: FlingerDisplay) => isPrimary ? 2 : output ? 0 : 1;
    for (const display of active) {
      const known = found.get(display.layerStack);
      if (!known || rank(display) > rank(known)) found.set(display.layerStack, display);
    }
    return (layerStack) => found.get(layerStack);
  }

  /** Returns a display. Throws a `RangeError` for an unknown number. */
  get(number: number): FlingerDisplay {
    const display = this.#displays.get(number);
    if (display) return display;
    throw new RangeError(
      `There is no display ${number}: give one of ${[...this.#displays.keys()].join(", ") || "none"}`,
    );
  }

  /** Makes the displays of a layer stack, or all, show a new frame. */
  markDirty(layerStack?: number): void {
    for (const display of this.all) {
      if (layerStack === undefined || display.layerStack === layerStack) display.isDirty = true;
    }
  }

  /** Makes the next frame tell the composer everything again. */
  resendAll(id: bigint): void {
    this.#byHandle(id)?.[1].resendAll();
  }

  /** Adds a display that was plugged, or reads the modes of a display whose modes changed. */
  *plugged(id: bigint, powerOn: boolean): Work {
    const known = this.#byHandle(id)?.[1];
    if (known) return yield* readConfig(this.#composer, known, id);
    const isPrimary = !this.all.some((display) => display.isPrimary);
    const display = yield* findDisplay(this.#composer, id, isPrimary, (buffer) => this.#renderer.forget(buffer));
    this.#displays.set(this.#next++, display);
    if (powerOn) yield* this.setPower(display, POWER_MODE.ON);
  }

  /** Removes a display that went; the composer does not know the display any more. */
  unplugged(id: bigint): void {
    const found = this.#byHandle(id);
    if (!found) return;
    this.#displays.delete(found[0]);
    found[1].close();
  }

  /** Adds a virtual display that the composer does not know. */
  addVirtual(options: VirtualDisplayOptions): [number, FlingerDisplay] {
    const { window, name = "virtual", layerStack = 0, isSecure = false, copiesByHwc = false } = options;
    const right = options.width ?? window.query("DEFAULT_WIDTH"),
      bottom = options.height ?? window.query("DEFAULT_HEIGHT");
    if (![right, bottom].every((size) => Number.isInteger(size) && size > 0 && size <= MOST_PIXELS)) {
      throw new RangeError(`Cannot make a virtual display of ${right} by ${bottom}: give 1 to ${MOST_PIXELS} pixels`);
    }
    const output = new OutputWindow(window, right, bottom), screen = { left: 0, top: 0, right, bottom };
    const forget = this.#renderer.forget.bind(this.#renderer);
    const display = new FlingerDisplay({ id: undefined, name, screen, output, forget });
    Object.assign(display, { layerStack, isSecure, copiesByHwc, power: POWER_MODE.ON });
    const number = this.#next++;
    this.#displays.set(number, display);
    return [number, display];
  }

  /** Makes the composer create its side of a virtual display, if it has one left. */
  *tellComposer(display: FlingerDisplay): Work {
    const { screen: { right, bottom }, output } = display;
    try {
      if ((yield* settle(this.#composer.getMaxVirtualDisplayCount())) === 0) return;
      const made = yield* settle(this.#composer.createVirtualDisplay(right, bottom, output!.formatFor("HWC")));
      display.id = made.display;
    } catch (error) {
      const why = error instanceof Error ? error.message : error;
      this.#log(`display "${display.name}" is composed by the client alone: ${why}`);
    }
  }

  /** Ends a virtual display. */
  *destroy(number: number): Work {
    const display = this.#displays.get(number);
    if (!display) return;
    this.#displays.delete(number);
    display.close();
    if (display.id !== undefined) yield* settle(this.#composer.destroyVirtualDisplay(display.id));
  }

  /** Sets a display's POWER_MODE. */
  *setPower(display: FlingerDisplay, mode: number): Work {
    const { id, output } = display, isDoze = mode === POWER_MODE.DOZE || mode === POWER_MODE.DOZE_SUSPEND;
    if (id === undefined || output) return void (display.power = mode);
    const canDoze = !isDoze || (yield* settle(this.#composer.getDozeSupport(id)));
    const wanted = canDoze ? mode : POWER_MODE.ON;
    yield* settle(this.#composer.setPowerMode(id, wanted));
    display.power = wanted;
    if (!display.isActive) display.blank();
    display.isDirty = display.needsValidation = true;
  }

  /** Sets a display's COLOR_MODE. */
  *setColorMode(display: FlingerDisplay, mode: number): Work {
    if (display.id !== undefined) yield* settle(this.#composer.setColorMode(display.id, mode));
    display.colorMode = mode;
    display.isDirty = display.needsValidation = true;
  }

  /** Chooses a config by its number. */
  *setActiveConfig(display: FlingerDisplay, config: number): Work {
    if (display.id === undefined || display.output) return;
    yield* settle(this.#composer.setActiveConfig(display.id, config));
    yield* readConfig(this.#composer, display, display.id);
  }

  /** Returns the displays on which a layer is a cursor that moves without a frame. */
  cursorsOf(layer: FlingerLayer): { id: bigint; layer: bigint }[] {
    return this.all.flatMap(({ id, hwcLayers }) => {
      const hwc = hwcLayers.get(layer);
      return id !== undefined && hwc?.type === COMPOSITION.CURSOR ? [{ id, layer: hwc.id }] : [];
    });
  }

  /** Moves a cursor on all displays that show the cursor. */
  *moveCursor(cursors: readonly { id: bigint; layer: bigint }[], x: number, y: number): Work {
    const [left, top] = [x, y].map((edge) => Math.round(Math.min(FAR, Math.max(-FAR, edge))));
    for (const { id, layer } of cursors) yield* settle(this.#composer.setCursorPosition(id, layer, left, top));
  }

  /** Removes our layers and displays from the composer. */
  *leave(): Work {
    for (const { id, output, hwcLayers } of this.all) {
      if (id === undefined) continue;
      for (const { id: layer } of hwcLayers.values()) yield* settle(this.#composer.destroyLayer(id, layer));
      if (output) yield* settle(this.#composer.destroyVirtualDisplay(id));
    }
  }

  /** Closes all displays. */
  close(): void {
    for (const display of this.all) display.close();
    this.#displays.clear();
  }

  #byHandle(id: bigint): [number, FlingerDisplay] | undefined {
    return this.entries().find(([, display]) => display.id === id);
  }
}

/** Adds the display of a panel that was plugged. */
function* findDisplay(
  composer: AsyncComposer,
  id: bigint,
  isPrimary: boolean,
  forget: (buffer: GraphicBuffer) => void,
): Work<FlingerDisplay> {
  const name = yield* settle(composer.getDisplayName(id));
  const display = new FlingerDisplay({ id, name, isPrimary, forget, screen: EMPTY });
  yield* readConfig(composer, display, id);
  return display;
}

const EMPTY: Rect = { left: 0, top: 0, right: 0, bottom: 0 };

/** Reads a display's size and period, which may have changed. */
function* readConfig(composer: AsyncComposer, display: FlingerDisplay, id: bigint): Work {
  const config = yield* settle(composer.getActiveConfig(id));
  const right = yield* settle(composer.getDisplayAttribute(id, config, ATTRIBUTE.WIDTH));
  const bottom = yield* settle(composer.getDisplayAttribute(id, config, ATTRIBUTE.HEIGHT));
  display.screen = { left: 0, top: 0, right, bottom };
  const period = yield* settle(composer.getDisplayAttribute(id, config, ATTRIBUTE.VSYNC_PERIOD));
  if (period > 0) display.vsyncPeriod = BigInt(period); // composers answer -1 for what they do not know
  display.resendAll();
}
