import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import type { ComposeOptions } from "../../backends/backend.ts";
import type { ComposeLayer } from "../../backends/compose_layer.ts";

/**
 * Draws layers, lowest z first, into a buffer; the pixels are complete when the function returns. The `compose` of a
 * backend.
 */
export type Compositor = (
  target: GraphicBuffer,
  layers: readonly ComposeLayer[],
  options: ComposeOptions,
) => unknown;
