import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { areaOf } from "../../rects.ts";
import { dataspaceOf } from "../../core/output/present.ts";
import { BLEND, COMPOSITION } from "../../types.ts";
import type { FlingerDisplay } from "../displays/display.ts";
import type { FrameContext } from "./frame_context.ts";
import { leaveOut, updateAgain } from "./update_display.ts";
import { validateDisplay } from "./validate_display.ts";
import type { DrawnLayer } from "../client/client_picture.ts";
import type { VisibleLayer } from "../layers/stack.ts";
import { settle, type Work } from "../work.ts";

const HOLE = { r: 0, g: 0, b: 0, a: 0 };

/**
 * Composes the layers left to the client, into a buffer of its own, or into the output if no other writer uses it. A
 * buffer with an earlier picture is redrawn only where the picture has changed since. If a layer cannot be drawn, the
 * frame begins again without that layer.
 */
export function* composeDisplay(context: FrameContext, display: FlingerDisplay): Work {
  while (display.isInFrame && !(yield* composed(context, display))) {
    if (yield* updateAgain(context, display)) yield* validateDisplay(context, display);
  }
}

/** Whether all layers could be composed. */
function* composed(context: FrameContext, display: FlingerDisplay): Work<boolean> {
  const { composer } = context, { id, output, picture, counts, screen, usesClient } = display;
  const isAlone = output && display.mode === "GLES";
  if (output?.buffer && !isAlone) picture.forget(output.buffer); // the composer draws there
  if (!usesClient) return true;
  if (isAlone) output.wait();
  const dataspace = dataspaceOf(display.colorMode), layers = drawnLayers(display);
  picture.change(layers, screen, dataspace);
  const target = isAlone ? output.buffer! : targetOf(display), pixels = drawn(context, display, layers, target);
  if (pixels === undefined) return false;
  counts.clientPixels += pixels;
  counts.savedPixels += areaOf(screen) - pixels;
  if (id !== undefined) yield* settle(composer.setClientTarget(id, target, null, dataspace, picture.tell()));
  return true;
}

/** Draws the picture. Returns the number of pixels; `undefined` if a layer could not be drawn and is left out now. */
function drawn(
  context: FrameContext,
  display: FlingerDisplay,
  layers: readonly DrawnLayer[],
  target: GraphicBuffer,
): number | undefined {
  const { renderer } = context, dataspace = dataspaceOf(display.colorMode);
  try {
    return display.picture.draw(renderer, target, dataspace);
  } catch (error) {
    const { size } = display.leftOut;
    for (const { layer, shown } of layers) {
      try {
        renderer.compose(target, [shown], { dataspace });
      } catch (refusal) {
        leaveOut(context, display, layer, refusal);
      }
    }
    if (display.leftOut.size === size) throw error; // each of them alone can be drawn
    return undefined;
  }
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
