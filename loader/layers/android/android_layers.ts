import { openLibrary, procOf, RTLD_NOW } from "../../../ffi/library/library.ts";
import type { AndroidSearch } from "../../driver/android/options.ts";
import { propertyReader } from "../../driver/android/properties.ts";
import type { Host } from "../../driver/host/host.ts";
import type { Finding } from "../../driver/report/finding.ts";
import { debugPropertyLayers, debugRights, debugSettings } from "./debug_settings.ts";
import { discoverLayers } from "./discover.ts";
import { layerFolders } from "./folders.ts";
import { instanceRules } from "./instance_rules.ts";
import { refusal } from "./query_library.ts";
import { NO_FILTERS } from "../choice/declared/filters.ts";
import type { ManifestLayer } from "../choice/declared/manifest.ts";
import { wholeNamed } from "../choice/declared/meta.ts";
import { exportedEntryPoints, type NativeLayer } from "../choice/library.ts";
import type {
  Activation,
  ActivationRequest,
  ActiveLayer,
  CatalogLayer,
  EnabledBy,
  LayerCatalog,
  LayerFinder,
} from "../choice/rules.ts";

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
    named: (name) => wholeNamed(name, layers),
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

/** The names that decide, beside the application's, which layers an instance gets. */
export interface AndroidNames {
  /** Layers named by the settings, top to bottom. */
  readonly settings: readonly string[];
  /** Layers named by properties, top to bottom; empty if the settings name any. */
  readonly properties: readonly string[];
  /** Whether to follow AOSP also where AOSP is broken. */
  readonly strict: boolean;
}

/** A layer name and its origin. */
interface Wanted {
  readonly name: string;
  readonly by: EnabledBy;
}

/** The origins of layer names, for error messages. */
const ORIGINS = { debugSetting: "gpu_debug_layers", debugProperty: "debug.vulkan.layers" } as const;

/**
 * Chooses the layers of an instance on Android, top to bottom: those that the
 * settings name or, if there are none, those that properties name; those that
 * the application requests; the system's own. A layer counts at its first
 * place. An unknown name fails the instance, unless a property gave the name,
 * because properties reach all applications.
 */
export function activateAndroid(
  layers: readonly CatalogLayer[],
  names: AndroidNames,
  { requested, present = [] }: ActivationRequest,
): Activation {
  const byName = new Map(layers.map((layer) => [layer.name, layer]));
  const active: ActiveLayer[] = [], unknown: string[] = [], findings: Finding[] = [], taken = new Set(present);
  for (const { name, by } of wantedNames(layers, names, requested)) {
    if (taken.has(name)) continue;
    taken.add(name);
    const layer = byName.get(name), isRequired = isNeeded(by, names.strict);
    if (layer) active.push({ layer, by, byItself: by === "debugSetting", isRequired });
    else findings.push(missing(name, by, isRequired));
    if (!layer && isRequired) unknown.push(name);
  }
  return { active, unknown, findings, listed: active.map(({ layer }) => layer) };
}

function wantedNames(
  layers: readonly CatalogLayer[],
  { settings, properties, strict }: AndroidNames,
  requested: readonly string[],
): Wanted[] {
  const each = (names: readonly string[], by: EnabledBy) => names.map((name): Wanted => ({ name, by }));
  return [
    ...each(settings, "debugSetting"),
    ...each(properties, "debugProperty"),
    ...each(requested, "application"),
    ...systemLayers(layers, strict).map(({ name, android }): Wanted => ({ name, by: android!.owner })),
  ];
}

/**
 * AOSP counts the system's layers and takes the count for the index at which
 * they end, although they follow all others.
 */
function systemLayers(layers: readonly CatalogLayer[], strict: boolean): CatalogLayer[] {
  const own = layers.filter(isOfSystem);
  return strict ? layers.slice(layers.length - own.length, own.length) : own;
}

/** Whether a layer is a part of the system that applications cannot list. */
export function isOfSystem({ android }: CatalogLayer): boolean {
  return android !== undefined && android.owner !== "application";
}

function isNeeded(by: EnabledBy, strict: boolean): boolean {
  return by === "application" || by === "debugSetting" || strict;
}

function missing(name: string, by: EnabledBy, isRequired: boolean): Finding {
  const origin = by in ORIGINS ? ORIGINS[by as keyof typeof ORIGINS] : "ppEnabledLayerNames";
  const reason = isRequired ? "so no instance can be made" : "and instances do without";
  const level = isRequired ? "error" : "warning";
  const path = name === "" ? "a name that is empty" : name;
  return { subject: "layer", path, origin, taken: false, reason: `in no library that was found, ${reason}`, level };
}
