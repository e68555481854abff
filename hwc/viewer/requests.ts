import type { DisplayInfo } from "../flinger/options.ts";
import type { ReferenceComposer } from "../core/controls.ts";
import type { SteppingClock } from "../core/time/stepping_clock.ts";
import type { FrameWatch } from "./watch/frame_watch.ts";
import type { Menu, Wishes } from "./menu.ts";

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
