import { assert, assertEquals } from "@std/assert";
import { inFrame } from "../../../../ffi/arena.ts";
import { CALLBACK, VSYNC } from "../../../../hwc/device_types.ts";
import type { OpenCard } from "../../../../hwc/kms/card/card.ts";
import { opaqueLayer } from "../../core/frame.ts";
import { ON_CARDS, Vkms } from "./on_vkms.ts";

const VSYNCS = 30;

Deno.test("vsyncs have the times of the card's, also while no frames come", ON_CARDS, async () => {
  await using vkms = new Vkms();
  // vkms begins another phase when vsyncs are asked for after a pause: the first may be of the one before.
  const times = (await vsyncsOf(vkms)).slice(1), { composer, display } = vkms;
  const period = composer.getDisplayVsyncPeriod(display), [first] = times;
  const steps = times.map((time) => Number(time - first) / period);
  assert(steps.every((step) => Math.abs(step - Math.round(step)) < 0.02), `${steps}`);
  assert(times.every((time, at) => at === 0 || time > times[at - 1]), `${times}`);
  const card = composer.card as OpenCard, last = sequenceTime(card);
  const since = Number(last - times.at(-1)!) / period;
  assert(Math.abs(since - Math.round(since)) < 0.001 * (1 + since), `${since} periods until the card's last vsync`);
  assertEquals(vkms.errors, []);
});

Deno.test("a card that tells no vsyncs gets those of a clock in phase with its flips", ON_CARDS, async () => {
  await using virtio = new Vkms("virtio_gpu");
  const times = await vsyncsOf(virtio);
  assert(times.every((time, at) => at === 0 || time > times[at - 1]), `${times}`);
  assertEquals(virtio.errors, []);
});

/** Shows a frame, and returns the vsyncs after that. */
async function vsyncsOf(vkms: Vkms): Promise<bigint[]> {
  const { composer, display } = vkms, times: bigint[] = [];
  const { width, height } = composer.getDisplayConfigurations(display)[vkms.config];
  opaqueLayer(composer, display, vkms.buffer(width, height, () => 0xff123456));
  composer.setClientTarget(display, vkms.buffer(width, height, () => 0xff123456), null, 0, []);
  {
    using fence = vkms.present();
    await fence.ready();
  }
  const enough = Promise.withResolvers<void>();
  composer.registerCallback(CALLBACK.VSYNC_2_4, (_display, time) => {
    if (times.push(time) >= VSYNCS) enough.resolve();
  });
  composer.setVsyncEnabled(display, VSYNC.ENABLE);
  await enough.promise;
  composer.setVsyncEnabled(display, VSYNC.DISABLE);
  return times;
}

/** The time of the CRTC's last vsync. */
function sequenceTime({ drm, fd, crtcs }: OpenCard): bigint {
  return inFrame((memory) => {
    const sequence = memory.alloc(8), time = memory.alloc(8);
    assertEquals(drm.int("drmCrtcGetSequence", fd, crtcs[0].id, sequence, time), 0);
    return memory.view.getBigInt64(time, true);
  });
}
