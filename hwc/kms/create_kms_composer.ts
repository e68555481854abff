import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { CALLBACK, CONNECTION } from "../device_types.ts";
import type { Composer } from "../composer.ts";
import { leastGpuWork, type PlaneStrategy } from "../planes/strategy.ts";
import { Device, type VirtualDevice } from "../core/device.ts";
import type { Display } from "../core/display.ts";
import type { PanelMode } from "../core/panel/panel.ts";
import { namingErrors, refuse } from "../core/refusal.ts";
import type { ReferenceComposer } from "../core/controls.ts";
import { composerOf } from "../core/device_composer.ts";
import { ERROR, FORMAT } from "../types.ts";
import { type CardOptions, OpenCard, openWhole } from "./card/card.ts";
import { CardEvents, watchHotplug } from "./card/card_events.ts";
import { hdrOf } from "./card/edid_hdr.ts";
import type { CardConnector, CardCrtc, KmsCard } from "./card/facts.ts";
import { groupedModes, makeMode } from "./screen/modes.ts";
import { type ConsoleSwitches, TextConsole } from "./card/text_console.ts";
import { KmsError } from "./kms_error.ts";
import { checkKmsOptions, type KmsComposerOptions } from "./options.ts";
import { type DisplayPlanes, displayPlanes } from "./plane_model.ts";
import type { PlaneModel } from "../planes/plane.ts";
import { contentTypesOf, isProtected } from "./screen/link_state.ts";
import { KmsScreen, type SharedCard } from "./screen/kms_screen.ts";
import { testedStrategy } from "./screen/tested_strategy.ts";

/** `DRM_MODE_CONNECTOR_…` of panels that are built in, and of writebacks, which are no displays. */
const LVDS = 7, EDP = 14, DSI = 16, DPI = 17, WRITEBACK = 18;
const BUILT_IN: readonly number[] = [LVDS, EDP, DSI, DPI];

/** The controls of a composer on a card, besides those of a composer with simulated panels. */
export interface KmsControls {
  /** The card. */
  readonly card: KmsCard;
  /** Asks the connectors again what is connected, and calls HOTPLUG for what came or went. */
  rescan(): void;
  /** Closes the composer, and resolves when no thread listens to the card any more. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A hardware composer on a card: a {@linkcode ReferenceComposer} with {@linkcode KmsControls}. What only a simulation
 * can do throws an {@linkcode HwcError} UNSUPPORTED: `plug`, `unplug`, `changeModes`, `setPlanes`.
 */
export type KmsComposer = ReferenceComposer & KmsControls;

/**
 * Creates a hardware composer on a card of this machine, by the kernel's mode setting: displays are connectors,
 * planes are the card's, and frames appear by atomic commits. The plan of a frame is asked of the kernel first; what
 * the kernel refuses goes to the client. Layers on planes are not copied: their buffers are dma-bufs, as
 * `allocateBuffer()` makes them for COMPOSER_OVERLAY. Throws a {@linkcode KmsError}.
 *
 * @example The displays of a card
 * ```ts ignore
 * import { createKmsComposer } from "@pumice/gfx/hwc";
 *
 * using composer = createKmsComposer({ card: { driver: "vkms" } });
 * composer.registerCallback(1, (display) => console.log(composer.getDisplayName(display)));
 * ```
 */
export function createKmsComposer(options: KmsComposerOptions = {}): KmsComposer {
  checkKmsOptions(options);
  const card = options.card instanceof OpenCard ? options.card : openWhole(options.card as CardOptions);
  try {
    card.takeMaster();
    return new KmsDevice(card, options).composer();
  } catch (error) {
    card.close();
    throw error;
  }
}

/** A display on a connector. */
interface KmsDisplay {
  readonly display: Display;
  readonly screen: KmsScreen;
  readonly crtc: CardCrtc;
  /** The buffer that stands for the client target while plans are made. */
  readonly blank: BlankTarget;
}

/** A virtual display on a writeback connector. */
type KmsWriter = Omit<KmsDisplay, "display"> & { readonly display: () => Display };

/** The displays of a card. The first stays when nothing is connected any more, since a client always has one. */
class KmsDevice {
  readonly #card: OpenCard;
  readonly #shared: SharedCard;
  readonly #device: Device;
  readonly #options: KmsComposerOptions;
  readonly #endWatch: (() => Promise<void>) | undefined;
  readonly #console: TextConsole | undefined;
  #ended: Promise<unknown> | undefined;
  /** The displays by connector. */
  readonly #displays = new Map<number, KmsDisplay>();
  /** Writeback connectors that write virtual displays, some of which are gone. */
  #writers: KmsWriter[] = [];

  constructor(card: OpenCard, options: KmsComposerOptions) {
    const { strategy, compositor, fenceTimeout, flattenAfter, bootConfigs, onError = warn } = options;
    const { contentProtection = false, variableRefresh = false } = options;
    this.#card = card;
    this.#options = options;
    const wishes = { contentProtection, variableRefresh };
    this.#shared = { card, events: new CardEvents(card), wishes, onError };
    this.#device = new Device({ strategy, compositor, fenceTimeout, flattenAfter, bootConfigs, sideband: false });
    this.#device.openWriter = (mode, display) => this.#openWriter(mode, display);
    this.#console = options.console === undefined ? undefined : TextConsole.take(options.console, this.#switches());
    try {
      this.#plugAll();
      this.#endWatch = watchHotplug(() => this.#rescan());
    } catch (error) {
      this.#console?.close();
      throw error;
    }
  }

  composer(): KmsComposer {
    const composer = composerOf(this.#device), close = () => this.#close(composer);
    this.#card.closing = close;
    return {
      ...composer,
      ...REFUSED,
      setStrategy: (display, strategy) => composer.setStrategy(display, this.#tested(display, strategy)),
      card: this.#card,
      rescan: () => this.#rescan(),
      close,
      [Symbol.dispose]: close,
      [Symbol.asyncDispose]: async () => {
        close();
        await this.#ended;
      },
    };
  }

  /** While another console is shown, the card is somebody else's. Afterwards everything is shown again. */
  #switches(): ConsoleSwitches {
    return {
      left: () => this.#card.lend(),
      back: () => {
        this.#card.takeBack();
        this.#rescan(); // displays may have come or gone
        for (const { display } of this.#displays.values()) this.#device.refresh(display);
      },
    };
  }

  #plugAll(): void {
    const screens = this.#card.connectors.filter(({ type }) => type !== WRITEBACK);
    const connected = screens.filter(({ id, isConnected, modes }) => {
      return isConnected && modes.length > 0 && !this.#displays.has(id);
    });
    const isBuiltIn = ({ type }: CardConnector) => BUILT_IN.includes(type);
    for (const each of connected.sort((one, other) => Number(isBuiltIn(other)) - Number(isBuiltIn(one)))) {
      this.#plug(each);
    }
  }

  #plug(connector: CardConnector): void {
    const room = this.#roomFor(connector);
    if (!room) {
      return this.#shared.onError(new KmsError("unsupported", `${connector.name} has no CRTC left to show it`));
    }
    const { crtc, planes } = room;
    const writeback = this.#card.connectors.find(({ type, crtcs }) => type === WRITEBACK && crtcs.includes(crtc.id));
    const screen = new KmsScreen(this.#shared, { connector, crtc, planes, writeback }), blank = new BlankTarget();
    const strategy = this.#strategyOf(this.#options.strategy ?? leastGpuWork(), screen, blank, () => display);
    const display: Display = this.#device.plug({
      name: connector.name,
      connection: this.#displays.size === 0 ? "internal" : "external",
      connector: connector.id,
      modes: groupedModes(this.#card, connector, crtc),
      edid: connector.edid,
      hdr: connector.properties.HDR_OUTPUT_METADATA && connector.edid ? hdrOf(connector.edid) : undefined,
      ...FEW_ABILITIES,
      contentTypes: contentTypesOf(connector),
      readback: writeback !== undefined,
      planes: planes.model,
      strategy,
    }, () => screen);
    this.#displays.set(connector.id, { display, screen, crtc, blank });
  }

  /** A CRTC that nothing uses and that drives a connector, with its planes. */
  #roomFor(connector: CardConnector): { crtc: CardCrtc; planes: DisplayPlanes } | undefined {
    this.#writers = this.#writers.filter(({ display, blank }) => {
      const isThere = this.#device.displays.has(display().id);
      if (!isThere) blank.close();
      return isThere;
    });
    const taken = [...this.#displays.values(), ...this.#writers];
    const usedPlanes = new Set(taken.flatMap(({ screen }) => [...screen.planes.byName.values()].map(({ id }) => id)));
    const crtc = this.#card.crtcs.find(({ id }) => {
      return connector.crtcs.includes(id) && taken.every((other) => other.crtc.id !== id);
    });
    return crtc && { crtc, planes: displayPlanes(this.#card, crtc.id, usedPlanes) };
  }

  /** A writeback connector alone on a CRTC, for a virtual display; `undefined` if none is left, or none takes the mode. */
  #openWriter({ width, height, refreshRate }: PanelMode, display: () => Display): VirtualDevice | undefined {
    for (const writeback of this.#card.connectors.filter(({ type }) => type === WRITEBACK)) {
      const room = this.#roomFor(writeback);
      if (!room) continue;
      const connector = { ...writeback, modes: [makeMode(width, height, refreshRate)] };
      const screen = new KmsScreen(this.#shared, { connector, ...room, writeback }), blank = new BlankTarget();
      screen.setMode(0);
      if (screen.test([]) !== undefined) {
        screen.close();
        continue;
      }
      const strategy = this.#strategyOf(this.#options.strategy ?? leastGpuWork(), screen, blank, display);
      this.#writers.push({ display, screen, crtc: room.crtc, blank });
      return { screen, planes: room.planes.model, strategy };
    }
    return undefined;
  }

  /** A strategy whose plans the kernel is asked about. */
  #tested(id: bigint, strategy: PlaneStrategy): PlaneStrategy {
    const isOne = typeof strategy?.plan === "function", displays = [...this.#displays.values()];
    const found = isOne ? displays.find(({ display }) => display.id === id) : undefined;
    return found ? this.#strategyOf(strategy, found.screen, found.blank, () => found.display) : strategy;
  }

  #strategyOf(inner: PlaneStrategy, screen: KmsScreen, blank: BlankTarget, display: () => Display): PlaneStrategy {
    const learned = (model: PlaneModel) => void (display().model = model);
    return testedStrategy(inner, screen, () => blank.of(display()), learned);
  }

  #rescan(): void {
    const [primary] = this.#displays.keys(), before = new Map(this.#card.connectors.map((each) => [each.id, each]));
    this.#card.refresh();
    for (const connector of this.#card.connectors) {
      const known = this.#displays.get(connector.id), old = before.get(connector.id);
      if (!known) continue;
      if (connector.isConnected) {
        if (!old?.isConnected || !isSameModes(old, connector)) this.#reconnect(known, connector);
        this.#readLink(known, connector);
      } else if (connector.id !== primary) this.#unplug(connector.id, known);
      else if (old?.isConnected) this.#tell(known.display, false);
    }
    this.#plugAll();
  }

  /** The display may have agreed to protect what it shows, or cease to. */
  #readLink({ display }: KmsDisplay, connector: CardConnector): void {
    const protectedClient = isProtected(connector);
    if (display.model.protectedClient === true === protectedClient) return;
    display.model = { ...display.model, protectedClient };
    this.#device.refresh(display);
  }

  #unplug(connector: number, { display, blank }: KmsDisplay): void {
    this.#displays.delete(connector);
    this.#device.remove(display);
    blank.close();
    this.#device.emit(CALLBACK.HOTPLUG, display.id, CONNECTION.DISCONNECTED);
    this.#tell(display, false);
  }

  /** Another display may be connected: its modes count. */
  #reconnect({ display, screen, crtc }: KmsDisplay, connector: CardConnector): void {
    if (connector.modes.length > 0) {
      screen.connector = connector;
      display.modes = groupedModes(this.#card, connector, crtc);
      this.#device.setConfig(display, display.physical!.timing, 0, this.#device.clock.now());
      display.modify();
    }
    this.#device.emit(CALLBACK.HOTPLUG, display.id, CONNECTION.CONNECTED);
    this.#tell(display, true);
  }

  #tell({ id }: Display, isThere: boolean): void {
    for (const listener of this.#device.hotplugListeners) listener(id, isThere);
  }

  #close(composer: Composer): void {
    if (this.#ended) return;
    const watched = this.#endWatch?.();
    composer.close();
    for (const { blank } of [...this.#displays.values(), ...this.#writers]) blank.close();
    this.#displays.clear();
    this.#console?.close();
    this.#ended = Promise.all([watched, this.#shared.events.close()]);
    this.#card.close();
  }
}

function isSameModes({ modes: before }: CardConnector, { modes }: CardConnector): boolean {
  return before.length === modes.length &&
    modes.every(({ bytes }, index) => bytes.every((byte, at) => byte === before[index].bytes[at]));
}

/** The refusals of calls that no card can carry out. */
const REFUSED = namingErrors({
  plug: (): bigint => refuse(ERROR.UNSUPPORTED, "the displays of a card are those that are connected to it"),
  unplug: () => refuse(ERROR.UNSUPPORTED, "a display of a card goes when it is disconnected"),
  changeModes: () => refuse(ERROR.UNSUPPORTED, "the modes of a display are its own"),
  setPlanes: () => refuse(ERROR.UNSUPPORTED, "the planes are the card's; planes() reads them"),
});

/** Abilities of a simulated panel that a card lacks, or cannot be asked for. */
const FEW_ABILITIES = {
  colorModes: {},
  doze: false,
  brightness: false,
  contentSampling: false,
};

/** Stands for a client target that is not drawn yet, where the kernel is asked about a plan. */
class BlankTarget {
  #buffer: GraphicBuffer | undefined;

  of({ screen: { right: width, bottom: height } }: Display): GraphicBuffer {
    if (this.#buffer?.width === width && this.#buffer.height === height) return this.#buffer;
    this.#buffer?.close();
    const usage = USAGE.COMPOSER_OVERLAY | USAGE.COMPOSER_CLIENT_TARGET;
    return this.#buffer = allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage });
  }

  close(): void {
    this.#buffer?.close();
    this.#buffer = undefined;
  }
}

function warn(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
}
