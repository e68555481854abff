import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { ComposeOptions } from "../backends/backend.ts";
import type { ComposeLayer } from "../backends/compose_layer.ts";

/** Draws layers, the lowest z first, into a buffer; when it returns, the pixels are there. A backend's `compose`. */
export type Compositor = (
  target: GraphicBuffer,
  layers: readonly ComposeLayer[],
  options: ComposeOptions,
) => unknown;
