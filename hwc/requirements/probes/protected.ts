import { FORMAT } from "../../types.ts";
import { showFrame, type ShownFrame } from "../frame.ts";
import { failed, inapplicable, passed } from "../../../loader/requirements/requirement.ts";
import type { Outcome } from "../../../loader/requirements/verdict.ts";
import { GUIDE, type Probe, VTS } from "../probe.ts";
import { protectedBuffer } from "../protected_buffer.ts";
import type { ComposerSession } from "../session.ts";

const NONE = "no protected buffer can be allocated here; give allocate";

/** S6: video that nobody may copy. */
export const PROTECTED_PROBES: readonly Probe[] = [
  {
    id: "S6",
    rule: "composer.protected.path",
    requirement: "Protected video has a path through hardware.",
    source: `${GUIDE}, requirements`,
    advice: "give protected YUV layers a plane that reads protected memory, before all others",
    check: (session) =>
      onProtected(
        session,
        ({ changed }) =>
          changed > 0
            ? failed("a protected layer is left to the GPU, which must not read it")
            : passed("a protected layer of YV12 is shown by the device"),
      ),
  },
  {
    id: "S6",
    rule: "composer.protected.unread",
    requirement: "Protected layers cannot be read back: they are black.",
    source: `${GUIDE}, requirements; ${VTS}#SetReadbackBuffer`,
    advice: "have protected layers black in readback buffers, or refuse the readback with UNSUPPORTED",
    check: (session) => onProtected(session, blackFrame),
  },
];

async function onProtected(
  session: ComposerSession,
  judge: (frame: ShownFrame) => Outcome,
): Promise<Outcome> {
  const buffer = protectedBuffer(session, FORMAT.YV12);
  return buffer ? judge(await showFrame(session, [{ buffer }])) : inapplicable(NONE);
}

function blackFrame({ pixel, changed }: ShownFrame): Outcome {
  if (changed > 0) return inapplicable("the device shows no protected layer");
  const seen = pixel(1, 1);
  if (!seen) return passed("nothing can be read back");
  return Math.max(...seen) <= 1 ? passed("it is read back as black") : failed(`it is read back as ${seen.join()}`);
}
