import type { Finding } from "../driver/finding.ts";
import type { Host } from "../driver/host.ts";
import { type LoaderSettings, readLoaderSettings } from "../driver/settings_file.ts";
import type { AndroidRules } from "./android/android_layers.ts";
import { discoverLayers, newSearch, type Search } from "./discover.ts";
import { type LayerFilters, layerFilters } from "./filters.ts";
import { type ManifestLayer, refusedLayer } from "./manifest.ts";
import { withoutBrokenMetas } from "./meta.ts";
import { OVERRIDE } from "./meta.ts";
import { layersBySettings } from "./settings_layers.ts";
import { turnedOff } from "./filters.ts";

/** A layer that there is, and whether it counts by itself. */
export interface CatalogLayer extends ManifestLayer {
  /** What the settings file says of it; absent when it does not name it. */
  readonly control?: "auto" | "on";
  /** Why it does not count by itself, though it is implicit; `undefined` when it does. */
  readonly off?: string;
}

/** What one look at the machine found: all layers that may be used, and what the environment asks for. */
export interface LayerCatalog {
  /** The layers, in the order in which they were found, each name once. */
  readonly layers: readonly CatalogLayer[];
  /** What the environment says. */
  readonly filters: LayerFilters;
  /** What the settings file says to this program, if there is one. */
  readonly settings?: LoaderSettings;
  /** What was looked at. */
  readonly findings: readonly Finding[];
  /** For layers that were found by Android's rules, the rest of these. */
  readonly android?: AndroidRules;
}

/** How to look. */
export interface CatalogOptions {
  /** Whether layers that nobody named count: implicit ones, the override layer and what the settings file says. */
  readonly implicit: boolean;
  /** What the settings file said before; stays in force when the file is gone. */
  readonly lastSettings?: LoaderSettings;
}

/** Looks at the whole machine for layers. */
export function readCatalog(host: Host, { implicit, lastSettings }: CatalogOptions): LayerCatalog {
  const search = newSearch(host), { variables, report } = search;
  const settings = implicit ? readLoaderSettings(host, report, lastSettings) : undefined;
  const filters = layerFilters(variables);
  const found = settings?.layers
    ? layersBySettings(settings.layers, () => usable(search, filters, implicit), search)
    : usable(search, filters, implicit);
  const layers = withoutBrokenMetas(firstOfEachName(found, report), report).map((layer): CatalogLayer => {
    if (!layer.isImplicit) return layer;
    const unwanted = implicit || filters.enables(layer.name) ? undefined : "implicit layers do not count here";
    return { ...layer, off: unwanted ?? turnedOff(layer, filters.enables, variables) };
  });
  return { layers, filters, settings, findings: unique(report) };
}

/** What was discovered, less what the filters take away. */
function usable(search: Search, filters: LayerFilters, implicit: boolean): ManifestLayer[] {
  return discoverLayers(search, implicit).filter((layer) => {
    if (layer.name === OVERRIDE && !implicit) return false;
    if (!filters.hides(layer)) return true;
    search.report.push(refusedLayer(layer, "VK_LOADER_LAYERS_DISABLE matches it"));
    return false;
  });
}

function firstOfEachName(layers: readonly ManifestLayer[], report: Finding[]): ManifestLayer[] {
  const first = new Map<string, ManifestLayer>();
  for (const layer of layers) {
    const before = first.get(layer.name);
    if (before) report.push(refusedLayer(layer, `a layer of that name was found before, in ${before.manifest}`));
    else first.set(layer.name, layer);
  }
  return [...first.values()];
}

/** Several searches look at the same variables and folders. */
function unique(report: readonly Finding[]): Finding[] {
  return [...new Map(report.map((finding) => [JSON.stringify(finding), finding])).values()];
}
