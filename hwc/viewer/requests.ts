import type { ReferenceComposer } from "../core/controls.ts";
import type { PanelOptions } from "../core/panel/panel.ts";
import type { SteppingClock } from "../core/time/stepping_clock.ts";
import type { DisplayInfo } from "../flinger/options.ts";
import { eightPlane, fourPlane, onePlane, videoPlane } from "../planes/models.ts";
import type { PlaneModel } from "../planes/plane.ts";
import { clientOnly, firstLayers, leastGpuWork, type PlaneStrategy } from "../planes/strategy.ts";
import type { ComposerViewerOptions } from "./options.ts";
import type { FrameWatch } from "./watch/frame_watch.ts";
import type { DisplayLayer, DisplayReport } from "./watch/report.ts";

const EXTERNAL: PanelOptions = { name: "Monitor", modes: [{ width: 1280, height: 720, refreshRate: 60 }] };

/** The choices of the pages. */
export class Menu {
  /** By name. */
  readonly strategies: ReadonlyMap<string, PlaneStrategy>;
  readonly models: ReadonlyMap<string, PlaneModel>;
  /** External panels, to be plugged any number of times. */
  readonly panels: readonly PanelOptions[];
  readonly #clock: SteppingClock | undefined;

  /** Makes the menu from the options, or from this package's own choices. */
  constructor(options: ComposerViewerOptions) {
    const { panels = [EXTERNAL], clock } = options;
    const { strategies = [leastGpuWork(), firstLayers(4), clientOnly()] } = options;
    const { models = [onePlane(), fourPlane(), eightPlane(), videoPlane()] } = options;
    this.panels = panels.map((panel) => ({ ...panel, connection: "external" }));
    this.strategies = new Map(strategies.map((each) => [each.name, each]));
    this.models = new Map(models.map((each) => [each.name, each]));
    this.#clock = clock;
  }

  /** As the page has it. */
  get news(): Omit<News, "displays"> {
    return {
      isPaused: this.#clock?.isPaused ?? null,
      strategies: [...this.strategies.keys()],
      models: [...this.models.keys()],
      panels: this.panels.map(({ name = "panel" }) => name),
    };
  }
}

/** The state for the page, as JSON. The state is complete, so that a skipped message loses nothing. */
export interface News {
  /** Whether time stands; `null` if it cannot be stopped. */
  readonly isPaused: boolean | null;
  /** The displays, by number. */
  readonly displays: readonly DisplayReport[];
  /** Names of the strategies that can be chosen. */
  readonly strategies: readonly string[];
  /** Names of the planes that can be chosen. */
  readonly models: readonly string[];
  /** Names of the panels that can be plugged. */
  readonly panels: readonly string[];
}

/**
 * The pages' wishes about layers that the client has not carried out yet. The
 * client does so at its next vsync; until then, a switch stays as the page set
 * it.
 */
export class Wishes {
  /** By a layer's number: whether the page hides the layer. */
  readonly #hidden = new Map<number, boolean>();

  /** Hides a layer, or shows it. */
  hide(layer: number, isHidden: boolean): void {
    this.#hidden.set(layer, isHidden);
  }

  /** Reports as if they were done; those that are, or whose layers are gone, are forgotten. */
  applied(reports: readonly DisplayReport[]): DisplayReport[] {
    const before = new Map(this.#hidden);
    this.#hidden.clear();
    const apply = (layer: DisplayLayer): DisplayLayer => {
      const isHidden = before.get(layer.id);
      if (isHidden === undefined || isHidden === layer.isHidden) return layer;
      this.#hidden.set(layer.id, isHidden);
      return { ...layer, isHidden };
    };
    return reports.map((report) => ({ ...report, layers: report.layers.map(apply) }));
  }
}

/** A request of the page. */
export type PageRequest =
  /** Stops time, lets it go on, moves it on to the next vsync. */
  | { readonly do: "pause" | "resume" | "step" }
  /** Hides or shows a layer, by the viewer's number. */
  | { readonly do: "hide" | "show"; readonly layer: number }
  /** Plugs a panel, by its place in the menu. */
  | { readonly do: "plug"; readonly panel: number }
  /** Unplugs a display, by the flinger's number. */
  | { readonly do: "unplug"; readonly display: number }
  /** Another strategy, other planes for a display. */
  | { readonly do: "strategy" | "planes"; readonly display: number; readonly name: string };

/** Reads what a page asks for; `undefined` for what makes no sense. */
export function readRequest(value: unknown): PageRequest | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { do: what, layer, panel, display, name } = value as Record<string, unknown>;
  switch (what) {
    case "pause":
    case "resume":
    case "step":
      return { do: what };
    case "hide":
    case "show":
      return typeof layer === "number" ? { do: what, layer } : undefined;
    case "plug":
      return typeof panel === "number" ? { do: what, panel } : undefined;
    case "unplug":
      return typeof display === "number" ? { do: what, display } : undefined;
    case "strategy":
    case "planes":
      return typeof display === "number" && typeof name === "string" ? { do: what, display, name } : undefined;
    default:
      return undefined;
  }
}

/** The objects that carry out a page's requests. */
export interface Answering {
  readonly composer: ReferenceComposer;
  readonly clock?: SteppingClock;
  readonly watch: FrameWatch;
  readonly menu: Menu;
  readonly wishes: Wishes;
}

/** Carries out a page's request. A request may come late, when its object is gone: nothing happens then. */
export function answer(request: PageRequest, { composer, clock, watch, menu, wishes }: Answering): void {
  switch (request.do) {
    case "pause":
      return clock?.pause();
    case "resume":
      return clock?.resume();
    case "step":
      return step(composer, clock, watch);
    case "hide":
    case "show":
      return hide(request.layer, request.do === "hide", watch, wishes);
    case "plug":
      if (menu.panels[request.panel]) composer.plug(menu.panels[request.panel]);
      return;
    case "unplug": {
      const { handle, isPrimary } = find(watch, request.display) ?? { isPrimary: true };
      return isPrimary ? undefined : composer.unplug(handle!);
    }
    case "strategy": {
      const info = find(watch, request.display), strategy = menu.strategies.get(request.name);
      return info && strategy && composer.setStrategy(info.handle!, strategy);
    }
    case "planes": {
      const info = find(watch, request.display), model = menu.models.get(request.name);
      return info && model && composer.setPlanes(info.handle!, model);
    }
  }
}

function hide(id: number, isHidden: boolean, watch: FrameWatch, wishes: Wishes): void {
  const layer = watch.layer(id);
  if (!layer) return;
  layer.set({ isHidden });
  wishes.hide(id, isHidden);
}

function find({ displays }: FrameWatch, number: number): DisplayInfo | undefined {
  return displays.find(({ display }) => display === number);
}

/** On to the next vsync of the first display. */
function step(composer: ReferenceComposer, clock: SteppingClock | undefined, { displays: [first] }: FrameWatch): void {
  if (clock && first) clock.step(BigInt(composer.getDisplayVsyncPeriod(first.handle!)));
}
