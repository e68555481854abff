import { assert, assertEquals, assertThrows } from "@std/assert";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { FrameView } from "../../../wsi/consumer/frame_view.ts";
import { type CallbackConsumer, callbackConsumer } from "../../../wsi/consumer/frames.ts";
import { openFiles } from "../../support/open_files.ts";
import { bufferOf, FakeSource, paint } from "./fake_source.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("callbackConsumer() calls back for each frame at once and releases the frame", () => {
  const seen: unknown[] = [];
  using source = new FakeSource(callbackConsumer((frame) => {
    const { number, width, height, stride, format, dataspace, transform, timestamp, damage } = frame;
    seen.push({ number, width, height, stride, format, dataspace, transform, timestamp, damage });
    assertEquals([...frame.pixels.subarray(0, 4)], [1, 2, 3, 255]);
    assertEquals([...frame.toRgba().data.subarray(4, 8)], [1, 2, 3, 255]);
  }));
  using buffer = paint(bufferOf(1, 3, 2, 16), () => 0xff030201);
  const damage = [{ left: 0, top: 0, right: 1, bottom: 1 }];
  source.queue(buffer, { dataspace: 0x08810000, transform: 3, timestamp: 9n, damage });
  source.queue(buffer);
  assertEquals(seen[0], {
    number: 1,
    width: 3,
    height: 2,
    stride: 16,
    format: 1,
    dataspace: 0x08810000,
    transform: 3,
    timestamp: 9n,
    damage,
  });
  assertEquals([seen.length, source.released, source.shown], [2, [1, 2], [1, 2]]);
});

/** Draws two frames with fences of both kinds. */
function drawTwo(): void {
  let drawn = false;
  using source = new FakeSource(callbackConsumer(() => assert(drawn)));
  using buffer = bufferOf(1, 4, 4);
  const draw = () => drawn = true;
  source.queue(buffer, { fence: NativeFence.of({ poll: () => false, wait: draw, toDescriptor: () => -1 }) });
  const { fence, signal } = NativeFence.create();
  signal();
  source.queue(buffer, { fence });
  assertEquals(source.released, [1, 2]);
}

Deno.test("callbackConsumer() calls back only when the frame is drawn, and leaves no file descriptor", () => {
  drawTwo(); // compiles the calls it makes
  const before = openFiles();
  drawTwo();
  assertEquals(openFiles(), before);
});

Deno.test("callbackConsumer() keeps a frame until the Promise settles, and as many as asked for", async () => {
  const resolve: (() => void)[] = [], views: FrameView[] = [];
  const consumer: CallbackConsumer = callbackConsumer((frame) => {
    views.push(frame);
    return new Promise<void>((done) => resolve.push(done));
  }, { maxHeld: 2 });
  using source = new FakeSource(consumer);
  using buffer = bufferOf(1, 4, 4);
  for (let frame = 0; frame < 3; frame++) source.queue(buffer);
  assertEquals([consumer.held, source.pending, source.released], [2, 1, []]);
  consumer.pump(source); // nothing it could do
  resolve[1]();
  await turn();
  assertEquals([consumer.held, source.pending, source.released], [2, 0, [2]]); // the third took its place
  assertEquals(views[0].pixels.length > 0, true);
  assertThrows(() => views[1].pixels, TypeError, "Cannot read frame 2: it is over");
  consumer.close();
  consumer.close();
  assertEquals(source.released, [2, 1, 3]);
  resolve.forEach((done) => done());
  await turn();
  assertEquals([source.released, source.shown], [[2, 1, 3], [2, 1, 3]]);
});

Deno.test("callbackConsumer() gives the frame back and throws when the callback throws", () => {
  using source = new FakeSource(callbackConsumer((frame) => {
    if (frame.number === 1) throw new RangeError("too green");
  }));
  using buffer = bufferOf(1, 4, 4);
  assertThrows(() => source.queue(buffer), RangeError, "too green");
  source.queue(buffer);
  assertEquals(source.released, [1, 2]);
});

Deno.test("callbackConsumer() throws at the next frame what a Promise was rejected with", async () => {
  using source = new FakeSource(callbackConsumer(() => Promise.reject(new RangeError("too late"))));
  using buffer = bufferOf(1, 4, 4);
  source.queue(buffer);
  await turn();
  assertEquals(source.released, [1]);
  assertThrows(() => source.queue(buffer), RangeError, "too late");
  await turn();
  assertEquals(source.released, [1, 2]);
});

Deno.test("callbackConsumer() hands errors of both kinds to onError", async () => {
  const errors: unknown[] = [];
  using source = new FakeSource(callbackConsumer((frame) => {
    if (frame.number === 1) throw 1;
    return Promise.reject(2);
  }, { onError: (error) => errors.push(error) }));
  using buffer = bufferOf(1, 4, 4);
  source.queue(buffer);
  source.queue(buffer);
  await turn();
  assertEquals([errors, source.released], [[1, 2], [1, 2]]);
});

Deno.test("callbackConsumer() refuses to hold no frame", () => {
  assertThrows(() => callbackConsumer(() => {}, { maxHeld: 0 }), RangeError, "Cannot hold 0 frames: give maxHeld");
});
