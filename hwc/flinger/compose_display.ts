import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import type { ComposeLayer } from "../backends/compose_layer.ts";
import { dataspaceOf } from "../reference/present.ts";
import { BLEND, COMPOSITION } from "../types.ts";
import type { FlingerDisplay } from "./display.ts";
import type { FrameContext } from "./frame_context.ts";
import type { VisibleLayer } from "./stack.ts";
import { settle, type Work } from "./work.ts";

const HOLE = { r: 0, g: 0, b: 0, a: 0 };

/** Composes what the composer has left to the client, into a buffer of its own or, where nobody else writes, the output. */
export function* composeDisplay({ composer, renderer }: FrameContext, display: FlingerDisplay): Work {
  if (!display.usesClient) return;
  const { screen: { right: width, bottom: height }, id, output } = display;
  const isAlone = output !== undefined && display.mode === "GLES";
  if (isAlone) output.wait();
  const target = isAlone ? output.buffer! : display.targets.next(width, height);
  const dataspace = dataspaceOf(display.colorMode);
  renderer.compose(target, clientLayers(display), { dataspace });
  if (id !== undefined) yield* settle(composer.setClientTarget(id, target, null, dataspace, []));
}

/** What the client draws: layers left to it, and holes where the composer wants to look through. */
function clientLayers({ stack, hwcLayers }: FlingerDisplay): ComposeLayer[] {
  return stack.flatMap(({ layer, shown }): ComposeLayer[] => {
    const hwc = hwcLayers.get(layer);
    if (!hwc || hwc.type === COMPOSITION.CLIENT) return [shown];
    if (!hwc.isCleared) return [];
    const { buffer: _, ...place } = shown;
    return [{ ...place, composition: COMPOSITION.SOLID_COLOR, color: HOLE, blend: BLEND.NONE, planeAlpha: 1 }];
  });
}

/** Draws all of a stack, as a screen capture has it. */
export function drawStack(
  { renderer }: Pick<FrameContext, "renderer">,
  target: GraphicBuffer,
  stack: readonly VisibleLayer[],
  colorMode: number,
): void {
  const layers = stack.map(({ shown }) => shown), background = { r: 0, g: 0, b: 0, a: 1 };
  renderer.compose(target, layers, { dataspace: dataspaceOf(colorMode), background });
}
