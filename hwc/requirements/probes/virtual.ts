import { hwcErrorName } from "../../hwc_error.ts";
import { ERROR, FORMAT } from "../../types.ts";
import { putLayers, validate } from "../frame.ts";
import { isNear, paint, pixelOf, type Rgb } from "../paint.ts";
import { failed, inapplicable, passed } from "../../../loader/requirements/requirement.ts";
import type { Outcome } from "../../../loader/requirements/verdict.ts";
import { GUIDE, type Probe, VTS } from "../probe.ts";
import { type ComposerSession, errorOf } from "../session.ts";

const BLUE: Rgb = [0, 0, 255], NONE = "it makes no virtual displays, and says so; the client composes them";

/** S21, S34 and S38: displays that write to buffers. */
export const VIRTUAL_PROBES: readonly Probe[] = [
  {
    id: "S21",
    rule: "composer.virtual.made",
    requirement: "Virtual displays are made up to the device's limit, and then refused, so that the client composes.",
    source: `${GUIDE}; ${VTS}#CreateVirtualDisplay`,
    advice: "make as many as getMaxVirtualDisplayCount() says, and end further calls with NO_RESOURCES",
    check: made,
  },
  {
    id: "S34",
    rule: "composer.virtual.output",
    requirement: "A virtual display's frame is written to its output buffer, and a fence says when.",
    source: `${GUIDE}; ${VTS}#SetOutputBuffer`,
    advice: "write all layers into the output buffer, and signal the present fence when they are written",
    check: output,
  },
];

async function made({ composer, screen }: ComposerSession): Promise<Outcome> {
  const most = await composer.getMaxVirtualDisplayCount(), displays: bigint[] = [];
  try {
    const make = async () => {
      const { display } = await composer.createVirtualDisplay(screen.right, screen.bottom, FORMAT.RGBA_8888);
      displays.push(display);
    };
    for (let count = 0; count < most; count++) await make();
    const code = await errorOf(make);
    const isRefused = code === ERROR.NO_RESOURCES || (most === 0 && code === ERROR.UNSUPPORTED);
    if (!isRefused) return failed(`one more than ${most} ends with ${hwcErrorName(code)}`);
    return most === 0 ? inapplicable(NONE) : passed(`${most} were made, one more was refused`);
  } finally {
    for (const display of displays) await composer.destroyVirtualDisplay(display);
  }
}

async function output(session: ComposerSession): Promise<Outcome> {
  const { composer, screen: { right, bottom } } = session;
  if (await composer.getMaxVirtualDisplayCount() === 0) return inapplicable(NONE);
  const { display, format } = await composer.createVirtualDisplay(right, bottom, FORMAT.RGBA_8888);
  try {
    if (format !== FORMAT.RGBA_8888) return inapplicable(`it wants buffers of format ${format}, which is not judged`);
    const into = session.allocate();
    await putLayers(session, [{ buffer: paint(session.allocate(), BLUE) }], display);
    await composer.setOutputBuffer(display, into, null);
    if (await validate(session, display) > 0) return failed("its only layer is left to the client");
    if (!await session.signals(await composer.presentDisplay(display))) return failed("it is never written");
    const seen = pixelOf(into, 1, 1);
    return isNear(seen, BLUE) ? passed("a layer was written") : failed(`blue is written as ${seen.join()}`);
  } finally {
    await session.clear();
    await composer.destroyVirtualDisplay(display);
  }
}
