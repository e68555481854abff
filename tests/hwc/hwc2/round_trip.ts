import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import type { ReferenceComposerOptions } from "../../../hwc/core/options.ts";
import { exportHwc2 } from "../../../hwc/hwc2/export.ts";
import { openHwc2 } from "../../../hwc/hwc2/open.ts";
import { directSubject } from "../suite/direct_subject.ts";
import { passingLate } from "../suite/promised_subject.ts";
import { warmFences } from "../suite/warm_fences.ts";
import type { Subject } from "../suite/stage.ts";

/** The composer through hwcomposer2.h and back: every call crosses to another thread, to C and back to here. */
export function roundTripSubject(options: ReferenceComposerOptions): Subject {
  warmFences();
  const subject = directSubject(options);
  const exported = exportHwc2(subject.composer as ReferenceComposer);
  const composer = openHwc2(exported.module);
  return {
    ...subject,
    composer,
    pass: passingLate(subject),
    close: async () => {
      await composer.close();
      exported.close();
      await subject.close();
    },
  };
}
