import type { AndroidRelease } from "../../../loader/driver/android/options.ts";
import { composeDisplay } from "./compose_display.ts";
import type { FlingerDisplay } from "../displays/display.ts";
import type { FrameContext } from "./frame_context.ts";
import { blame, updateAgain, updateDisplay } from "./update_display.ts";
import { validateDisplay } from "./validate_display.ts";
import { settle, type Work } from "../work.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import type { FlingerLayer } from "../layers/flinger_layer.ts";
import type { ShownFrame } from "../displays/still_shown.ts";

/**
 * An Android release whose order of calls for several displays can be followed. Up to release 9, all displays are
 * updated, then all validated, then all presented. Later releases: all displays are updated, then each is validated and
 * presented before the next.
 */
export type FlingerRelease = 7 | 8 | 9 | 10 | 11 | 12 | 13 | AndroidRelease;

type Step = (context: FrameContext, display: FlingerDisplay) => Work<unknown>;

/** Makes a frame of each display. A frame that fails does not affect the other displays. */
export function* makeFrame(
  context: FrameContext,
  displays: readonly FlingerDisplay[],
  release: FlingerRelease,
): Work {
  yield* forAll(context, displays, updateDisplay);
  const steps: Step[] = release <= 9 ? [validateDisplay, composeDisplay, presentDisplay] : [validateAndPresent];
  for (const step of steps) yield* forAll(context, displays.filter(({ isInFrame }) => isInFrame), step);
}

function* validateAndPresent(context: FrameContext, display: FlingerDisplay): Work {
  if (yield* presentAtOnce(context, display)) return;
  for (const step of [validateDisplay, composeDisplay, presentDisplay]) {
    if (display.isInFrame) yield* step(context, display);
  }
}

function* forAll(context: FrameContext, displays: readonly FlingerDisplay[], step: Step): Work {
  for (const display of displays) {
    try {
      yield* persist(context, display, step);
    } catch (error) {
      display.dropFrame();
      context.log(
        `display "${display.name}": its frame is dropped: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

/** Times that a frame is begun again because of layers whose values turn out to be refused. */
const MOST_ATTEMPTS = 64;

/** Does a step. If the step fails because of a layer's values, the frame begins again without that layer. */
function* persist(context: FrameContext, display: FlingerDisplay, step: Step): Work {
  for (let attempt = 1;; attempt++) {
    try {
      return void (yield* step(context, display));
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || step === presentDisplay || !blame(context, display, error)) throw error;
      if (!(yield* updateAgain(context, display))) return;
    }
  }
}

/** Presents a display's frame, and gives the layers the fences of their previous frames. */
function* presentDisplay(context: FrameContext, display: FlingerDisplay): Work {
  const { id, output } = display;
  if (id === undefined) {
    handOver(display, NativeFence.signaled());
    return display.presented(NativeFence.signaled(), []);
  }
  if (output?.buffer) yield* settle(context.composer.setOutputBuffer(id, output.buffer, output.fence ?? null));
  yield* finish(context, display, id, yield* settle(context.composer.presentDisplay(id)));
}

/** Presents a frame in which little changed without a validation. Returns whether the composer could. */
function* presentAtOnce(context: FrameContext, display: FlingerDisplay): Work<boolean> {
  const { id, needsValidation, usesClient, output } = display;
  if (id === undefined || output || needsValidation || usesClient || !context.skipsValidate) return false;
  try {
    yield* finish(context, display, id, yield* settle(context.composer.presentDisplay(id)));
    display.counts.skippedValidate++;
    return true;
  } catch (error) {
    if (error instanceof HwcError && error.code === ERROR.NOT_VALIDATED) return false;
    throw error;
  }
}

function* finish({ composer }: FrameContext, display: FlingerDisplay, id: bigint, fence: NativeFence): Work {
  const { output, hwcLayers } = display;
  if (output) handOver(display, fence.dup());
  if (display.usesClient) display.targets.presented(fence);
  const frames = display.stack.flatMap(({ layer }) => layer.frameNumber === undefined ? [] : [shownFrame(layer)]);
  const shown = new Set(display.stack.map(({ layer }) => layer));
  const leaving = new Set(frames.filter(({ layer }) => isLeaving(display, layer)).map(({ layer }) => layer));
  display.presented(fence, frames);
  try {
    const byHandle = new Map([...hwcLayers].map(([layer, hwc]) => [hwc.id, layer]));
    for (const { layer: handle, fence: release } of yield* settle(composer.getReleaseFences(id))) {
      const layer = byHandle.get(handle);
      if (layer && (leaving.has(layer) || !shown.has(layer))) layer.addRelease(release);
      else release.close();
    }
  } catch (error) {
    // Without fences of their own they are free when the frame appears.
    for (const layer of leaving) layer.addRelease(fence.dup());
    throw error;
  }
}

/**
 * Whether the frame that a display showed until now is the frame that its layer gives back now. A slow display may have
 * shown an older one: the fence of {@linkcode FlingerDisplay.keeps} frees that.
 */
function isLeaving(display: FlingerDisplay, layer: FlingerLayer): boolean {
  return layer.leaving !== undefined && display.shownFrame(layer) === layer.leaving;
}

/** Hands a frame over, unless nothing changed: no viewer of a virtual display needs the same frame again. */
function handOver({ output, isWanted }: FlingerDisplay, fence: NativeFence): void {
  if (isWanted) output!.queue(fence);
  else output!.cancel(fence);
}

function shownFrame(layer: FlingerLayer): ShownFrame {
  return { layer, number: layer.frameNumber! };
}
