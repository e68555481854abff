import type { Host } from "../../driver/host.ts";
import { DriverError } from "../../error.ts";
import { discoverLayers, newSearch } from "./search.ts";
import { type ManifestLayer, readLayerManifest } from "./manifest.ts";
import { componentsOf, firstByName, withoutBrokenMetas } from "./meta.ts";
import type { LayerToOpen } from "./library.ts";

/**
 * Finds a native layer by what a user named: a library (`.so`), a manifest
 * (`.json`), or a layer name, looked up where layers are installed. A
 * meta-layer gives its components. Throws a {@linkcode DriverError} when there
 * is none.
 */
export function findLayer(wanted: string, host: Host): LayerToOpen[] {
  if (/\.so(\.\d+)*$/.test(wanted)) return [{ name: wanted, library: wanted }];
  const named = wanted.endsWith(".json") ? firstOf(wanted, host) : undefined;
  if (named && named.components.length === 0) return [toOpen(named)];
  const search = newSearch(host), { report } = search, found = discoverLayers(search, false);
  const layers = withoutBrokenMetas(named ? [named, ...found] : found, report);
  const byName = firstByName(layers);
  const layer = byName.get(named?.name ?? wanted);
  if (layer) return componentsOf(layer, byName).map(toOpen);
  const looked = report.filter(({ subject }) => subject === "manifest").map(({ path }) => path);
  const broken = report.find(({ subject, path }) => subject === "layer" && path === (named?.name ?? wanted));
  const fault = broken ? broken.reason : `no manifest among ${looked.length} looked at names it`;
  throw new DriverError(
    wanted,
    `Cannot find layer "${wanted}": ${fault} (${looked.join(", ") || "none found"}); install it or set VK_LAYER_PATH`,
  );
}

function toOpen(manifest: ManifestLayer): LayerToOpen {
  return { name: manifest.name, library: manifest.library, manifest };
}

function firstOf(path: string, host: Host): ManifestLayer {
  const reasons: string[] = [], [first] = readLayerManifest(path, false, host, (reason) => reasons.push(reason));
  if (first) return first;
  throw new DriverError(path, `Cannot read layer manifest "${path}": ${reasons.join("; ")}; mend the file`);
}
