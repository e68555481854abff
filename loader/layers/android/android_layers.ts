import type { AndroidSearch } from "../../driver/android_options.ts";
import { propertyReader } from "../../driver/android_properties.ts";
import type { Finding } from "../../driver/finding.ts";
import type { Host } from "../../driver/host.ts";
import type { Activation, ActivationRequest } from "../activate.ts";
import type { CatalogLayer, LayerCatalog } from "../catalog.ts";
import { NO_FILTERS } from "../filters.ts";
import { activateAndroid, type AndroidNames } from "./activate.ts";
import { debugPropertyLayers } from "./debug_properties.ts";
import { debugRights, debugSettings } from "./debug_settings.ts";
import type { DeviceExtensions } from "./device_extensions.ts";
import { discoverLayers } from "./discover.ts";
import { layerFolders } from "./folders.ts";
import { type InstanceRules, instanceRules } from "./instance_rules.ts";

/** What Android's rules have in place of Linux's, for the layers of one look at the machine. */
export interface AndroidRules {
  /** Which of them an instance gets. */
  activate(request: ActivationRequest): Activation;
  /** What else is done to an instance, by what it was asked for, by its layers, and by what a script gave. */
  forInstance(
    requested: readonly string[],
    active: readonly DeviceExtensions[],
    given: readonly DeviceExtensions[],
  ): InstanceRules;
}

/** What is looked for: layers for an application, and those that Linux would have beside. */
export interface AndroidLayerSearch extends AndroidSearch {
  /** Whether somebody wants implicit layers, which there are none of. */
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

/** What is found once and stays for the life of a loader. */
interface Found {
  readonly layers: readonly CatalogLayer[];
  /** Names from the settings. */
  readonly settings: readonly string[];
  /** Whether properties may name layers. */
  readonly heedsProperties: boolean;
  readonly findings: readonly Finding[];
}

/**
 * A loader's layers by Android's rules. Folders and settings are looked at when
 * the first layer or instance is asked for, and then no more; the properties
 * that name layers are read for each instance.
 */
export class AndroidLayers {
  readonly #search: AndroidLayerSearch;
  readonly #host: Host;
  #property: ((name: string) => string) | undefined;
  #found: Found | undefined;

  /** Layers for an application on a machine. Nothing is looked at yet. */
  constructor(search: AndroidLayerSearch, host: Host) {
    this.#search = search;
    this.#host = host;
  }

  /** The layers there are, and what names them now. */
  read(): LayerCatalog {
    const found = this.#found ??= this.#look(), { layers, settings } = found, report = [...found.findings];
    const named = found.heedsProperties ? debugPropertyLayers((name) => this.#read(name), report) : [];
    const names: AndroidNames = { settings, properties: named, strict: this.#isStrict };
    return { layers, filters: NO_FILTERS, findings: report, android: rulesOf(layers, names) };
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

function rulesOf(layers: readonly CatalogLayer[], names: AndroidNames): AndroidRules {
  const first = names.settings.flatMap((name) => layers.find((layer) => layer.name === name) ?? []);
  return {
    activate: (request) => activateAndroid(layers, names, request),
    forInstance: (requested, active, given) => instanceRules({ requested, active, given, found: layers, first }),
  };
}
