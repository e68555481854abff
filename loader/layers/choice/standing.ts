import type { Layer } from "../../layer.ts";
import type { VulkanOptions } from "../../options.ts";
import type { LayerHolder } from "../define/layer_file.ts";

/** The layers of every loader of this process, for programs that run somebody else's script. */
interface StandingLayers {
  /** The layers, top to bottom. */
  layers(): readonly (Layer | string)[];
  /** Options for loaders whose script does not give them. A driver or platform of `"auto"` counts as not given. */
  readonly options?: VulkanOptions;
  /** Called with each new loader. */
  made(loader: LayerHolder): void;
}

let standing: StandingLayers | undefined;

/** Sets them for future loaders, or removes them. */
export function setStandingLayers(layers: StandingLayers | undefined): void {
  standing = layers;
}

/** Returns the current ones. */
export function standingLayers(): StandingLayers | undefined {
  return standing;
}

/** Returns the options of a loader, with the standing options where the script gives none. */
export function withStandingOptions(given: VulkanOptions): VulkanOptions {
  const own = Object.entries(given).filter(([, value]) => value !== undefined && value !== "auto");
  return standing?.options ? { ...given, ...standing.options, ...Object.fromEntries(own) } : given;
}
