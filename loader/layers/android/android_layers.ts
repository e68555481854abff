import { openLibrary, procOf, RTLD_NOW } from "../../../ffi/library/library.ts";
import type { AndroidSearch } from "../../driver/android/options.ts";
import { propertyReader } from "../../driver/android/properties.ts";
import type { Host } from "../../driver/host/host.ts";
import type { Finding } from "../../driver/report/finding.ts";
import { NO_FILTERS } from "../choice/declared/filters.ts";
import type { ManifestLayer } from "../choice/declared/manifest.ts";
import { componentsNamed } from "../choice/declared/meta.ts";
import { exportedEntryPoints, type NativeLayer } from "../choice/library.ts";
import type { CatalogLayer, LayerCatalog, LayerFinder } from "../choice/rules.ts";
import { activateAndroid, type AndroidNames, isOfSystem } from "./activate.ts";
import { debugPropertyLayers, debugRights, debugSettings } from "./debug_settings.ts";
import { discoverLayers } from "./discover.ts";
import { layerFolders } from "./folders.ts";
import { instanceRules } from "./instance_rules.ts";
import { refusal } from "./layer_records.ts";

/** Options of the search: layers for an application, and the options that only Linux knows. */
export interface AndroidLayerSearch extends AndroidSearch {
  /** Whether implicit layers are wanted. Android has none. */
  readonly implicitLayers?: boolean;
}

const NO_IMPLICIT_LAYERS: Finding = {
  subject: "layer",
  path: "implicitLayers",
  origin: "implicitLayers option",
  taken: false,
  reason: "no effect: Android has no implicit layers; name layers in settings, properties or options",
  level: "warning",
};

/** The findings that stay for the life of a loader. */
interface Found {
  readonly layers: readonly CatalogLayer[];
  /** Layer names from the settings. */
  readonly settings: readonly string[];
  /** Whether properties may name layers. */
  readonly heedsProperties: boolean;
  readonly findings: readonly Finding[];
}

/**
 * A loader's layers by Android's rules. Folders and settings are read once,
 * when the first layer or instance is requested. Properties that name layers
 * are read for each instance.
 */
export class AndroidLayers implements LayerFinder {
  /** Android has no implicit layers. */
  readonly implicit = false;
  /** Folders and settings are read once. */
  readonly isKept = true;
  readonly #search: AndroidLayerSearch;
  readonly #host: Host;
  #property: ((name: string) => string) | undefined;
  #found: Found | undefined;

  /** Sets up the search for an application on a machine. Nothing is read yet. */
  constructor(search: AndroidLayerSearch, host: Host) {
    this.#search = search;
    this.#host = host;
  }

  /** Returns the available layers and the current names. */
  read(): LayerCatalog {
    const found = this.#found ??= this.#look(), { layers, settings } = found, report = [...found.findings];
    const named = found.heedsProperties ? debugPropertyLayers((name) => this.#read(name), report) : [];
    const names: AndroidNames = { settings, properties: named, strict: this.#isStrict };
    return catalogOf(layers, names, report);
  }

  get #isStrict(): boolean {
    return this.#search.quirks === "aosp";
  }

  #read(name: string): string {
    return (this.#property ??= propertyReader({ ...this.#search, host: this.#host }))(name);
  }

  #look(): Found {
    const report = this.#search.implicitLayers ? [NO_IMPLICIT_LAYERS] : [];
    const host = this.#host, property = (name: string) => this.#read(name);
    const rights = debugRights(this.#search, property, host);
    const settings = debugSettings(this.#search, rights, this.#isStrict, report), named = settings?.layers ?? [];
    const folders = layerFolders(this.#search, rights, settings, host, report);
    const layers = discoverLayers(folders, { ...this.#search, host, property, report });
    const heedsProperties = !rights.isElevated && named.length === 0;
    return { layers, settings: named, heedsProperties, findings: report };
  }
}

function catalogOf(layers: readonly CatalogLayer[], names: AndroidNames, findings: readonly Finding[]): LayerCatalog {
  const first = names.settings.flatMap((name) => layers.find((layer) => layer.name === name) ?? []);
  return {
    layers,
    filters: NO_FILTERS,
    findings,
    activate: (request) => activateAndroid(layers, names, request),
    open: ({ layer }, { quiet = false }) => openAndroidLayer(layer, quiet),
    named: (name) => componentsNamed(name, layers),
    isListed: (layer) => !isOfSystem(layer),
    forInstance: (requested, active, given) => instanceRules({ requested, active, given, found: layers, first }),
  };
}

/**
 * Opens a layer that Android's search found, for one instance. The interface
 * version is not negotiated: the exports are the interface. Throws if the
 * library has no function to create instances.
 */
function openAndroidLayer(manifest: ManifestLayer, quiet: boolean): NativeLayer {
  const { name, library: path, instanceExtensions, deviceExtensions } = manifest;
  const library = openLibrary(path, quiet, RTLD_NOW), close = () => library.close();
  const found = exportedEntryPoints(library, name);
  const fault = faultOf(found.getInstanceProcAddr);
  if (fault !== undefined) {
    close();
    throw refusal(path, fault);
  }
  return {
    name,
    path,
    manifest,
    ...found,
    getDeviceProcAddr: manifest.android!.onDevices ? found.getDeviceProcAddr : 0n,
    instanceExtensions,
    deviceExtensions,
    close,
    [Symbol.dispose]: close,
  };
}

/** Calls the function with a NULL instance, as the layer above will do. */
function faultOf(getInstanceProcAddr: bigint): string | undefined {
  if (getInstanceProcAddr === 0n) return "it does not export vkGetInstanceProcAddr";
  const create = procOf(getInstanceProcAddr, 0n, "vkCreateInstance");
  return create === 0n ? "its vkGetInstanceProcAddr has no vkCreateInstance" : undefined;
}
