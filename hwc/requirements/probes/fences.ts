import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { putLayers, validate } from "../frame.ts";
import { paint, type Rgb } from "../paint.ts";
import { failed, passed, reported } from "../../../loader/requirements/requirement.ts";
import type { Outcome } from "../../../loader/requirements/verdict.ts";
import { GUIDE, type Probe, VTS } from "../probe.ts";
import type { ComposerSession } from "../session.ts";

const RED: Rgb = [255, 0, 0], VSYNCS = 3;

/** S42 and S43: fences go with buffers. */
export const FENCE_PROBES: readonly Probe[] = [
  {
    id: "S42",
    rule: "composer.fence.acquire",
    requirement: "A buffer is shown when its acquire fence signals, not before.",
    source: `${GUIDE}, synchronization fences`,
    advice: "wait for the acquire fence of every layer's buffer before the frame goes to the panel",
    check: acquire,
  },
  {
    id: "S43",
    rule: "composer.fence.release",
    requirement: "A buffer that was replaced gets a release fence, which signals when it is no longer read.",
    source: `${GUIDE}, synchronization fences; ${VTS}#GetReleaseFences`,
    advice: "return a fence for each layer whose buffer was replaced, and signal it when the new frame is shown",
    check: release,
  },
];

/** Three vsyncs go by before the fence signals, which only composers can be given that take more than sync_files. */
async function acquire(session: ComposerSession): Promise<Outcome> {
  if (!session.takesAnyFence) {
    return reported("not tried: the device takes sync_files alone, and none can be made here");
  }
  const { fence, signal } = NativeFence.create();
  try {
    return await showsInTime(session, fence, signal);
  } finally {
    signal();
  }
}

async function showsInTime(session: ComposerSession, fence: NativeFence, signal: () => void): Promise<Outcome> {
  const { composer, display } = session;
  await putLayers(session, [{ buffer: paint(session.allocate(), RED), fence }]);
  await validate(session);
  const present = await composer.presentDisplay(display);
  session.vsyncs.length = 0;
  await session.setVsync(true);
  await session.until(() => session.vsyncs.length >= VSYNCS || present.poll());
  const isEarly = present.poll();
  await session.setVsync(false);
  signal();
  const isShown = await session.signals(present);
  if (isEarly) return failed("the frame is shown before the fence signals");
  return isShown ? passed("the frame waits for it, and is shown then") : failed("the frame is never shown");
}

async function release(session: ComposerSession): Promise<Outcome> {
  const { composer, display } = session;
  const [layer] = await putLayers(session, [{ buffer: paint(session.allocate(), RED) }]);
  for (let frame = 0; frame < 2; frame++) {
    await validate(session);
    if (!await session.signals(await composer.presentDisplay(display))) return failed("a frame is never shown");
    for (const { fence } of await composer.getReleaseFences(display)) {
      if (!await session.signals(fence)) return failed("a release fence does not signal");
    }
    await composer.setLayerBuffer(display, layer, paint(session.allocate(), RED), null);
  }
  await validate(session);
  const shown = await session.signals(await composer.presentDisplay(display));
  const fences = await composer.getReleaseFences(display), ours = fences.filter((each) => each.layer === layer);
  let signalled = shown;
  for (const { fence } of fences) signalled = await session.signals(fence) && signalled;
  if (!signalled) return failed("a release fence does not signal");
  if (ours.length > 1) return failed(`there are ${ours.length} fences for one layer`);
  return passed(ours.length === 1 ? "there is one, and it signals" : "none is needed: the buffer is free at once");
}
