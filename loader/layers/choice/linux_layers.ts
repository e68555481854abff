import type { Host } from "../../driver/host.ts";
import type { LoaderSettings } from "../../driver/settings_types.ts";
import { activate, type Activation } from "./choose.ts";
import { readCatalog } from "./catalog.ts";
import { newSearch } from "./search.ts";
import { NO_FILTERS, wantsLayers } from "./filters.ts";
import type { FoundLayers, LayerCatalog, LayerFinder } from "./rules.ts";
import { openNativeLayer } from "./library.ts";

/** Nothing at all. */
const NOTHING: FoundLayers = { layers: [], filters: NO_FILTERS, findings: [] };
/** What comes of that, without a moment's thought: most instances on a driver that was named. */
const NO_LAYERS: Activation = { active: [], unknown: [], findings: [], listed: [] };

/** A loader's layers by Linux's rules: manifests, the environment and the loader's settings file. */
export class LinuxLayers implements LayerFinder {
  readonly implicit: boolean;
  /** What is on the machine may change at any time. */
  readonly isKept = false;
  /** What the settings file said last: that stays in force when the file is gone. */
  #settings: LoaderSettings | undefined;

  /** `implicit`: layers that nobody named count. Nothing is looked at yet. */
  constructor(implicit: boolean) {
    this.implicit = implicit;
  }

  /** The layers there are now; see {@linkcode LayerFinder.read}. */
  read(host: Host, all: boolean): LayerCatalog {
    if (!all && !this.implicit) {
      const { variables, report } = newSearch(host);
      if (!wantsLayers(variables)) return catalogOf(report.length === 0 ? NOTHING : { ...NOTHING, findings: report });
    }
    const found = readCatalog(host, { implicit: this.implicit, lastSettings: this.#settings });
    this.#settings = found.settings;
    return catalogOf(found);
  }
}

function catalogOf(found: FoundLayers): LayerCatalog {
  return {
    ...found,
    activate: (request) => found === NOTHING && request.requested.length === 0 ? NO_LAYERS : activate(found, request),
    open: ({ layer, byItself }, how) =>
      openNativeLayer({ name: layer.name, library: layer.library, manifest: layer, byItself, ...how }),
    isListed: () => true,
  };
}
