import type { ReferenceComposer } from "../../../hwc/reference/reference_composer.ts";
import type { ReferenceComposerOptions } from "../../../hwc/reference/options.ts";
import { exportHwc2 } from "../../../hwc/hwc2/export.ts";
import { openHwc2 } from "../../../hwc/hwc2/open.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { directSubject } from "../suite/direct_subject.ts";
import { passingLate } from "../suite/promised_subject.ts";
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

/** Fences come as file descriptors, and what asks those is opened once for good. */
export function warmFences(): void {
  const { fence, signal } = NativeFence.create();
  using copy = NativeFence.adopt(fence.dup().take());
  copy.wait(1);
  signal();
  copy.wait(1);
  fence.close();
}
