import type { Composer } from "../../hwc/composer.ts";
import { eightPlane } from "../../hwc/planes/models.ts";
import { ManualClock } from "../../hwc/core/time/clock.ts";
import { createReferenceComposer } from "../../hwc/simulated/reference_composer.ts";

/** A composer of one panel, whose vsync comes just before each frame: so that every frame has something to wait for and something to give back. */
export function steppedComposer(): Composer {
  const clock = new ManualClock(), panels = [{ modes: [{ width: 1920, height: 1080, refreshRate: 60 }] }];
  const composer = createReferenceComposer({ clock, panels, planes: eightPlane(), flattenAfter: 0 });
  return {
    ...composer,
    presentDisplay(display) {
      clock.advance(16_666_667n);
      return composer.presentDisplay(display);
    },
  };
}
