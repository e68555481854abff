import { DISPLAY_REQUEST, LAYER_REQUEST } from "../../device_types.ts";
import { BLEND, COMPOSITION } from "../../types.ts";
import type { FlingerDisplay } from "../displays/display.ts";
import type { FrameContext } from "./frame_context.ts";
import type { HwcLayer } from "../displays/hwc_layer.ts";
import { isUnsupported } from "../displays/hwc_layer.ts";
import { giveUpComposer, takeOutput } from "./update_display.ts";
import { settle, type Work } from "../work.ts";

/** Asks the composer who composes each layer, and accepts the answer. */
export function* validateDisplay(context: FrameContext, display: FlingerDisplay): Work {
  const { id } = display;
  let flips = false;
  if (id !== undefined) {
    const { composer } = context, validation = yield* settle(composer.validateDisplay(id));
    if (validation.numTypes > 0) yield* changeTypes(context, display, id);
    flips = yield* takeRequests(context, display, id);
    yield* settle(composer.acceptDisplayChanges(id));
    display.needsValidation = false;
  }
  judge(display, flips);
  if (display.output) yield* chooseMode(context, display);
}

/**
 * Notes the layers that are left to the client. The client composes a display that the composer does not know, even an
 * empty one.
 */
function judge(display: FlingerDisplay, flips: boolean): void {
  const types = display.stack.map(({ layer }) => display.hwcLayers.get(layer)?.type ?? COMPOSITION.CLIENT);
  display.usesClient = flips || display.id === undefined || types.includes(COMPOSITION.CLIENT);
  display.usesDevice = types.some((type) => type !== COMPOSITION.CLIENT);
}

function* changeTypes({ composer, log }: FrameContext, display: FlingerDisplay, id: bigint): Work {
  for (const { layer, type } of yield* settle(composer.getChangedCompositionTypes(id))) {
    const hwc = byHandle(display, layer);
    if (!hwc) log(`display "${display.name}": the composer changes layer ${layer}, which does not exist`);
    else {
      if (!mayChange(hwc.type, type)) {
        log(
          `display "${display.name}": the composer changes a layer's type from ${hwc.type} to ${type}, which is not allowed`,
        );
      }
      hwc.type = type;
    }
  }
}

/**
 * Checks the composer's answer: CLIENT is final; CURSOR and SIDEBAND may become DEVICE, everything may become CLIENT.
 */
function mayChange(from: number, to: number): boolean {
  if (from === COMPOSITION.CLIENT) return false;
  if (to === COMPOSITION.CLIENT) return true;
  return to === COMPOSITION.DEVICE && from > COMPOSITION.SOLID_COLOR;
}

function* takeRequests({ composer }: FrameContext, display: FlingerDisplay, id: bigint): Work<boolean> {
  for (const hwc of display.hwcLayers.values()) hwc.isCleared = false;
  const { displayRequests, layerRequests } = yield* settle(composer.getDisplayRequests(id));
  for (const { layer, requests } of layerRequests) {
    const hwc = byHandle(display, layer);
    const visible = display.stack.find((each) => display.hwcLayers.get(each.layer) === hwc);
    // There is nothing to be cleared under the lowest, and a hole is no place for what blends.
    if (!hwc || !visible || visible.shown.z === 0 || visible.shown.blend !== BLEND.NONE) continue;
    hwc.isCleared = (requests & LAYER_REQUEST.CLEAR_CLIENT_TARGET) !== 0;
  }
  return (displayRequests & DISPLAY_REQUEST.FLIP_CLIENT_TARGET) !== 0;
}

function byHandle({ hwcLayers }: FlingerDisplay, handle: bigint): HwcLayer | undefined {
  for (const hwc of hwcLayers.values()) if (hwc.id === handle) return hwc;
  return undefined;
}

/** Decides who writes the output, and therefore its format. Takes another buffer if the format changes. */
function* chooseMode(context: FrameContext, display: FlingerDisplay): Work {
  const output = display.output!, { usesClient, usesDevice, copiesByHwc, id } = display;
  const alone = copiesByHwc && id !== undefined ? "MIXED" : "GLES";
  display.mode = !usesClient ? "HWC" : usesDevice ? "MIXED" : alone;
  const before = output.buffer, buffer = takeOutput(context, display);
  if (!buffer || id === undefined || buffer === before) return;
  try {
    yield* settle(context.composer.setOutputBuffer(id, buffer, null));
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    yield* giveUpComposer(context, display, error);
    judge(display, false);
  }
}
