import type { Finding } from "../../driver/finding.ts";
import type { Host } from "../../driver/host.ts";
import { type LoaderSettings, readLoaderSettings } from "../../driver/settings_file.ts";
import { discoverLayers, newSearch } from "./search.ts";
import { layerFilters, turnedOff } from "./filters.ts";
import type { CatalogLayer, FoundLayers } from "./rules.ts";
import { type ManifestLayer, refusedLayer } from "./manifest.ts";
import { OVERRIDE, withoutBrokenMetas } from "./meta.ts";
import { layersBySettings } from "./settings_layers.ts";

/** How to look. */
export interface CatalogOptions {
  /** Whether layers that nobody named count: implicit ones, the override layer and what the settings file says. */
  readonly implicit: boolean;
  /** What the settings file said before; stays in force when the file is gone. */
  readonly lastSettings?: LoaderSettings;
}

/** Looks at the whole machine for layers. */
export function readCatalog(host: Host, { implicit, lastSettings }: CatalogOptions): FoundLayers {
  const search = newSearch(host), { variables, report } = search;
  const settings = implicit ? readLoaderSettings(host, report, lastSettings) : undefined;
  const filters = layerFilters(variables);
  const hides = (layer: CatalogLayer) => filters.hides(layer) && layer.control === undefined;
  const discovered = () => discoverLayers(search, implicit).filter(({ name }) => implicit || name !== OVERRIDE);
  const found: CatalogLayer[] = settings?.layers ? layersBySettings(settings.layers, discovered, search) : discovered();
  const whole = withoutBrokenMetas(firstOfEachName(found, report), report);
  report.push(...whole.filter(hides).map(hidden));
  const layers = whole.filter((layer) => !hides(layer)).map((layer): CatalogLayer => {
    if (!layer.isImplicit) return layer;
    const unwanted = implicit || filters.enables(layer.name) ? undefined : "implicit layers do not count here";
    return { ...layer, off: unwanted ?? turnedOff(layer, filters.enables, variables) };
  });
  return { layers, filters, settings, findings: unique(report) };
}

/** A layer that a filter takes away. A meta-layer of which it is a component does without it. */
function hidden(layer: ManifestLayer): Finding {
  const message =
    `Layer "${layer.name}" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`;
  return refusedLayer(layer, "VK_LOADER_LAYERS_DISABLE matches it", "warning", message);
}

/** A name counts once, but for layers that the settings file names with different manifests. */
function firstOfEachName(layers: readonly CatalogLayer[], report: Finding[]): CatalogLayer[] {
  const first = new Map<string, CatalogLayer>();
  for (const layer of layers) {
    const key = layer.control === undefined ? layer.name : `${layer.name} ${layer.manifest}`, before = first.get(key);
    if (before) report.push(repeated(layer, before));
    else first.set(key, layer);
  }
  return [...first.values()];
}

function repeated(layer: ManifestLayer, before: ManifestLayer): Finding {
  const { name, manifest } = layer;
  const message =
    `Removing layer ${name} (${manifest}) because it is a duplicate of ${before.name} (${before.manifest})`;
  return refusedLayer(layer, `a layer of that name was found before, in ${before.manifest}`, "info", message);
}

/** Several searches look at the same variables and folders. */
function unique(report: readonly Finding[]): Finding[] {
  return [...new Map(report.map((finding) => [JSON.stringify(finding), finding])).values()];
}
