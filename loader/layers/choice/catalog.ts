import { closest } from "../../../ffi/check_options.ts";
import { type Finding, hiddenFolders, LAYER_FOLDERS } from "../../driver/report/finding.ts";
import type { Host } from "../../driver/host/host.ts";
import { readLoaderSettings } from "../../driver/manifest/settings_file.ts";
import { DriverError } from "../../error.ts";
import { activate, forced, hidden } from "./choose.ts";
import { layerFilters, NO_FILTERS, turnedOff, wantsLayers } from "./declared/filters.ts";
import { type LayerToOpen, openNativeLayer } from "./library.ts";
import { type ManifestLayer, OVERRIDE, readLayerManifest, refusedLayer } from "./declared/manifest.ts";
import { componentsOf, firstByName, wholeNamed, withoutBrokenMetas } from "./declared/meta.ts";
import type { Activation, CatalogLayer, FoundLayers, LayerCatalog, LayerFinder } from "./rules.ts";
import { discoverLayers, layersBySettings, newSearch } from "./search.ts";

/** Options of the search for layers. */
export interface CatalogOptions {
  /** Whether layers that nobody named count: implicit ones, the override layer and those of the settings file. */
  readonly implicit: boolean;
}

/** Searches the whole machine for layers. */
export function readCatalog(host: Host, { implicit }: CatalogOptions): FoundLayers {
  const search = newSearch(host), { variables, report } = search;
  const settings = implicit ? readLoaderSettings(host, report) : undefined;
  const filters = layerFilters(variables, settings?.layers !== undefined);
  const hides = (layer: CatalogLayer) => filters.hides(layer) && layer.control === undefined;
  const discovered = () => discoverLayers(search, implicit).filter(({ name }) => implicit || name !== OVERRIDE);
  const found: CatalogLayer[] = settings?.layers ? layersBySettings(settings.layers, discovered, search) : discovered();
  const whole = withoutBrokenMetas(firstOfEachName(found, report), report);
  report.push(...whole.filter(hides).map(hidden));
  const layers = whole.filter((layer) => !hides(layer)).map((layer): CatalogLayer => {
    if (!layer.isImplicit) return layer;
    const unwanted = implicit || filters.enables(layer.name) ? undefined : "implicit layers do not count here";
    const off = unwanted ?? turnedOff(layer, filters.enables, variables);
    const isForced = off === undefined && turnedOff(layer, () => false, variables) !== undefined;
    if (isForced && !settings?.layers) report.push(forced(layer, "Implicit layer", "."));
    return { ...layer, off };
  });
  return { layers, filters, settings, findings: unique(report) };
}

/** Each name counts once, except for layers that the settings file names with different manifests. */
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
  const refused = refusedLayer(layer, `a layer of that name was found before, in ${before.manifest}`, "info", message);
  return { ...refused, messageLevel: "warning", category: "none" };
}

/** Several searches read the same variables and folders. */
function unique(report: readonly Finding[]): Finding[] {
  return [...new Map(report.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/** No layers at all. */
const NOTHING: FoundLayers = { layers: [], filters: NO_FILTERS, findings: [] };
/** The result for no layers, precomputed: most instances on a named driver. */
const NO_LAYERS: Activation = { active: [], unknown: [], findings: [], listed: [] };

/** A loader's layers by Linux's rules: manifests, the environment and the loader's settings file. */
export class LinuxLayers implements LayerFinder {
  readonly implicit: boolean;
  /** The machine may change at any time. */
  readonly isKept = false;

  /** `implicit`: layers that nobody named count. Nothing is read yet. */
  constructor(implicit: boolean) {
    this.implicit = implicit;
  }

  /** Returns the current layers; see {@linkcode LayerFinder.read}. */
  read(host: Host, all: boolean): LayerCatalog {
    if (!all && !this.implicit) {
      const { variables, report } = newSearch(host);
      if (!wantsLayers(variables)) return catalogOf(report.length === 0 ? NOTHING : { ...NOTHING, findings: report });
    }
    return catalogOf(readCatalog(host, { implicit: this.implicit }));
  }
}

function catalogOf(found: FoundLayers): LayerCatalog {
  return {
    ...found,
    activate: (request) => found === NOTHING && request.requested.length === 0 ? NO_LAYERS : activate(found, request),
    open: ({ layer, byItself }, how) =>
      openNativeLayer({ name: layer.name, library: layer.library, manifest: layer, byItself, ...how }),
    named: (name) => wholeNamed(name, found.layers),
    isListed: () => true,
  };
}

/**
 * Finds a native layer by a user's name: a library (`.so`), a manifest
 * (`.json`), or a layer name, which is searched among installed layers. A
 * meta-layer gives its components. Throws a {@linkcode DriverError} if there is
 * none.
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
  const broken = report.find(({ subject, path }) => subject === "layer" && path === (named?.name ?? wanted));
  const advice = broken ? broken.reason : unknownLayer(named?.name ?? wanted, [...byName.keys()], report);
  throw new DriverError("not-found", wanted, `Cannot find layer "${wanted}": ${advice}`);
}

/** The nearest name first: most names that nobody has are misspelt. */
function unknownLayer(name: string, known: readonly string[], report: readonly Finding[]): string {
  const near = closest(name, known), hidden = hiddenFolders(report, "layer manifests", LAYER_FOLDERS);
  if (near) return `did you mean ${near}?`;
  if (hidden) return hidden;
  const found = known.length === 0 ? "no layer is installed" : `there are ${known.join(", ")}`;
  return `${found}; install it or set VK_LAYER_PATH to the folder of its manifest`;
}

function toOpen(manifest: ManifestLayer): LayerToOpen {
  return { name: manifest.name, library: manifest.library, manifest };
}

function firstOf(path: string, host: Host): ManifestLayer {
  const reasons: string[] = [], [first] = readLayerManifest(path, false, host, (reason) => reasons.push(reason));
  // only implicit layers can be disabled, and only they take part before there is an instance
  if (first) return first.disable === undefined ? first : readLayerManifest(path, true, host, () => {})[0];
  throw new DriverError(
    "bad-manifest",
    path,
    `Cannot read layer manifest "${path}": ${reasons.join("; ")}; mend the file`,
  );
}
