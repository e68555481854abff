import type { PanelOptions } from "../core/panel/panel.ts";
import type { SteppingClock } from "../core/time/stepping_clock.ts";
import { eightPlane, fourPlane, onePlane, videoPlane } from "../planes/models.ts";
import type { PlaneModel } from "../planes/plane.ts";
import { clientOnly, firstLayers, leastGpuWork, type PlaneStrategy } from "../planes/strategy.ts";
import type { ComposerViewerOptions } from "./options.ts";
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
