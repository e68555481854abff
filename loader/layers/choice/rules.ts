import type { DispatchTable } from "../../chain/table/dispatch_table.ts";
import type { Finding } from "../../driver/report/finding.ts";
import type { Host } from "../../driver/host/host.ts";
import type { LoaderSettings } from "../../driver/manifest/settings_types.ts";
import type { Layer } from "../../layer.ts";
import type { Activation, ActivationRequest, ActiveLayer } from "./choose.ts";
import type { LayerFilters } from "./declared/filters.ts";
import type { ManifestLayer } from "./declared/manifest.ts";
import type { LayerToOpen, NativeLayer } from "./library.ts";

/** A layer that there is, and whether it counts by itself. */
export interface CatalogLayer extends ManifestLayer {
  /** What the settings file says of it; absent when it does not name it. */
  readonly control?: "auto" | "on";
  /** Why it does not count by itself, though it is implicit; `undefined` when it does. */
  readonly off?: string;
}

/** What one look at the machine found: all layers that may be used, and what the environment asks for. */
export interface FoundLayers {
  /** The layers, in the order in which they were found, each name once, unless the settings file has it twice. */
  readonly layers: readonly CatalogLayer[];
  /** What the environment says. */
  readonly filters: LayerFilters;
  /** What the settings file says to this program, if there is one. */
  readonly settings?: LoaderSettings;
  /** What was looked at. */
  readonly findings: readonly Finding[];
}

/** What was found, with the platform's rules for what instances get of it. */
export interface LayerCatalog extends FoundLayers {
  /** Which of the layers an instance gets. */
  activate(request: ActivationRequest): Activation;
  /** Opens a layer for an instance. Throws when it cannot be used. */
  open(active: ActiveLayer, how: Pick<LayerToOpen, "quiet" | "stays">): NativeLayer;
  /** Whether applications are told of a layer. */
  isListed(layer: CatalogLayer): boolean;
  /**
   * What else the loader does to an instance, by the names it was asked for, by its layers, and by what a script gave.
   * Absent: nothing.
   */
  forInstance?(
    requested: readonly string[],
    active: readonly CatalogLayer[],
    given: readonly (Layer | NativeLayer)[],
  ): InstanceRules;
}

/** What a platform's loader does to an instance, beside putting its layers above each other. */
export interface InstanceRules {
  /** The VkInstanceCreateInfo that layers see; it may lie in the arena. */
  createInfo(info: bigint): bigint;
  /** Puts above the chain of the new instance what the loader answers itself. Close it when the instance is gone. */
  answerAbove(table: DispatchTable): Disposable;
  /** What there is to say of the layers that a VkDeviceCreateInfo names. */
  aboutDevice(info: bigint): Finding[];
}

/** Finds a machine's layers by the rules of a platform, for one loader. */
export interface LayerFinder {
  /** Whether layers that nobody named count. */
  readonly implicit: boolean;
  /** Whether an installed loader keeps what it found first; else it looks anew for each question. */
  readonly isKept: boolean;
  /**
   * The layers there are now. Nothing but the environment is looked at when
   * neither that nor the caller (`all`) wants any.
   */
  read(host: Host, all: boolean): LayerCatalog;
}
