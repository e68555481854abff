import type { LayerSetting } from "../../driver/settings_file.ts";
import type { CatalogLayer } from "./rules.ts";
import { readCandidates, type Search } from "./search.ts";
import { type ManifestLayer, refusedLayer } from "./manifest.ts";

/**
 * The layers in the settings file's order. `others` gives those that were
 * discovered: they go where the file leaves room for them, else nowhere.
 */
export function layersBySettings(
  entries: readonly LayerSetting[],
  others: () => readonly ManifestLayer[],
  search: Search,
): CatalogLayer[] {
  const named = new Set(entries.map(({ name }) => name));
  return entries.flatMap((entry): CatalogLayer[] => {
    if (entry.control === "unordered_layer_location") return others().filter(({ name }) => !named.has(name));
    return layerOf(entry, search);
  });
}

function layerOf({ name, path, control, implicit }: LayerSetting, search: Search): CatalogLayer[] {
  const found = readCandidates([{ path, origin: "settings file" }], implicit, search)
    .filter((layer) => layer.name === name);
  if (found.length === 0) {
    const reason = `the manifest that the settings file gives declares no layer of that name`;
    search.report.push({ subject: "layer", path: name, origin: path, taken: false, reason, level: "warning" });
  }
  if (control === "auto" || control === "on") return found.slice(0, 1).map((layer) => ({ ...layer, control }));
  search.report.push(...found.map((layer) => refusedLayer(layer, "turned off by the settings file")));
  return [];
}
