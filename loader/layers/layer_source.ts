import type { Finding } from "../driver/finding.ts";
import type { Host } from "../driver/host.ts";
import type { Platform } from "../driver/platform.ts";
import type { LoaderSettings } from "../driver/settings_file.ts";
import { activate, type Activation, type ActivationRequest } from "./activate.ts";
import { type LayerCatalog, readCatalog, readFilters } from "./catalog.ts";
import { prepareLayerLibraries } from "./layer_library.ts";

/** Where a loader's layers come from, beside those it was given. */
export interface SourceOptions {
  /** The machine. */
  readonly host: Host;
  /** Whose rules are followed: on Android there is nothing to look at here. */
  readonly platform: Platform;
  /** Whether layers that nobody named count. */
  readonly implicit: boolean;
}

/** Nothing at all. */
const EMPTY: LayerCatalog = {
  layers: [],
  filters: { instanceLayers: [], enables: () => false, addAny: false, hides: () => false },
  findings: [],
};

/**
 * The machine's layers, looked at anew each time somebody asks; unless they are
 * kept, because whoever asks may do so inside a callback, where nothing can be
 * read.
 */
export class LayerSource {
  readonly #options: SourceOptions;
  #kept: LayerCatalog | undefined;
  #settings: LoaderSettings | undefined;
  #findings: readonly Finding[] | undefined;

  /** A source that has not looked yet. */
  constructor(options: SourceOptions) {
    this.#options = options;
  }

  /** Whether what was read is kept, and none of Deno's operations may be called. */
  get isQuiet(): boolean {
    return this.#kept !== undefined;
  }

  /**
   * The layers there are now. Nothing but the environment is looked at when
   * neither that nor the caller (`all`) wants any.
   */
  look(all: boolean): LayerCatalog {
    return this.#kept ?? this.#read(all);
  }

  /** The layers an instance gets; remembered for {@linkcode LayerSource.findings}. `wanted`: it asks for some. */
  choose(request: ActivationRequest, wanted: boolean): Activation & { readonly catalog: LayerCatalog } {
    const catalog = this.look(wanted), activation = activate(catalog, request);
    this.#findings = [...catalog.findings, ...activation.findings];
    return { ...activation, catalog };
  }

  /** More about the last choice. */
  add(findings: readonly Finding[]): void {
    this.#findings = [...this.#findings ?? [], ...findings];
  }

  /** What the last choice went by; without one, what the next would. */
  findings(present: readonly string[]): readonly Finding[] {
    if (!this.#findings) this.choose({ requested: [], present }, false);
    return this.#findings!;
  }

  /** Reads everything now, and from now on nothing. */
  keep(): void {
    prepareLayerLibraries();
    this.#kept = this.#read(true);
  }

  /** Looks at the machine again. */
  release(): void {
    this.#kept = undefined;
  }

  #read(all: boolean): LayerCatalog {
    const { host, platform, implicit } = this.#options;
    if (platform === "android") return EMPTY;
    if (!all && !implicit) {
      const filters = readFilters(host);
      if (!filters.filters.addAny) return filters;
    }
    const catalog = readCatalog(host, { implicit, lastSettings: this.#settings });
    this.#settings = catalog.settings;
    return catalog;
  }
}
