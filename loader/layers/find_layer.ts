import { isObject, readManifest, requireText } from "../driver/json.ts";
import { resolveLibrary } from "../driver/manifest.ts";
import { environment, listed, type ManifestCandidate, manifestsIn, searchFolders } from "../driver/search.ts";
import { DriverError } from "../error.ts";

/** Where a native layer is. */
export interface LayerLocation {
  /** The layer's name. */
  readonly name: string;
  /** Its library: absolute, or a bare name for the system's search path. */
  readonly library: string;
  /** The manifest it was found by; undefined when a library was named. */
  readonly manifest: string | undefined;
}

/**
 * Finds a native layer by what a user named: a library (`.so`), a manifest
 * (`.json`), or a layer name, looked up in VK_LAYER_PATH, VK_ADD_LAYER_PATH
 * and the search folders. Throws a {@linkcode DriverError} when there is none.
 */
export function findLayer(wanted: string): LayerLocation {
  if (/\.so(\.\d+)*$/.test(wanted)) return { name: wanted, library: wanted, manifest: undefined };
  if (wanted.endsWith(".json")) return first(readLayerManifest(wanted), wanted);
  const looked: string[] = [];
  for (const path of layerManifests()) {
    looked.push(path);
    const location = tryManifest(path).find((layer) => layer.name === wanted);
    if (location) return location;
  }
  throw new DriverError(
    wanted,
    `Cannot find layer "${wanted}": no manifest among ${looked.length} looked at names it (${
      looked.join(", ") || "none found"
    }); install it or set VK_LAYER_PATH`,
  );
}

/** Every layer manifest to look at, explicit layers first. */
function layerManifests(): string[] {
  const named = (variable: string) => listed(environment(variable), variable);
  const folders = [...searchFolders("explicit_layer.d"), ...searchFolders("implicit_layer.d")];
  const candidates: ManifestCandidate[] = environment("VK_LAYER_PATH")
    ? named("VK_LAYER_PATH")
    : [...named("VK_ADD_LAYER_PATH"), ...folders.flatMap((folder) => manifestsIn(folder, folder))];
  return candidates.map((candidate) => candidate.path);
}

/** The layers a manifest declares: one `layer`, or several `layers`. */
export function readLayerManifest(path: string): LayerLocation[] {
  const manifest = readManifest(path, "layer");
  const layers = Array.isArray(manifest.layers) ? manifest.layers : [manifest.layer];
  return layers.map((layer) => {
    if (!isObject(layer)) {
      throw new DriverError(
        path,
        `Cannot read layer manifest "${path}": it has no "layer" object; is it a driver's manifest?`,
      );
    }
    const library = requireText(path, "layer", layer, "library_path");
    return { name: requireText(path, "layer", layer, "name"), library: resolveLibrary(path, library), manifest: path };
  });
}

/** While searching, a broken manifest of some other layer is not the caller's concern. */
function tryManifest(path: string): LayerLocation[] {
  try {
    return readLayerManifest(path);
  } catch {
    return [];
  }
}

function first(layers: LayerLocation[], path: string): LayerLocation {
  if (layers.length > 0) return layers[0];
  throw new DriverError(path, `Cannot read layer manifest "${path}": it lists no layer; mend the file`);
}
