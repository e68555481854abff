import { createReferenceBackend } from "../../../hwc/backends/create.ts";
import { ManualClock } from "../../../hwc/core/time/clock.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import type { Subject } from "./stage.ts";

/** The composer itself, on a clock that the test moves. */
export function directSubject(options: ReferenceComposerOptions): Subject {
  const clock = new ManualClock(), backend = createReferenceBackend();
  const compositor: ReferenceComposerOptions["compositor"] = (target, layers, settings) =>
    backend.compose(target, layers, { rule: "round-once", ...settings });
  const composer = createReferenceComposer({ compositor, ...options, clock });
  return {
    composer,
    controls: composer,
    now: () => clock.now(),
    pass: (nanoseconds) => clock.advance(nanoseconds),
    close: () => {
      composer.close();
      backend.close();
    },
  };
}
