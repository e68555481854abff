import { hwcErrorName } from "../../hwc_error.ts";
import { BLEND, COMPOSITION, ERROR } from "../../types.ts";
import { DISPLAY_TYPE } from "../../device_types.ts";
import { type LayerSpec, putLayers, showFrame, validate } from "../frame.ts";
import { isNear, paint, type Rgb } from "../paint.ts";
import { failed, inapplicable, passed } from "../../../loader/requirements/requirement.ts";
import type { Outcome } from "../../../loader/requirements/verdict.ts";
import { GUIDE, type Probe, VTS } from "../probe.ts";
import { type ComposerSession, errorOf } from "../session.ts";

const GREEN: Rgb = [0, 255, 0], VSYNCS = 3;

/** S14, S23 to S27 and S32: how a frame comes about, and when. */
export const FRAME_PROBES: readonly Probe[] = [
  {
    id: "S14",
    rule: "composer.vsync",
    requirement: "VSync can be turned on and off, and is called back while it is on.",
    source: `${GUIDE}; ${VTS}#SetVsyncEnabled`,
    advice: "call VSYNC once a period while it is enabled, and never after setVsyncEnabled() turned it off",
    check: vsyncs,
  },
  {
    id: "S23",
    rule: "composer.frame.validated-first",
    requirement: "A frame whose layers changed is validated before it is presented.",
    source: `${GUIDE}; ${VTS}#PRESENT_DISPLAY`,
    advice: "end getChangedCompositionTypes() and presentDisplay() with NOT_VALIDATED after layers changed",
    check: notValidated,
  },
  {
    id: "S26",
    rule: "composer.frame.client-target",
    requirement: "The client's composition is shown from the client target.",
    source: `${GUIDE}; ${VTS}#ClientComposition`,
    advice: "show the client target where CLIENT layers are, at the place of the lowest of them",
    check: clientTarget,
  },
  {
    id: "S27",
    rule: "composer.frame.repeated",
    requirement: "A frame with other pixels in the same layers is presented like the one before.",
    source: `${GUIDE}; ${VTS}#PRESENT_DISPLAY_NO_LAYER_STATE_CHANGES`,
    advice: "keep the state of layers from frame to frame",
    check: repeated,
  },
  {
    id: "S32",
    rule: "composer.frame.order",
    requirement: "Several displays may all be validated before they are all presented.",
    source: `${GUIDE}, display order up to Android 9`,
    advice: "keep what validateDisplay() decided for a display until that display is presented",
    check: allThenAll,
  },
];

/** None may come in the time that two frames take, once those on their way have arrived. */
async function vsyncs(session: ComposerSession): Promise<Outcome> {
  session.vsyncs.length = 0;
  await session.setVsync(true);
  const came = await session.until(() => session.vsyncs.length >= VSYNCS);
  await session.setVsync(false);
  if (!came) return failed(`${session.vsyncs.length} came while it was on`);
  const buffer = paint(session.allocate(), GREEN);
  await showFrame(session, [{ buffer }]);
  const before = session.vsyncs.length, times = session.vsyncs.slice(0, VSYNCS);
  for (let frame = 0; frame < 2; frame++) await showFrame(session, [{ buffer }]);
  if (session.vsyncs.length > before) return failed("they still come when it is off");
  const isRising = times.every((time, index) => index === 0 || time > times[index - 1]);
  return isRising ? passed("they come while it is on, and no more when it is off") : failed("their times do not rise");
}

async function notValidated(session: ComposerSession): Promise<Outcome> {
  const { composer, display } = session;
  await putLayers(session, [{ buffer: paint(session.allocate(), GREEN) }]);
  for (const name of ["getChangedCompositionTypes", "presentDisplay"] as const) {
    const code = await errorOf(async () => {
      const result = await composer[name](display);
      if (!Array.isArray(result)) result.close();
    });
    if (code !== ERROR.NOT_VALIDATED) {
      return failed(`${name}() ends with ${hwcErrorName(code)} instead of ${hwcErrorName(ERROR.NOT_VALIDATED)}`);
    }
  }
  await validate(session);
  const isShown = await session.signals(await composer.presentDisplay(display));
  return isShown ? passed("it is refused before, and shown after") : failed("a validated frame is never shown");
}

async function clientTarget(session: ComposerSession): Promise<Outcome> {
  const { composer, display } = session, target = paint(session.allocate(), GREEN);
  await composer.setClientTarget(display, target, null, 0, []);
  const spec: LayerSpec = { buffer: session.allocate(), type: COMPOSITION.CLIENT, blend: BLEND.PREMULTIPLIED };
  const { changed, pixel } = await showFrame(session, [spec]), seen = pixel(1, 1);
  await composer.setClientTarget(display, null, null, 0, []);
  if (changed > 0) return failed("a CLIENT layer is changed to something else");
  if (!seen) return passed("a CLIENT layer is taken; its picture cannot be read back");
  return isNear(seen, GREEN) ? passed("it is shown") : failed(`green of the client target is shown as ${seen.join()}`);
}

async function repeated(session: ComposerSession): Promise<Outcome> {
  const { composer, display } = session;
  const [layer] = await putLayers(session, [{ buffer: paint(session.allocate(), GREEN) }]);
  await validate(session);
  if (!await session.signals(await composer.presentDisplay(display))) return failed("the first frame is never shown");
  await composer.setLayerBuffer(display, layer, paint(session.allocate(), GREEN), null);
  await validate(session);
  const isShown = await session.signals(await composer.presentDisplay(display));
  for (const { fence } of await composer.getReleaseFences(display)) fence.close();
  return isShown ? passed("another buffer in the same layer is shown") : failed("the second frame is never shown");
}

/** The second display is a physical one, or else a virtual one. */
async function allThenAll(session: ComposerSession): Promise<Outcome> {
  const { composer } = session, other = session.displays[1] ?? await virtualDisplay(session);
  if (other === undefined) return inapplicable("there is one display, and no virtual one can be made");
  try {
    const both = [session.display, other];
    await putLayers(session, [{ buffer: paint(session.allocate(), GREEN) }]);
    for (const display of both) await validate(session, display);
    for (const display of both) {
      if (!await session.signals(await composer.presentDisplay(display))) return failed("a frame is never shown");
    }
    return passed("both were validated, then both presented");
  } finally {
    await session.clear();
    if (await composer.getDisplayType(other) === DISPLAY_TYPE.VIRTUAL) await composer.destroyVirtualDisplay(other);
  }
}

async function virtualDisplay(session: ComposerSession): Promise<bigint | undefined> {
  const { composer, screen: { right, bottom } } = session;
  if (await composer.getMaxVirtualDisplayCount() === 0) return undefined;
  const { display } = await composer.createVirtualDisplay(right, bottom, 1);
  await composer.setOutputBuffer(display, session.allocate(), null);
  return display;
}
