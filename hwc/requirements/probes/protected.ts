import { failed, inapplicable, passed } from "../../../loader/requirements/requirement.ts";
import type { Outcome } from "../../../loader/requirements/verdict.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { WsiError } from "../../../wsi/error.ts";
import { FORMAT } from "../../types.ts";
import { showFrame, type ShownFrame } from "../frame.ts";
import { GUIDE, type Probe, VTS } from "../probe.ts";
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

const USED = USAGE.COMPOSER_OVERLAY | USAGE.GPU_TEXTURE | USAGE.VIDEO_DECODER;

/**
 * A buffer that only a protected plane may read; `undefined` if none can be
 * had. Without protected memory, composers of this process get a buffer that
 * only declares itself protected: they go by the declaration.
 */
export function protectedBuffer(session: ComposerSession, format: number): GraphicBuffer | undefined {
  try {
    return session.allocate({ format, usage: USED | USAGE.PROTECTED });
  } catch (error) {
    if (!(error instanceof WsiError)) throw error;
    return Symbol.asyncDispose in session.composer ? undefined : watched(session.allocate({ format }));
  }
}

/** The same buffer, with another usage for who asks. */
function watched(buffer: GraphicBuffer): GraphicBuffer {
  return new Proxy(buffer, {
    get(target, name) {
      if (name === "usage") return target.usage | USAGE.PROTECTED;
      if (name === "retain") return () => watched(target.retain());
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
