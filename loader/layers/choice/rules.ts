import type { DispatchTable } from "../../chain/table/dispatch_table.ts";
import type { Finding } from "../../driver/report/finding.ts";
import type { Host } from "../../driver/host/host.ts";
import type { LoaderSettings } from "../../driver/manifest/settings_types.ts";
import type { Layer } from "../../layer.ts";
import type { LayerFilters } from "./declared/filters.ts";
import type { ManifestLayer } from "./declared/manifest.ts";
import type { LayerToOpen, NativeLayer } from "./library.ts";

/** The source that enabled a layer in an instance. */
export type EnabledBy =
  | "option"
  | "implicit"
  | "instanceLayers"
  | "enable"
  | "application"
  | "meta"
  | "settings"
  | "debugSetting"
  | "debugProperty"
  | "platform"
  | "oem";

/** A layer of an instance, and what enabled it. */
export interface ActiveLayer {
  /** The layer, never a meta-layer. */
  readonly layer: ManifestLayer;
  /** The source that enabled the layer. */
  readonly by: EnabledBy;
  /** Whether nobody named the layer for this instance: it is implicit, or the settings file enables it. */
  readonly byItself: boolean;
  /** Whether the instance fails if this layer cannot be opened, although the application did not ask for the layer. */
  readonly isRequired?: boolean;
}

/** The layers that an instance gets. */
export interface Activation {
  /** The layers, top to bottom. */
  readonly active: readonly ActiveLayer[];
  /** Requested names that no layer has. */
  readonly unknown: readonly string[];
  /** The decisions. */
  readonly findings: readonly Finding[];
  /** The layers that applications see in the instance's list, top to bottom. A meta-layer follows its components. */
  readonly listed: readonly ManifestLayer[];
}

/** The requests of an application. */
export interface ActivationRequest {
  /** The ppEnabledLayerNames. */
  readonly requested: readonly string[];
  /** Layers that are in the chain already, above these. */
  readonly present?: readonly string[];
  /** The packed apiVersion; 0 if there is none. */
  readonly apiVersion?: number;
}

/** An available layer, and whether it counts without being named. */
export interface CatalogLayer extends ManifestLayer {
  /** The settings file's control of the layer; absent if the file does not name it. */
  readonly control?: "auto" | "on";
  /** The reason why an implicit layer does not count without being named; `undefined` if it does. */
  readonly off?: string;
}

/** The result of one search: all usable layers, and the requests of the environment. */
export interface FoundLayers {
  /** The layers in the order in which they were found, each name once, unless the settings file has it twice. */
  readonly layers: readonly CatalogLayer[];
  /** The filters of the environment. */
  readonly filters: LayerFilters;
  /** The settings file's contents for this program, if there are any. */
  readonly settings?: LoaderSettings;
  /** The findings. */
  readonly findings: readonly Finding[];
}

/** The found layers, with the platform's rules for choosing among them. */
export interface LayerCatalog extends FoundLayers {
  /** Chooses the layers of an instance. */
  activate(request: ActivationRequest): Activation;
  /** Opens a layer for an instance. Throws if it cannot be used. */
  open(active: ActiveLayer, how: Pick<LayerToOpen, "quiet" | "stays">): NativeLayer;
  /** Returns the layer of a name, and its components if it is a meta-layer. `undefined` if there is no such layer. */
  named(name: string): readonly ManifestLayer[] | undefined;
  /** Whether applications see a layer in lists. */
  isListed(layer: CatalogLayer): boolean;
  /**
   * The loader's other changes to an instance, from the requested names, its
   * layers, and those that a script gave. Absent: none.
   */
  forInstance?(
    requested: readonly string[],
    active: readonly CatalogLayer[],
    given: readonly (Layer | NativeLayer)[],
  ): InstanceRules;
}

/** The rules of a platform's loader for an instance, besides chaining its layers. */
export interface InstanceRules {
  /** Returns the VkInstanceCreateInfo that layers see, which may be in the arena. */
  createInfo(info: bigint): bigint;
  /**
   * Puts the loader's own answers above the chain of the new instance. Close
   * the returned object when the instance is gone.
   */
  answerAbove(table: DispatchTable): Disposable;
  /** Returns findings about the layers that a VkDeviceCreateInfo names. */
  aboutDevice(info: bigint): Finding[];
}

/** Finds a machine's layers by the rules of a platform, for one loader. */
export interface LayerFinder {
  /** Whether layers that nobody named count. */
  readonly implicit: boolean;
  /** Whether an installed loader keeps its first findings. If not, it searches again for each query. */
  readonly isKept: boolean;
  /** Returns the current layers. Only the environment is read if neither it nor the caller (`all`) wants any. */
  read(host: Host, all: boolean): LayerCatalog;
}
