import { assert, assertEquals } from "@std/assert";
import { POWER_MODE } from "../../../../hwc/device_types.ts";
import { NativeFence } from "../../../../wsi/fence/native_fence.ts";
import { opaqueLayer } from "../../core/frame.ts";
import { ON_CARDS, SIZE, Vkms } from "./on_vkms.ts";
import { SwSync } from "./sw_sync.ts";

const BLUE = 0xffff0000, RED = 0xff0000ff;

Deno.test("the kernel waits for a layer's sync_file, and gives one as the present fence", ON_CARDS, async () => {
  await using vkms = new Vkms();
  using timeline = new SwSync();
  const { composer, display } = vkms, times: bigint[] = [];
  const layer = opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => BLUE));
  await next(vkms);
  assertEquals(composer.statistics(display).shown, 1);
  composer.onFlip((_display, time) => times.push(time));
  composer.setLayerBuffer(display, layer, vkms.buffer(SIZE.width, SIZE.height, () => RED), timeline.fence());
  using fence = vkms.present();
  assertEquals([fence.kind, fence.poll()], ["sync_file", false]);
  const [{ fence: release }] = composer.getReleaseFences(display);
  assertEquals(release.kind, "sync_file");
  using later = vkms.present(); // must wait until the kernel has shown the frame before
  await new Promise((resolve) => setTimeout(resolve, 100));
  assertEquals([fence.poll(), release.poll(), times.length], [false, false, 0]);
  timeline.advance();
  await fence.ready();
  await later.ready();
  assertEquals([release.poll(), release.signalTime], [true, fence.signalTime]);
  release.close();
  assertEquals(composer.statistics(display).shown, 3);
  assertEquals(times.length, 2);
  assertEquals(times[0], fence.signalTime);
  assertEquals(times[1], later.signalTime);
  assertEquals((await vkms.shown())[0], RED);
  assertEquals(vkms.errors, []);
});

Deno.test("a fence that the kernel does not know is waited for before the commit", ON_CARDS, async () => {
  await using vkms = new Vkms();
  const { composer, display } = vkms, { fence: acquire, signal } = NativeFence.create();
  const layer = opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => BLUE));
  await next(vkms);
  composer.setLayerBuffer(display, layer, vkms.buffer(SIZE.width, SIZE.height, () => RED), acquire);
  using fence = vkms.present();
  assertEquals([fence.kind, fence.poll()], ["source", false]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assertEquals(composer.statistics(display).shown, 1);
  signal();
  await fence.ready();
  assertEquals(composer.statistics(display).shown, 2);
  assertEquals(vkms.errors, []);
});

Deno.test("present fences have the times of the flips, in order", ON_CARDS, async () => {
  await using vkms = new Vkms();
  const { composer, display } = vkms, flips: bigint[] = [], fences: bigint[] = [];
  const buffers = [BLUE, RED].map((color) => vkms.buffer(SIZE.width, SIZE.height, () => color));
  const layer = opaqueLayer(composer, display, buffers[0]);
  composer.onFlip((_display, time) => flips.push(time));
  for (let frame = 0; frame < 60; frame++) {
    composer.setLayerBuffer(display, layer, buffers[frame % 2], null);
    fences.push(await next(vkms));
  }
  assertEquals(composer.statistics(display).shown, 60);
  assertEquals(flips, fences);
  assert(fences.every((time, at) => at === 0 || time > fences[at - 1]), `${fences}`);
});

Deno.test("a display is turned off while the kernel waits for a fence, and nothing waits here", ON_CARDS, async () => {
  await using vkms = new Vkms();
  using timeline = new SwSync();
  const { composer, display } = vkms;
  const layer = opaqueLayer(composer, display, vkms.buffer(SIZE.width, SIZE.height, () => BLUE));
  await next(vkms);
  composer.setLayerBuffer(display, layer, vkms.buffer(SIZE.width, SIZE.height, () => RED), timeline.fence());
  using fence = vkms.present();
  composer.setPowerMode(display, POWER_MODE.OFF); // would never return if it waited
  assertEquals(fence.poll(), false);
  timeline.advance();
  await fence.ready();
  composer.setPowerMode(display, POWER_MODE.ON);
  assertEquals((await vkms.shown())[0], RED);
  assertEquals(vkms.errors, []);
});

/** Shows a frame, and returns the time of its present fence. */
async function next(vkms: Vkms): Promise<bigint> {
  using fence = vkms.present();
  await fence.ready();
  return fence.signalTime!;
}
