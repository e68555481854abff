import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { isProtectedLayer } from "../../planes/search/layer_facts.ts";
import type { FlingerDisplay } from "../displays/display.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";
import type { FrameContext } from "./frame_context.ts";
import { HwcLayer, isUnsupported } from "../displays/hwc_layer.ts";
import { stackOf, type VisibleLayer } from "../layers/stack.ts";
import { settle, type Work } from "../work.ts";

/**
 * Begins a display's frame: finds the visible layers, and tells the composer
 * what is different. Returns whether there is a frame to present.
 */
export function* updateDisplay(context: FrameContext, display: FlingerDisplay): Work<boolean> {
  display.stack = stackOf(context.layers, display);
  const isEmpty = display.stack.length === 0;
  display.isInFrame = !(isEmpty && display.wasEmpty);
  display.wasEmpty = isEmpty;
  if (!display.isInFrame) return false;
  if (display.output) yield* beginOutput(context, display);
  if (display.id === undefined || !display.isInFrame) return display.isInFrame;
  yield* removeLayers(context, display, display.id);
  display.isClients = false;
  for (const { layer } of display.stack) yield* addLayer(context, display, display.id, layer);
  for (const visible of display.stack) yield* writeLayer(context, display, visible);
  return true;
}

/** The output is said before validation, which looks at it, and again with its fence before presenting. */
function* beginOutput(context: FrameContext, display: FlingerDisplay): Work {
  if (display.id === undefined) display.mode = "GLES";
  const buffer = takeOutput(context, display);
  if (!buffer || display.id === undefined) return;
  try {
    yield* settle(context.composer.setOutputBuffer(display.id, buffer, null));
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    yield* giveUpComposer(context, display, error);
  }
}

/** A buffer for the mode that the display is in. Without one there is no frame; it is tried again as long as there is a reader. */
export function takeOutput({ log }: FrameContext, display: FlingerDisplay): GraphicBuffer | undefined {
  const output = display.output!, buffer = output.take(display.mode);
  if (typeof buffer !== "string") {
    display.isStarving = false;
    return buffer;
  }
  if (!display.isStarving) log(`display "${display.name}": ${buffer}`);
  display.isStarving = true;
  display.isInFrame = display.wasEmpty = false;
  display.isDirty = !output.isGone;
}

/** The composer cannot write what the consumer wants: the client composes this display alone, from now on. */
export function* giveUpComposer(context: FrameContext, display: FlingerDisplay, error: unknown): Work {
  context.log(
    `display "${display.name}" is composed by the client alone: ${error instanceof Error ? error.message : error}`,
  );
  const id = display.id!;
  display.id = undefined;
  display.hwcLayers.clear();
  yield* settle(context.composer.destroyVirtualDisplay(id));
  display.mode = "GLES";
  takeOutput(context, display);
}

function* removeLayers({ composer }: FrameContext, display: FlingerDisplay, id: bigint): Work {
  const seen = new Set(display.stack.map(({ layer }) => layer));
  for (const [layer, hwc] of display.hwcLayers) {
    if (seen.has(layer)) continue;
    display.needsValidation = true;
    yield* settle(composer.destroyLayer(id, hwc.id));
    display.hwcLayers.delete(layer); // after the destruction, so that a failed one is tried again
  }
}

/** A composer that calls layers by the client's names in its messages, as the reference composer does. */
interface LayerNames {
  nameLayer(display: bigint, layer: bigint, name: string): void;
}

function* addLayer(context: FrameContext, display: FlingerDisplay, id: bigint, layer: FlingerLayer): Work {
  if (display.hwcLayers.has(layer)) return;
  display.needsValidation = true;
  try {
    const handle = yield* settle(context.composer.createLayer(id));
    display.hwcLayers.set(layer, new HwcLayer(context.composer, id, handle));
    (context.composer as Partial<LayerNames>).nameLayer?.(id, handle, layer.name);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    context.log(
      `display "${display.name}": the composer has no layer for "${layer.name}"; the client composes all layers`,
    );
    display.isClients = true;
  }
}

function* writeLayer(context: FrameContext, display: FlingerDisplay, visible: VisibleLayer): Work {
  const hwc = display.hwcLayers.get(visible.layer);
  if (!hwc) return;
  const isHidden = !display.isSecure && isProtectedLayer(visible.shown);
  const isClients = context.forcesClient || display.isClients || isHidden;
  if (yield* hwc.write(visible, isClients)) display.needsValidation = true;
}
