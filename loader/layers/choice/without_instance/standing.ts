import type { Layer } from "../../../layer.ts";
import type { LayerHolder } from "../../define/layer_file.ts";

/** Layers that every loader of this process gets on top, for programs that run a script of somebody else's. */
export interface StandingLayers {
  /** The layers, top to bottom. */
  layers(): readonly (Layer | string)[];
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
