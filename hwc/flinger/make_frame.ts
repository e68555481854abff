import { composeDisplay } from "./compose_display.ts";
import type { FlingerDisplay } from "./display.ts";
import type { FrameContext } from "./frame_context.ts";
import { presentAtOnce, presentDisplay } from "./present_display.ts";
import { updateDisplay } from "./update_display.ts";
import { validateDisplay } from "./validate_display.ts";
import type { Work } from "./work.ts";

/**
 * In which order several displays go: up to Android 9, all are updated, then
 * all validated, then all presented; from Android 10 on, all are updated, then
 * each is validated and presented before the next.
 */
export type DisplayOrder = "android-9" | "android-10";

type Step = (context: FrameContext, display: FlingerDisplay) => Work<unknown>;

/** Makes a frame of each display. One that fails leaves the others alone. */
export function* makeFrame(
  context: FrameContext,
  displays: readonly FlingerDisplay[],
  order: DisplayOrder,
): Work {
  yield* forAll(context, displays, updateDisplay);
  const steps: Step[] = order === "android-9"
    ? [validateDisplay, composeDisplay, presentDisplay]
    : [validateAndPresent];
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
      yield* step(context, display);
    } catch (error) {
      display.dropFrame();
      context.log(
        `display "${display.name}": its frame is dropped: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}
