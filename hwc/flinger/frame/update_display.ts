import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { isProtectedLayer } from "../../planes/search/layer_facts.ts";
import type { FlingerDisplay } from "../displays/display.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";
import type { FrameContext } from "./frame_context.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import { HwcLayer, isUnsupported } from "../displays/hwc_layer.ts";
import { stackOf, type VisibleLayer } from "../layers/stack.ts";
import { settle, type Work } from "../work.ts";

/**
 * Begins a display's frame: finds the visible layers, and sends the composer the changes. Returns whether there is a
 * frame to present.
 */
export function* updateDisplay(context: FrameContext, display: FlingerDisplay): Work<boolean> {
  display.leftOut.clear();
  return yield* updateAgain(context, display);
}

/**
 * Begins the frame without the layers that it leaves out by now. Layers whose values the composer refuses join them,
 * until it has taken the values of all others.
 */
export function* updateAgain(context: FrameContext, display: FlingerDisplay): Work<boolean> {
  for (;;) {
    const { size } = display.leftOut;
    display.stack = stackOf(context.layers, display);
    const isEmpty = display.stack.length === 0;
    display.isInFrame = !(isEmpty && display.wasEmpty);
    display.wasEmpty = isEmpty;
    if (!display.isInFrame) return false;
    if (display.output) yield* beginOutput(context, display);
    if (display.id === undefined || !display.isInFrame) return display.isInFrame;
    yield* removeLayers(context, display, display.id);
    display.isClients = false;
    const added = display.stack.filter(({ layer }) => !display.hwcLayers.has(layer));
    if (added.length === 0) display.isFull = false;
    for (const { layer } of added) yield* attempt(context, display, layer, addLayer(context, display, layer));
    for (const visible of display.stack) {
      yield* attempt(context, display, visible.layer, writeLayer(context, display, visible));
    }
    if (display.leftOut.size === size) return true;
  }
}

/** Does work for one layer. A layer whose values are refused is left out of the frame, and the others go on. */
function* attempt(context: FrameContext, display: FlingerDisplay, layer: FlingerLayer, work: Work): Work {
  if (display.leftOut.has(layer)) return;
  try {
    yield* work;
  } catch (error) {
    if (error instanceof HwcError && error.code === ERROR.BAD_DISPLAY) throw error;
    if (!blame(context, display, error)) leaveOut(context, display, layer, error);
  }
}

/**
 * Finds the layer whose refused values came to light with a later call, as they do with composers of other processes.
 * Later frames do without the refused method if layers can do without it; else the layer is left out. Returns `false` if
 * the error is about no layer.
 */
export function blame(context: FrameContext, display: FlingerDisplay, error: unknown): boolean {
  if (!(error instanceof HwcError) || error.layer === undefined) return false;
  const found = [...display.hwcLayers].find(([, { id }]) => id === error.layer);
  if (!found) return false;
  const [layer, hwc] = found;
  if (!hwc.doesWithout(error)) leaveOut(context, display, layer, error);
  display.resendAll(); // nobody knows which of the later calls were carried out
  return true;
}

/** Leaves a layer out of the frame, and says so once until the layer is shown again or the reason is another one. */
export function leaveOut({ log }: FrameContext, display: FlingerDisplay, layer: FlingerLayer, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  display.leftOut.add(layer);
  display.hwcLayers.get(layer)?.forget();
  if (display.refusals.get(layer) === why) return;
  display.refusals.set(layer, why);
  log(`display "${display.name}": layer "${layer.name}" is left out of its frames: ${why}`);
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

function* removeLayers({ composer, log }: FrameContext, display: FlingerDisplay, id: bigint): Work {
  const seen = new Set(display.stack.map(({ layer }) => layer));
  for (const [layer, hwc] of display.hwcLayers) {
    if (seen.has(layer)) continue;
    display.needsValidation = true;
    try {
      yield* settle(composer.destroyLayer(id, hwc.id));
    } catch (error) {
      const code = error instanceof HwcError ? error.code : undefined;
      if (code === ERROR.BAD_DISPLAY) throw error;
      if (code !== ERROR.BAD_LAYER) { // one that is gone is gone; others are tried again
        const why = error instanceof Error ? error.message : error;
        log(`display "${display.name}": layer "${layer.name}" stays in the composer: ${why}`);
        hwc.forget();
        display.isDirty = true;
        display.wasEmpty = false;
        continue;
      }
    }
    display.hwcLayers.delete(layer);
  }
}

/** A composer that calls layers by the client's names in its messages, as the reference composer does. */
interface LayerNames {
  nameLayer(display: bigint, layer: bigint, name: string): void;
}

function* addLayer(context: FrameContext, display: FlingerDisplay, layer: FlingerLayer): Work {
  const id = display.id!;
  display.needsValidation = true;
  try {
    const handle = yield* settle(context.composer.createLayer(id));
    display.hwcLayers.set(layer, new HwcLayer(context.composer, id, handle));
    (context.composer as Partial<LayerNames>).nameLayer?.(id, handle, layer.name);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    if (!display.isFull) {
      context.log(
        `display "${display.name}": the composer has no layer for "${layer.name}"; the client composes all layers`,
      );
    }
    display.isClients = display.isFull = true;
  }
}

function* writeLayer(context: FrameContext, display: FlingerDisplay, visible: VisibleLayer): Work {
  const hwc = display.hwcLayers.get(visible.layer);
  if (!hwc) return;
  const isHidden = !display.isSecure && isProtectedLayer(visible.shown);
  const isClients = context.forcesClient || display.isClients || isHidden;
  if (yield* hwc.write(visible, isClients)) display.needsValidation = true;
}
