import type { Layer } from "../../../layer.ts";
import type { VulkanOptions } from "../../../options.ts";
import type { LayerHolder } from "../../define/layer_file.ts";

/** What every loader of this process gets, for programs that run a script of somebody else's. */
export interface StandingLayers {
  /** The layers, top to bottom. */
  layers(): readonly (Layer | string)[];
  /** Options for loaders whose script does not give them; a driver or platform of `"auto"` is not given. */
  readonly options?: VulkanOptions;
  /** Told of each loader that was made. */
  made(loader: LayerHolder): void;
}

let standing: StandingLayers | undefined;

/** Sets them for the loaders to come, or ends them. */
export function setStandingLayers(layers: StandingLayers | undefined): void {
  standing = layers;
}

/** Those in force. */
export function standingLayers(): StandingLayers | undefined {
  return standing;
}

/** The options of a loader, with those in force for what the script does not give. */
export function withStandingOptions(given: VulkanOptions): VulkanOptions {
  const own = Object.entries(given).filter(([, value]) => value !== undefined && value !== "auto");
  return standing?.options ? { ...given, ...standing.options, ...Object.fromEntries(own) } : given;
}
