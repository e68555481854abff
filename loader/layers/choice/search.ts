import { type Finding, refusedFor } from "../../driver/report/finding.ts";
import type { Host } from "../../driver/host/host.ts";
import {
  listed,
  type ManifestCandidate,
  manifestsIn,
  searched,
  searchFolders,
  split,
} from "../../driver/search/search.ts";
import type { LayerSetting } from "../../driver/manifest/settings_file.ts";
import { Variables } from "../../driver/environment/variables.ts";
import { turnedOff } from "./declared/filters.ts";
import { type ManifestLayer, OVERRIDE, readLayerManifest, refusedLayer, type Remark } from "./declared/manifest.ts";
import { overrideFor } from "./declared/meta.ts";
import type { CatalogLayer } from "./rules.ts";

/** The machine, and the list for findings. */
export interface Search {
  /** The machine. */
  readonly host: Host;
  /** The environment. */
  readonly variables: Variables;
  /** The findings so far. */
  readonly report: Finding[];
}

/** Makes a search that reports to a list of its own. */
export function newSearch(host: Host): Search {
  const report: Finding[] = [];
  return { host, variables: new Variables(host, report), report };
}

/**
 * Returns the layers whose manifests are in the search folders: implicit ones,
 * then explicit ones. If there is an override layer for this program, it
 * replaces the folders of explicit layers and removes layers. Without
 * `implicit` there is none.
 */
export function discoverLayers(search: Search, implicit: boolean): ManifestLayer[] {
  const { host, variables, report } = search;
  const above = readCandidates(layerManifests("implicit", variables, host, report), true, search);
  const override = implicit ? overrideFor(above, host, report) : undefined;
  const isActive = override !== undefined && turnedOff(override, () => false, variables) === undefined;
  const paths = isActive ? override.overridePaths : [];
  if (paths.length > 0) {
    report.push(replacing(override!));
    const because = `ignored, because ${override!.manifest} has override_paths`;
    variables.ignore(SEARCH.explicit.replace, because, ignoredPath);
  }
  const explicit = paths.length > 0
    ? overrideManifests(paths, host, report)
    : layerManifests("explicit", variables, host, report);
  const all = [...above, ...readCandidates(explicit, false, search)]
    .filter((layer) => layer.name !== OVERRIDE || layer === override);
  return isActive ? withoutBlacklisted(all, override, report) : all;
}

/** Reads manifests one by one. A fault in one is reported and does not affect the others. */
export function readCandidates(
  candidates: readonly ManifestCandidate[],
  isImplicit: boolean,
  { host, report }: Search,
): ManifestLayer[] {
  return candidates.flatMap(({ path, origin }) => {
    const finding = { subject: "manifest", category: "layer", path, origin } as const;
    const remark: Remark = (reason, said) =>
      report.push({ ...finding, taken: false, reason, level: "warning", ...said });
    try {
      const layers = readLayerManifest(path, isImplicit, host, remark);
      const names = layers.map(({ name }) => name).join(", ");
      const reason = `declares ${names || "no layer"}`;
      report.push({ ...finding, taken: true, reason, level: "debug", ...foundIn(path, layers) });
      report.push(...layers.filter(({ components }) => components.length > 0).map(encountered));
      return layers;
    } catch (error) {
      report.push({ ...finding, ...refusedFor(error) });
      return [];
    }
  });
}

/** The Khronos loader's message about a manifest with layers; none for a manifest without. */
function foundIn(path: string, layers: readonly ManifestLayer[]): Partial<Finding> {
  if (layers.length === 0) return {};
  return { message: `Found manifest file ${path} (file version ${layers[0].fileVersion})`, category: "none" };
}

function encountered({ name, manifest: path, components }: ManifestLayer): Finding {
  const reason = `${name} stands for ${components.length} layers`, message = `Encountered meta-layer "${name}"`;
  const finding = { subject: "manifest", category: "layer", path, origin: "component_layers" } as const;
  return { ...finding, taken: true, reason, level: "debug", message };
}

/** The finding that the override layer gives the folders of explicit layers. */
function replacing({ name, manifest, overridePaths }: ManifestLayer): Finding {
  const message = overridePaths.map((path) => `Override layer has override path ${path}`).join("\n");
  const reason = `replaces the search for explicit layers by ${overridePaths.length} folders`;
  return { subject: "layer", path: name, origin: manifest, taken: true, reason, level: "warning", message };
}

/** Returns the Khronos loader's remark on VK_LAYER_PATH beside such a layer. */
function ignoredPath(value: string): Partial<Finding> {
  const message = "Ignoring VK_LAYER_PATH. The Override layer is active and has override paths set, which takes " +
    `priority. VK_LAYER_PATH is set to ${value}`;
  return { category: "layer", message, messageLevel: "info" };
}

function withoutBlacklisted(all: ManifestLayer[], override: ManifestLayer, report: Finding[]): ManifestLayer[] {
  return all.filter((layer) => {
    if (!override.blacklist.includes(layer.name)) return true;
    const message = `loader_remove_layers_in_blacklist: Override layer is active and layer ${layer.name} is in the ` +
      "blacklist inside of it. Removing that layer from current layer list.";
    const refused = refusedLayer(layer, `on the blacklist of ${override.manifest}`, "info", message);
    report.push({ ...refused, messageLevel: "debug", category: "none" });
    return false;
  });
}

/** The two kinds of layers: those that count by themselves, and those that must be named. */
export type LayerKind = "implicit" | "explicit";

/** The variables of each kind: the one that replaces the search, and the one that adds folders in front. */
const SEARCH = {
  implicit: { replace: "VK_IMPLICIT_LAYER_PATH", add: "VK_ADD_IMPLICIT_LAYER_PATH", leaf: "implicit_layer.d" },
  explicit: { replace: "VK_LAYER_PATH", add: "VK_ADD_LAYER_PATH", leaf: "explicit_layer.d" },
} as const;

/** Returns the layer manifests of a kind, in order of precedence, without repeats. */
export function layerManifests(
  kind: LayerKind,
  variables: Variables,
  host: Host,
  report: Finding[],
): ManifestCandidate[] {
  const { replace, add, leaf } = SEARCH[kind], what = `the search for ${kind} layers`;
  const instead = variables.honour(replace, `replaces ${what}`);
  if (instead !== "") {
    variables.ignore(add, `ignored, because ${replace} is set`);
    return said(kind, split(instead), listed(instead, replace, host, report), report);
  }
  const first = variables.honour(add, `goes before ${what}`), before = listed(first, add, host, report);
  const folders = searchFolders(leaf, (name) => variables.read(name));
  const found = [...before, ...folders.flatMap((folder) => manifestsIn(folder, folder, host, report))];
  return said(kind, [...split(first), ...folders], found, report);
}

/** Returns the candidates without repeats, and reports the search. */
function said(
  kind: LayerKind,
  places: readonly string[],
  found: readonly ManifestCandidate[],
  report: Finding[],
): ManifestCandidate[] {
  const candidates = withoutRepeats(found);
  report.push(searched(`${kind} layer`, places, candidates));
  return candidates;
}

/** Returns the manifests in the override layer's folders of explicit layers. */
export function overrideManifests(folders: readonly string[], host: Host, report: Finding[]): ManifestCandidate[] {
  const found = folders.flatMap((folder) => listed(folder, "override layer", host, report));
  return said("explicit", folders, found, report);
}

function withoutRepeats(candidates: readonly ManifestCandidate[]): ManifestCandidate[] {
  const byPath = new Map(candidates.toReversed().map((candidate) => [candidate.path, candidate]));
  return candidates.filter((candidate) => byPath.get(candidate.path) === candidate);
}

/**
 * Returns the layers in the settings file's order. `others` returns discovered
 * layers, which go where the file leaves room for them, or nowhere.
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
  if (!path.endsWith(".json")) {
    const reason = "the settings file gives it a path that does not end in .json; give that of its manifest";
    search.report.push({ subject: "layer", path: name, origin: path, taken: false, reason, level: "warning" });
    return [];
  }
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
