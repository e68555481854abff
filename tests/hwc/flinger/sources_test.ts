import { assert, assertEquals, assertThrows } from "@std/assert";
import { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import type { AsyncComposer } from "../../../hwc/composer.ts";
import { eightPlane } from "../../../hwc/planes/models.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { COMPOSITION } from "../../../hwc/types.ts";
import { openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { BufferQueue } from "../../../wsi/queue/buffer_queue.ts";
import { callbackConsumer } from "../../../wsi/consumer/frames.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { openFiles } from "../../support/open_files.ts";
import { BLUE, draw, fill, GREEN, onStage, RED, Stage } from "./stage.ts";

Deno.test(
  "a layer shows the frames of a queue that it is given",
  onStage((stage) => {
    const queue = new BufferQueue(), layer = stage.flinger.createLayer({ name: "queue", queue });
    queue.producer.connect(2);
    const taken = queue.producer.dequeueBuffer({ width: 32, height: 24, format: 1 });
    if (typeof taken === "number") throw new Error(`no buffer: status ${taken}`);
    const buffer = queue.producer.requestBuffer(taken.slot);
    if (typeof buffer === "number") throw new Error(`no buffer: status ${buffer}`);
    fill(buffer, BLUE);
    taken.fence.close();
    queue.producer.queueBuffer(taken.slot, { fence: NativeFence.signaled() });
    stage.vsyncs(2);
    assertEquals([stage.pixel(0, 0), layer.window], [[0, 0, 255], undefined]);
    layer.close();
    assertEquals(queue.isAbandoned, true);
    assertThrows(() => stage.flinger.createLayer({ queue }), RangeError, "it has ended");
  }),
);

Deno.test(
  "a layer refuses what cannot be",
  onStage((stage) => {
    const layer = stage.flinger.createLayer();
    assertThrows(() => layer.set({ alpha: 2 }), RangeError, "0 to 1");
    assertThrows(() => layer.set({ transform: 8 }), RangeError, "TRANSFORM");
    assertThrows(() => layer.set({ size: { width: 0, height: 1 } }), RangeError, "size");
    assertThrows(() => layer.set({ z: NaN }), RangeError, "z NaN");
    assertThrows(() => layer.set({ colorTransform: [1] }), RangeError, "16");
  }),
);

Deno.test(
  "moveCursor() moves a cursor on its plane without a frame, and any other layer with one",
  onStage((stage) => {
    stage.layer("app", [32, 24], RED);
    const cursor = stage.layer("cursor", [4, 4], GREEN, { isCursor: true, z: 9 });
    stage.vsyncs(3);
    assertEquals(stage.flinger.displays[0].layers[1].composition, COMPOSITION.CURSOR);
    const { wakes } = stage.flinger.statistics;
    cursor.moveCursor(20, 10);
    assertEquals([stage.pixel(1, 1), stage.pixel(21, 11)], [[255, 0, 0], [0, 255, 0]]);
    assertEquals(stage.flinger.statistics.wakes, wakes);
    stage.vsyncs(3);
    cursor.set({ isCursor: false });
    stage.vsyncs(3);
    cursor.moveCursor(0, 0);
    stage.vsyncs(2);
    assertEquals([stage.pixel(1, 1), stage.pixel(21, 11)], [[0, 255, 0], [255, 0, 0]]);
  }, { planes: eightPlane() }),
);

Deno.test(
  "a queued frame is shown turned, cropped and scaled as its producer and its layer say",
  onStage((stage) => {
    const layer = stage.flinger.createLayer({ window: { width: 8, height: 4 }, transform: 4 }), window = layer.window!;
    window.apiConnect(2);
    window.setBuffersTransform(4); // twice a quarter is upside down
    const taken = window.dequeueBuffer();
    if (typeof taken === "number") throw new Error(`no buffer: status ${taken}`);
    fill(taken.buffer, RED);
    const { memory: { address }, rowPitch } = taken.buffer;
    const bytes = Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, rowPitch);
    new Uint32Array(bytes).fill(0xff00ff00, 0, 8); // the first row
    window.queueBuffer(taken.buffer, taken.fence);
    stage.vsyncs(2);
    assertEquals([stage.pixel(0, 0), stage.pixel(7, 3), stage.pixel(8, 3)], [[255, 0, 0], [0, 255, 0], [0, 0, 0]]);
    layer.set({ size: { width: 16, height: 8 }, crop: { left: 0, top: 0, right: 8, bottom: 1 } });
    stage.vsyncs(2);
    assertEquals([stage.pixel(0, 0), stage.pixel(15, 7)], [[0, 255, 0], [0, 255, 0]]);
  }),
);

/** As one in another process: every answer and every callback comes later. */
function late(composer: AsyncComposer): AsyncComposer {
  const later = (value: unknown) =>
    typeof value === "function" ? (...args: unknown[]) => void queueMicrotask(() => value(...args)) : value;
  return new Proxy(composer, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        await undefined;
        return value.apply(target, args.map(later));
      };
    },
  });
}

Deno.test("a composer that answers by Promises shows the same, one piece of work after the other", async () => {
  const before = [openBuffers(), openFiles()];
  {
    using stage = new Stage({ between: late });
    const vsyncs = async (count: number) => {
      for (let turn = 0; turn < count; turn++) {
        stage.vsyncs();
        await new Promise((done) => setTimeout(done, 0));
        await stage.flinger.settled();
      }
    };
    await vsyncs(1);
    const layer = stage.layer("app", [32, 24], RED);
    await vsyncs(4);
    assertEquals(stage.pixel(0, 0), [255, 0, 0]);
    stage.flinger.setForceClient(true);
    draw(layer.window!, GREEN);
    await vsyncs(4);
    assertEquals([stage.pixel(0, 0), stage.flinger.displays[0].clientFrames], [[0, 255, 0], 1]);
    stage.flinger.close();
    await stage.flinger.settled();
    assertEquals(stage.said, []);
  }
  assertEquals([openBuffers(), openFiles()], before);
});

Deno.test("a producer on the same thread gets its buffers without going back to the event loop", () => {
  const panels = [{ modes: [{ width: 32, height: 24, refreshRate: 500 }] }];
  using composer = createReferenceComposer({ flattenAfter: 0, panels });
  using flinger = new SurfaceFlinger({ composer });
  const layer = flinger.createLayer({ window: { width: 32, height: 24 } }), window = layer.window!;
  window.apiConnect(2);
  for (let count = 0; count < 30; count++) {
    const taken = window.dequeueBuffer();
    if (typeof taken === "number") throw new Error(`no buffer for frame ${count}: status ${taken}`);
    assert(taken.fence.wait(1000));
    window.queueBuffer(taken.buffer, taken.fence);
  }
  assert(layer.frameNumber! >= 27n, `${layer.frameNumber}`);
});

Deno.test("a virtual display goes on while all panels are off", async () => {
  let shown = 0;
  using stage = new Stage();
  using window = new NativeWindow({ width: 32, height: 24, consumer: callbackConsumer(() => void shown++) });
  stage.flinger.createVirtualDisplay({ window });
  stage.flinger.setPowerMode(0, 0);
  stage.layer("app", [32, 24], RED);
  for (let turn = 0; turn < 200 && shown === 0; turn++) await new Promise((done) => setTimeout(done, 5));
  assertEquals(shown, 1);
  stage.flinger.close();
});
