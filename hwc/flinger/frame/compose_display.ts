import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { areaOf } from "../../backends/plan/rects.ts";
import { dataspaceOf } from "../../reference/output/present.ts";
import { BLEND, COMPOSITION } from "../../types.ts";
import type { FlingerDisplay } from "../displays/display.ts";
import type { FrameContext } from "./frame_context.ts";
import type { DrawnLayer } from "../client/picture_changes.ts";
import type { VisibleLayer } from "../layers/stack.ts";
import { settle, type Work } from "../work.ts";

const HOLE = { r: 0, g: 0, b: 0, a: 0 };

/**
 * Composes the layers left to the client, into a buffer of its own or, if
 * nobody else writes it, the output. A buffer with an earlier picture is
 * redrawn only where the picture has changed since.
 */
export function* composeDisplay({ composer, renderer }: FrameContext, display: FlingerDisplay): Work {
  const { id, output, picture, counts, screen, usesClient } = display, isAlone = output && display.mode === "GLES";
  if (output?.buffer && !isAlone) picture.forget(output.buffer); // the composer draws there
  if (!usesClient) return;
  if (isAlone) output.wait();
  const dataspace = dataspaceOf(display.colorMode);
  picture.change(drawnLayers(display), screen, dataspace);
  const target = isAlone ? output.buffer! : targetOf(display), pixels = picture.draw(renderer, target, dataspace);
  counts.clientPixels += pixels;
  counts.savedPixels += areaOf(screen) - pixels;
  if (id !== undefined) yield* settle(composer.setClientTarget(id, target, null, dataspace, picture.tell()));
}

/** Keeps the shown buffer if the picture is unchanged. */
function targetOf({ targets, picture, screen: { right: width, bottom: height } }: FlingerDisplay): GraphicBuffer {
  return picture.isUnchanged && targets.shown(width, height) || targets.next(width, height);
}

/** The layers that the client draws, and the holes for layers of the composer below. */
function drawnLayers({ stack, hwcLayers }: FlingerDisplay): DrawnLayer[] {
  return stack.flatMap(({ layer, shown }): DrawnLayer[] => {
    const hwc = hwcLayers.get(layer), frame = shown.buffer && layer.frame;
    if (!hwc || hwc.type === COMPOSITION.CLIENT) return [{ layer, shown, frame }];
    if (!hwc.isCleared) return [];
    const { buffer: _, ...place } = shown;
    const hole = { ...place, composition: COMPOSITION.SOLID_COLOR, color: HOLE, blend: BLEND.NONE, planeAlpha: 1 };
    return [{ layer, shown: hole, frame: undefined }];
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
