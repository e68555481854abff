import { assert, assertEquals, assertThrows } from "@std/assert";
import { closeDescriptor, pollDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { COMPOSITION, ERROR, FORMAT } from "../../../hwc/types.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { openFiles } from "../../support/open_files.ts";
import { VSYNC_PERIOD } from "./frame.ts";
import { onBench } from "./leaves_nothing.ts";

const RED = [255, 0, 0, 255], GREEN = [0, 255, 0, 255];

Deno.test(
  "presentDisplay() shows a frame at the next vsync, and its fence says when",
  onBench((bench) => {
    bench.layer(bench.buffer(RED));
    using fence = bench.present();
    assertEquals([fence.poll(), bench.pixel(1, 1)], [false, [0, 0, 0]]);
    bench.vsyncs();
    assertEquals([fence.poll(), bench.pixel(1, 1)], [true, [255, 0, 0]]);
    assertEquals((fence.signalTime! - 1_000_000_000n) % VSYNC_PERIOD, 0n);
  }),
);

Deno.test(
  "presentDisplay() does not show a buffer before its acquire fence signals",
  onBench((bench) => {
    const { fence: acquire, signal } = NativeFence.create();
    bench.layer(bench.buffer(RED), undefined, 0, acquire);
    using fence = bench.present();
    bench.vsyncs(5);
    assertEquals(fence.poll(), false);
    signal();
    bench.vsyncs();
    assertEquals([fence.poll(), bench.pixel(1, 1)], [true, [255, 0, 0]]);
  }),
);

Deno.test(
  "presentDisplay() waits for the client target's fence when the target is shown",
  onBench((bench) => {
    const { composer, display } = bench, layer = bench.layer();
    composer.setLayerCompositionType(display, layer, COMPOSITION.CLIENT);
    const { fence: drawn, signal } = NativeFence.create();
    composer.setClientTarget(display, bench.buffer(GREEN), drawn, 0, []);
    using fence = bench.present();
    bench.vsyncs(3);
    assertEquals(fence.poll(), false);
    signal();
    bench.vsyncs();
    assertEquals([fence.poll(), bench.pixel(1, 1)], [true, [0, 255, 0]]);
  }),
);

Deno.test(
  "presentDisplay() shows a frame whose fence never signals after a while, and counts it",
  onBench((bench) => {
    const { composer, display } = bench, { fence: acquire, signal } = NativeFence.create();
    bench.layer(bench.buffer(RED), undefined, 0, acquire);
    using fence = bench.present();
    bench.clock.advance(3_100_000_000n);
    assertEquals(fence.poll(), true);
    assertEquals(composer.statistics(display).fencesGivenUp, 1);
    signal();
  }),
);

Deno.test(
  "presentDisplay() shows the newest of more frames than wait, and all their fences signal",
  onBench((bench) => {
    const { composer, display } = bench, layer = bench.layer(), fences: NativeFence[] = [];
    for (let count = 0; count < 8; count++) {
      composer.setLayerBuffer(display, layer, bench.buffer([count * 10, 0, 0, 255]), null);
      fences.push(bench.present());
    }
    bench.vsyncs(4);
    assertEquals(fences.map((fence) => fence.poll()), fences.map(() => true));
    assertEquals(bench.pixel(0, 0), [70, 0, 0]);
    assertEquals(composer.statistics(display).overtaken, 5);
  }),
);

Deno.test(
  "presentDisplay() on a display that is off shows nothing, and its fence is signalled",
  onBench((bench) => {
    const { composer, display } = bench;
    bench.layer(bench.buffer(RED));
    composer.setPowerMode(display, 0);
    using fence = bench.present();
    assertEquals([fence.poll(), bench.pixel(1, 1)], [true, [0, 0, 0]]);
  }),
);

Deno.test(
  "setPowerMode() to OFF signals what waits and gives back what was shown",
  onBench((bench) => {
    const { composer, display } = bench, buffer = bench.buffer(RED), layer = bench.layer(buffer);
    bench.present().close();
    bench.vsyncs();
    composer.setLayerBuffer(display, layer, bench.buffer(GREEN), null);
    using fence = bench.present();
    composer.setPowerMode(display, 0);
    assertEquals([fence.poll(), bench.pixel(1, 1)], [true, [0, 0, 0]]);
  }),
);

Deno.test(
  "getReleaseFences() tells of a layer's buffer of the frame before, a fence of its own at every call",
  onBench((bench) => {
    const { composer, display } = bench,
      one = bench.layer(),
      still = bench.layer(bench.buffer(GREEN, [8, 8]), undefined, 1);
    bench.present().close();
    assertEquals(composer.getReleaseFences(display), [], "there was no frame before");
    bench.vsyncs();
    composer.setLayerBuffer(display, one, bench.buffer(RED), null);
    bench.present().close();
    const before = openFiles();
    const [first, second] = [composer.getReleaseFences(display), composer.getReleaseFences(display)];
    assertEquals([first.length, first[0].layer], [1, one], `${still} shows the same buffer still`);
    assert(first[0].fence !== second[0].fence);
    assertEquals(first[0].fence.poll(), false, "the buffer is on the panel until the next flip");
    const fds = [first[0].fence.take(), second[0].fence.take()];
    assert(fds[0] !== fds[1] && fds.every((fd) => fd >= 0));
    assertEquals(pollDescriptor(fds[0], 0), false);
    bench.vsyncs();
    assertEquals(fds.map((fd) => pollDescriptor(fd, 0)), [true, true]);
    for (const fd of fds) closeDescriptor(fd);
    assertEquals(openFiles(), before);
  }),
);

Deno.test(
  "getReleaseFences() gives a buffer back whose layer falls to the client, and none for a layer that is no more",
  onBench((bench) => {
    const { composer, display } = bench,
      one = bench.layer(),
      other = bench.layer(bench.buffer(GREEN, [8, 8]), undefined, 1);
    bench.present().close();
    bench.vsyncs();
    composer.setLayerCompositionType(display, one, COMPOSITION.CLIENT);
    composer.destroyLayer(display, other);
    bench.present().close();
    const fences = composer.getReleaseFences(display);
    assertEquals(fences.map(({ layer }) => layer), [one]);
    for (const { fence } of fences) fence.close();
  }),
);

Deno.test(
  "setLayerBuffer() takes its fence over, and leaves it to the caller when it fails",
  onBench((bench) => {
    const { composer, display } = bench, layer = bench.layer();
    const { fence: failed, signal: signalFailed } = NativeFence.create();
    const error = assertThrows(() => composer.setLayerBuffer(display, layer, null, failed), HwcError);
    assertEquals(error.code, ERROR.BAD_PARAMETER);
    assertEquals(failed.kind, "eventfd", "it is open still");
    signalFailed();
    failed.close();
    const made = [0, 1, 2].map(() => NativeFence.create());
    for (const { fence } of made) composer.setLayerBuffer(display, layer, bench.buffer(), fence);
    const kinds = () => made.map(({ fence }) => fence.kind);
    assertEquals(kinds(), ["signaled", "signaled", "eventfd"], "a closed fence counts as signalled");
    composer.destroyLayer(display, layer);
    assertEquals(kinds(), ["signaled", "signaled", "signaled"]);
    for (const { signal } of made) signal();
  }),
);

Deno.test(
  "a layer's fence is closed whatever composes the layer",
  onBench((bench) => {
    const { composer, display } = bench;
    for (const type of [COMPOSITION.CLIENT, COMPOSITION.SOLID_COLOR, COMPOSITION.SIDEBAND, COMPOSITION.CURSOR]) {
      const { fence, signal } = NativeFence.create(), layer = bench.layer(bench.buffer(), undefined, 0, fence);
      composer.setLayerCompositionType(display, layer, type);
      bench.present().close();
      composer.destroyLayer(display, layer);
      composer.setPowerMode(display, 0);
      assertEquals(fence.kind, "signaled", "closed without being signalled");
      composer.setPowerMode(display, 2);
      signal();
    }
  }),
);

Deno.test(
  "setOutputBuffer() copies its fence, which stays the caller's",
  onBench((bench) => {
    const { composer } = bench, { display } = composer.createVirtualDisplay(32, 24, FORMAT.RGBA_8888);
    const { fence, signal } = NativeFence.create(), output = bench.buffer(RED);
    composer.setOutputBuffer(display, output, fence);
    assertEquals(fence.kind, "eventfd");
    using present = bench.present(display);
    bench.vsyncs(2);
    assertEquals(present.poll(), false, "whoever reads the output is not done");
    signal();
    fence.close();
    bench.vsyncs();
    assertEquals([present.poll(), [...output.lock().subarray(0, 4)]], [true, [0, 0, 0, 0]]);
    output.unlock();
  }),
);

Deno.test(
  "close() signals every fence that is owed",
  onBench((bench) => {
    const { fence: never, signal } = NativeFence.create();
    bench.layer(bench.buffer(), undefined, 0, never);
    using present = bench.present();
    const fd = present.dup().take();
    bench.composer.close();
    assertEquals([present.poll(), pollDescriptor(fd, 0)], [true, true]);
    closeDescriptor(fd);
    signal();
  }),
);

Deno.test("a present fence that is waited for on the same thread brings the flip about", () => {
  using composer = createReferenceComposer({
    flattenAfter: 0,
    panels: [{ modes: [{ width: 32, height: 24, refreshRate: 500 }] }],
  });
  let display = 0n;
  composer.registerCallback(1, (connected) => display = connected);
  composer.setPowerMode(display, 2);
  composer.validateDisplay(display);
  using fence = composer.presentDisplay(display);
  assertEquals(fence.wait(2000), true);
});

Deno.test("a present fence's file descriptor signals by itself when time passes", async () => {
  using composer = createReferenceComposer({
    flattenAfter: 0,
    panels: [{ modes: [{ width: 32, height: 24, refreshRate: 500 }] }],
  });
  let display = 0n, vsyncs = 0;
  composer.registerCallback(1, (connected) => display = connected);
  composer.registerCallback(3, () => vsyncs++);
  composer.setPowerMode(display, 2);
  composer.setVsyncEnabled(display, 1);
  composer.validateDisplay(display);
  using fence = composer.presentDisplay(display);
  const fd = fence.dup().take();
  for (let turn = 0; turn < 400 && !pollDescriptor(fd, 0); turn++) await new Promise((done) => setTimeout(done, 5));
  assertEquals(pollDescriptor(fd, 0), true);
  closeDescriptor(fd);
  assert(vsyncs > 0);
});

Deno.test(
  "a hundred frames with killed producers, hotplugs and power cycles leave nothing open",
  onBench((bench) => {
    const { composer, display } = bench,
      layers = [bench.layer(), bench.layer(bench.buffer(GREEN, [8, 8]), undefined, 1)];
    const buffers = [bench.buffer(RED), bench.buffer(GREEN), bench.buffer()];
    const never: (() => void)[] = [];
    for (let count = 0; count < 100; count++) {
      const { fence, signal } = NativeFence.create();
      if (count % 7 === 3) never.push(signal);
      else signal();
      composer.setLayerBuffer(display, layers[0], buffers[count % 3], fence);
      if (count % 10 === 5) composer.unplug(composer.plug({ name: `external ${count}` }));
      if (count % 25 === 9) { for (const mode of [0, 2]) composer.setPowerMode(display, mode); }
      bench.present().close();
      for (const { fence } of composer.getReleaseFences(display)) fence.close();
      bench.vsyncs(count % 4);
    }
    for (const signal of never) signal();
    const { presented, shown } = composer.statistics(display);
    assertEquals(presented, 100);
    assert(shown > 10);
  }),
);
