import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { decode } from "fast-png";
import { openBlocks } from "../../../ffi/block.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { WsiError } from "../../../wsi/error.ts";
import { webViewer } from "../../../wsi/web/web_viewer.ts";
import { mappings, openFiles } from "../../support/open_files.ts";
import { bufferOf, FakeSource, paint } from "../consumer/fake_source.ts";
import { PageClient } from "./page_client.ts";
import { Producer } from "./producer.ts";
import { until } from "../../support/until.ts";

const RED = [255, 0, 0, 255], GREEN = [0, 255, 0, 255], BLUE = [0, 0, 255, 255];

/** Asks the server for its page, three times: what it had to send to others before, it has sent. */
async function heardBy({ url }: { readonly url: string }): Promise<void> {
  for (let time = 0; time < 3; time++) await (await fetch(url)).text();
}

/** The members of a buffer in some format without RGB pixels. */
function bufferLike() {
  return { width: 4, height: 4, stride: 4, rowPitch: 4, lock: () => new Uint8Array(64), unlock() {} };
}

Deno.test("webViewer() sends a page the windows, and each frame with its pixels", async () => {
  await using viewer = webViewer({ title: "Test" });
  using producer = new Producer(viewer.window({ name: "one", width: 10, height: 4 }));
  await using page = await PageClient.connect(viewer.url);
  const { title, windows } = await page.next("hello");
  assertEquals([title, windows], ["Test", [{ id: 1, name: "one", state: "open" }]]);
  producer.fill(...RED);
  const { pixels, stride, left, ...frame } = await page.show();
  assertEquals(left, 0);
  assertEquals(pixels.length, 4 * stride * 4);
  assertEquals([...pixels.slice(0, 4)], RED);
  assertEquals(frame, {
    type: "frame",
    window: 1,
    number: 1,
    width: 10,
    height: 4,
    top: 0,
    format: "RGBA_8888",
    dataspace: "unknown",
    dropped: 0,
  });
  const { number, fence, sent, shown, acked } = await page.next("timing");
  assertEquals(number, 1);
  assert(0 <= fence && fence <= sent && sent <= shown && shown <= acked, `${fence} ${sent} ${shown} ${acked}`);
});

Deno.test("webViewer() shows a late page the current frame, which was not copied before", async () => {
  await using viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one" }));
  producer.fill(...RED);
  producer.fill(...GREEN);
  assertEquals(viewer.statistics("one"), { queued: 2, sent: 0, copies: 0, pages: 0 });
  await using page = await PageClient.connect(viewer.url);
  const { number, dropped, pixels } = await page.show();
  assertEquals([number, dropped, ...pixels.slice(0, 4)], [2, 0, ...GREEN]);
  assertEquals(viewer.statistics("one"), { queued: 2, sent: 1, copies: 0, pages: 1 });
});

Deno.test("webViewer() gives a page one frame at a time, the newest, and counts the others", async () => {
  await using viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one" }));
  await using page = await PageClient.connect(viewer.url);
  await page.next("hello");
  for (const colour of [RED, GREEN, GREEN, BLUE]) producer.fill(...colour);
  assertEquals((await page.next("frame")).number, 1);
  await heardBy(viewer);
  assertEquals([page.waiting, viewer.statistics("one").sent], [0, 1]);
  page.ack();
  const { number, dropped, pixels } = await page.next("frame");
  assertEquals([number, dropped, ...pixels.slice(0, 4)], [4, 2, ...BLUE]);
});

Deno.test("webViewer() goes at each page's own pace", async () => {
  await using viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one" }));
  await using quick = await PageClient.connect(viewer.url);
  await using slow = await PageClient.connect(viewer.url);
  await Promise.all([quick.next("hello"), slow.next("hello")]);
  for (let frame = 1; frame <= 5; frame++) {
    producer.fill(...RED);
    assertEquals((await quick.show()).number, frame);
    await quick.next("timing"); // the server has heard of it
  }
  assertEquals((await slow.show()).number, 1);
  const { number, dropped } = await slow.show();
  assertEquals([number, dropped], [5, 3]);
});

Deno.test("webViewer() gives several windows their turns", async () => {
  await using viewer = webViewer();
  using one = new Producer(viewer.window({ name: "one" }));
  using two = new Producer(viewer.window({ name: "two", width: 4, height: 4 }), { defaultFormat: 4 });
  await using page = await PageClient.connect(viewer.url);
  await page.next("hello");
  const seen: number[] = [];
  for (let frame = 0; frame < 4; frame++) {
    one.fill(...RED);
    two.fill(0x00, 0xf8); // red in 565
    const { window, format, pixels } = await page.show();
    seen.push(window);
    assertEquals([format, ...pixels.slice(0, 4)], [window === 1 ? "RGBA_8888" : "RGB_565", ...RED]);
    await page.next("timing");
  }
  assertEquals(seen, [1, 2, 1, 2]);
});

Deno.test("webViewer() holds at most one frame for a page that never reads, and closes the page", async () => {
  const viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one", width: 1024, height: 1024 }));
  const socket = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(viewer.url).port) });
  const host = new URL(viewer.url).host, key = btoa("0123456789abcdef");
  await socket.write(new TextEncoder().encode(
    `GET /live HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  ));
  await until("one page is left", () => viewer.statistics("one").pages === 1);
  const draw = async () => {
    for (let frame = 0; frame < 20; frame++) {
      producer.draw(() => {});
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  await draw();
  assertEquals(viewer.statistics("one"), { queued: 20, sent: 1, copies: 0, pages: 1 });
  await viewer.close();
  socket.close();
});

Deno.test("webViewer() drops frames for a paused page, tells it how many, and steps", async () => {
  await using viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one" }));
  await using page = await PageClient.connect(viewer.url);
  await page.next("hello");
  producer.fill(...RED);
  await page.next("frame");
  page.tell({ type: "pause", window: 1 });
  page.ack();
  await page.next("timing"); // the server has heard both
  for (let frame = 2; frame <= 6; frame++) producer.fill(...GREEN);
  assertEquals((await page.next("count")).dropped, 0); // frame 2 can be stepped to as long as it is the newest
  assertEquals(viewer.statistics("one").sent, 1);
  page.tell({ type: "step", window: 1 });
  const stepped = await page.next("frame");
  assertEquals([stepped.number, stepped.dropped], [6, 4]);
  page.tell({ type: "step", window: 1 }); // nothing newer: the next one that comes
  page.ack();
  await page.next("timing");
  producer.fill(...BLUE);
  producer.fill(...RED);
  assertEquals((await page.show()).number, 7);
  page.tell({ type: "resume", window: 1 });
  assertEquals((await page.show()).number, 8);
});

Deno.test("webViewer() waits for fences without keeping the producer, and shows late frames in time", async () => {
  await using viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one" }), { buffers: 4 });
  await using page = await PageClient.connect(viewer.url);
  await page.next("hello");
  const first = NativeFence.create(), second = NativeFence.create();
  producer.draw((bytes) => bytes.fill(1), first.fence);
  producer.draw((bytes) => bytes.fill(2), second.fence);
  await heardBy(viewer);
  assertEquals(viewer.statistics("one").sent, 0);
  first.signal();
  const frame = await page.next("frame");
  assertEquals([frame.number, frame.pixels[0]], [1, 1]); // though frame 2 is newer
  page.ack();
  second.signal();
  assertEquals((await page.show()).number, 2);
});

Deno.test("webViewer() gives the frame back that it holds when a producer has no other, and keeps the picture", async () => {
  await using viewer = webViewer();
  const consumer = viewer.window({ name: "one" });
  using buffer = paint(bufferOf(1, 4, 4), () => 0xff0000ff);
  using source = new FakeSource(consumer);
  source.queue(buffer);
  assertEquals(source.released, []);
  consumer.pump!(source);
  assertEquals(source.released, [1]);
  paint(buffer, () => 0);
  await using page = await PageClient.connect(viewer.url);
  const { number, pixels } = await page.show();
  assertEquals([number, ...pixels.slice(0, 4)], [1, ...RED]);
  assertEquals(viewer.statistics("one").copies, 1);
});

Deno.test("webViewer() never keeps a producer waiting for a fence that only it can signal", async () => {
  await using viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one" }), { buffers: 2 });
  await using page = await PageClient.connect(viewer.url);
  await page.next("hello");
  const { fence, signal } = NativeFence.create();
  producer.draw(() => {}, fence);
  for (let frame = 0; frame < 5; frame++) producer.fill(...RED);
  signal();
  while ((await page.show()).number < 6);
});

Deno.test("webViewer() goes on after a fence that fails and pixels that cannot be shown", async () => {
  await using viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one" }), { buffers: 4 });
  await using page = await PageClient.connect(viewer.url);
  await page.next("hello");
  const fails = () => {
    throw new Error("the device is lost");
  };
  producer.draw((bytes) => bytes.fill(1), NativeFence.of({ poll: fails, wait: fails, toDescriptor: fails }));
  assertEquals((await page.show()).pixels[0], 1);
  await page.next("timing");
  producer.fill(...RED);
  assertEquals((await page.show()).number, 2);
  const buffer = { ...bufferLike(), format: 0x23 };
  const source = new FakeSource(viewer.window({ name: "video" }));
  source.queue(buffer as unknown as GraphicBuffer);
  const { format, stride, problem } = await page.show();
  assertEquals([format, stride], ["YCBCR_420_888", 0]);
  assertStringIncludes(problem!, "Cannot read pixels");
  await assertRejects(() => viewer.snapshot("video"), WsiError, "Cannot make a PNG of a frame: Cannot read pixels");
  source.close();
});

Deno.test("webViewer() shows what a crop, a transform and a dataspace make of a frame", async () => {
  await using viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one", width: 3, height: 2 }));
  await using page = await PageClient.connect(viewer.url);
  await page.next("hello");
  const numbered = (bytes: Uint8Array, rowPitch: number) => {
    for (let y = 0; y < 2; y++) {
      for (let x = 0; x < 3; x++) bytes.fill(10 * y + x, y * rowPitch + 4 * x).fill(255, 3, 4);
    }
  };
  const reds = async () => {
    const { width, height, stride, left, pixels } = await page.show();
    const row = (y: number) => Array.from({ length: width }, (_, x) => pixels[4 * (y * stride + left + x)]);
    return Array.from({ length: height }, (_, y) => row(y));
  };
  producer.draw(numbered);
  assertEquals(await reds(), [[0, 1, 2], [10, 11, 12]]);
  producer.window.setBuffersTransform(4); // a quarter turn clockwise
  producer.draw(numbered);
  assertEquals(await reds(), [[10, 0], [11, 1], [12, 2]]);
  producer.window.setBuffersTransform(0);
  producer.window.setBuffersDataspace(0x08410000); // linear: brighter as sRGB
  producer.draw((bytes) => bytes.fill(55));
  assertEquals((await reds())[0], [128, 128, 128]);
});

Deno.test("WebViewer is a consumer itself, of the window main, which it ends with", async () => {
  const viewer = webViewer();
  const producer = new Producer(viewer);
  producer.fill(...RED);
  const page = await PageClient.connect(viewer.url);
  assertEquals((await page.next("hello")).windows.map(({ name }) => name), ["main"]);
  assertEquals((await page.show()).number, 1);
  producer.window.close();
  assertEquals([(await page.closed).code, viewer.statistics().copies], [1001, 1]);
  assertEquals(decode(await viewer.snapshot()).data.slice(0, 4), new Uint8Array(RED));
  await viewer.close();
});

Deno.test("WebViewer.window() tells pages of windows that come, go and come again", async () => {
  await using viewer = webViewer();
  await using page = await PageClient.connect(viewer.url);
  assertEquals((await page.next("hello")).windows, []);
  const consumer = viewer.window({ name: "one" });
  assertEquals((await page.next("window")).window, { id: 1, name: "one", state: "waiting" });
  const producer = new Producer(consumer);
  assertEquals((await page.next("window")).window.state, "open");
  assertThrows(() => viewer.window({ name: "one" }), WsiError, `Cannot make another window "one"`);
  assertThrows(() => new Producer(consumer), WsiError, `Cannot show two windows as "one"`);
  producer.window.close();
  assertEquals((await page.next("window")).window.state, "closed");
  viewer.window({ name: "one" });
  assertEquals((await page.next("window")).window, { id: 2, name: "one", state: "waiting" });
});

Deno.test("WebViewer.snapshot() is the newest frame as a PNG, also of a window that is closed", async () => {
  await using viewer = webViewer();
  const producer = new Producer(viewer.window({ name: "one", width: 5, height: 3 }));
  await assertRejects(() => viewer.snapshot("one"), WsiError, "it has no frame");
  await assertRejects(() => viewer.snapshot("two"), WsiError, `Cannot find the window "two": there are "one"`);
  const { fence, signal } = NativeFence.create();
  producer.draw((bytes) => bytes.fill(7), fence);
  const promise = viewer.snapshot("one");
  signal();
  const { width, height, data } = decode(await promise);
  assertEquals([width, height, ...data], [5, 3, ...Array(60).fill(7)]);
  producer.fill(...GREEN);
  producer.window.close();
  assertEquals([...decode(await viewer.snapshot("one")).data.slice(0, 4)], GREEN);
});

Deno.test("WebViewer.snapshot() and late pages get nothing of a window that was closed before its frame was drawn", async () => {
  await using viewer = webViewer();
  const producer = new Producer(viewer.window({ name: "one" }), { defaultFormat: 4 }); // 565: what is shown is a copy
  producer.fill(0x1f, 0x00);
  assertEquals([...decode(await viewer.snapshot("one")).data.slice(0, 4)], BLUE);
  const { fence, signal } = NativeFence.create();
  producer.draw(() => {}, fence);
  producer.window.close();
  await assertRejects(() => viewer.snapshot("one"), WsiError, "it has no frame");
  await using page = await PageClient.connect(viewer.url);
  assertEquals((await page.next("hello")).windows[0].state, "closed");
  assertEquals(viewer.statistics("one").sent, 0);
  signal();
});

Deno.test("WebViewer.close() ends pages, gives frames back and lets the producer go on", async () => {
  const viewer = webViewer();
  using producer = new Producer(viewer.window({ name: "one" }));
  producer.fill(...RED);
  const page = await PageClient.connect(viewer.url);
  await page.show();
  const closing = viewer.close();
  const { code, wasClean } = await page.closed;
  assertEquals([code, wasClean], [1001, true]);
  await closing;
  await viewer.close();
  for (let frame = 0; frame < 5; frame++) producer.fill(...GREEN);
  assertEquals(producer.window.statistics.released, 6);
  assertThrows(() => viewer.window({ name: "two" }), WsiError, "the viewer is closed");
  await assertRejects(() => PageClient.connect(viewer.url), Error);
});

Deno.test("webViewer() leaves no file, block or mapping behind", async () => {
  const run = async () => {
    await using viewer = webViewer();
    using producer = new Producer(viewer.window({ name: "one" }), { buffers: 4 });
    await using page = await PageClient.connect(viewer.url);
    const { fence, signal } = NativeFence.create();
    producer.draw(() => {}, fence);
    producer.fill(...RED);
    signal();
    await page.show();
  };
  await run();
  const open = () => [openFiles(), openBlocks(), mappings("gralloc")], before = open();
  await run();
  assertEquals(open(), before);
});

Deno.test("webViewer() says why it cannot listen", async () => {
  await using viewer = webViewer();
  const port = Number(new URL(viewer.url).port);
  const { message } = assertThrows(() => webViewer({ port }), WsiError);
  assertStringIncludes(message, `Cannot serve the viewer at 127.0.0.1:${port}: something else listens there`);
});
