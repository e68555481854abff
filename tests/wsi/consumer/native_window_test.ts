import { assertEquals, assertThrows } from "@std/assert";
import { decode } from "fast-png";
import { callbackConsumer } from "../../../wsi/consumer/frames.ts";
import { pngConsumer } from "../../../wsi/consumer/png.ts";
import type { FrameConsumer } from "../../../wsi/contract/frame_consumer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { STATUS } from "../../../wsi/android_values.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { paint } from "./fake_source.ts";

/** A window that a script draws into by the CPU, with three buffers. */
function windowFor(consumer: FrameConsumer, onError?: (error: unknown) => void): NativeWindow {
  const native = new NativeWindow({ width: 20, height: 10, consumer, onError });
  assertEquals([native.apiConnect(2), native.setBufferCount(3), native.setUsage(0x33n)], [0, 0, 0]);
  return native;
}

/** Draws and queues a frame of one color; the status if there is no buffer for it. */
function draw(native: NativeWindow, color: number): number {
  const dequeued = native.dequeueBuffer();
  if (typeof dequeued === "number") return dequeued;
  dequeued.fence.wait();
  paint(dequeued.buffer, () => color);
  return native.queueBuffer(dequeued.buffer, NativeFence.signaled());
}

Deno.test("pngConsumer() keeps what is drawn into a NativeWindow, cropped and turned as its producer says", () => {
  const files: Uint8Array[] = [], consumer = pngConsumer({ sink: (bytes) => files.push(bytes), every: 2 });
  using native = windowFor(consumer);
  assertEquals(native.setBuffersTransform(4), STATUS.OK);
  for (let frame = 0; frame < 7; frame++) assertEquals(draw(native, (0xff000000 + frame) >>> 0), STATUS.OK);
  const pictures = files.map((file) => decode(file));
  assertEquals(pictures.map(({ width, height, data }) => [width, height, data[0]]), [
    [10, 20, 0],
    [10, 20, 2],
    [10, 20, 4],
    [10, 20, 6],
  ]);
  assertEquals([consumer.written, native.statistics.released], [4, 7]);
});

Deno.test("callbackConsumer() holds the producer of a NativeWindow back until a Promise settles", async () => {
  const seen: number[] = [];
  let resolve = () => {};
  using native = windowFor(callbackConsumer((frame) => {
    seen.push(frame.pixels[0]);
    return new Promise<void>((done) => resolve = done);
  }));
  let drawn = 0;
  while (draw(native, (0xff000000 + drawn) >>> 0) === STATUS.OK) drawn++;
  assertEquals([seen, drawn, native.statistics.released], [[0], 3, 0]); // one held, two queued, no buffer left
  for (let frame = 1; frame < 3; frame++) {
    resolve();
    await new Promise((done) => setTimeout(done, 0));
    assertEquals([seen.length, native.statistics.released], [frame + 1, frame]);
  }
  assertEquals([seen, draw(native, 0xff000009)], [[0, 1, 2], STATUS.OK]);
  resolve();
  await new Promise((done) => setTimeout(done, 0));
  assertEquals(seen, [0, 1, 2, 9]);
});

Deno.test("callbackConsumer() passes an error of its callback to the window", () => {
  const failing = callbackConsumer((frame) => {
    throw new RangeError(`frame ${frame.number} is too green`);
  });
  const errors: unknown[] = [];
  using native = windowFor(failing, (error) => errors.push(error));
  assertEquals([draw(native, 0), draw(native, 0)].length, 2);
  assertEquals(errors.map(String), ["RangeError: frame 1 is too green", "RangeError: frame 2 is too green"]);
  assertEquals(native.statistics.released, 2);
  const other = windowFor(failing);
  draw(other, 0);
  assertThrows(() => other.close(), RangeError, "is too green");
});
