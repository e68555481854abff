import { assertEquals, assertThrows } from "@std/assert";
import { callbackConsumer } from "../../../wsi/consumer/frames.ts";
import { CpuWindow } from "../../../wsi/window/cpu_window.ts";
import type { Frame, FrameSource } from "../../../wsi/contract/frame_consumer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";

const SIZE = { width: 5, height: 3 }, RED = 0xff0000ff, GREEN = 0xff00ff00;

/** A window, and the first pixel of each frame that the window's consumer got. */
function shown() {
  const pixels: string[] = [];
  const consumer = callbackConsumer((frame) => void pixels.push(frame.pixels.slice(0, 4).join()));
  return { window: new NativeWindow({ ...SIZE, consumer }), pixels };
}

Deno.test("a script paints frames into a window, and learns their size and stride", () => {
  const { window, pixels } = shown();
  using _window = window;
  const painter = new CpuWindow(window), sizes: unknown[] = [];
  for (const pixel of [RED, GREEN]) {
    const drawn = painter.drawPixels((words, stride, { width, height }) => {
      words.fill(pixel);
      sizes.push([width, height, stride >= width, words.length >= stride * (height - 1) + width]);
    });
    assertEquals(drawn, true);
  }
  assertEquals(pixels, ["255,0,0,255", "0,255,0,255"]);
  assertEquals(sizes, Array(2).fill([5, 3, true, true]));
});

Deno.test("a frame whose painting throws is not shown, and its buffer is free again", () => {
  const { window, pixels } = shown();
  using _window = window;
  const painter = new CpuWindow(window);
  for (let time = 0; time < 10; time++) {
    assertThrows(() => painter.drawPixels(() => fail()), RangeError, "no paint");
  }
  assertEquals([painter.drawPixels((words) => words.fill(RED)), pixels], [true, ["255,0,0,255"]]);
});

Deno.test("a frame without a free buffer is left out", () => {
  using window = new NativeWindow(SIZE); // nobody takes the frames
  const painter = new CpuWindow(window);
  let painted = 0;
  const draw = () => painter.drawPixels(() => painted++);
  let drawn = 0;
  while (drawn < 64 && draw()) drawn++;
  assertEquals([drawn > 0, drawn < 64, painted, draw(), painted], [true, true, drawn, false, drawn]);
});

/** A consumer that gives each frame back when the next one comes, read until the one after that. */
function slowReader() {
  const ends: (() => void)[] = [], held: Frame[] = [];
  const onFrame = (source: FrameSource) => {
    const frame = source.acquire();
    if (!frame) return;
    const read = NativeFence.create();
    ends.push(() => {
      read.signal();
      read.fence.close();
    });
    held.shift()?.release(read.fence.dup());
    held.push(frame);
    if (ends.length > 1) ends.shift()!();
  };
  const close = () => {
    for (const frame of held) frame.release();
    for (const end of ends) end();
  };
  return { consumer: { attach() {}, onFrame, close, maxAcquired: 2 }, ends };
}

for (const count of [0, 3, 5]) {
  Deno.test(`a frame a refresh is drawn while the one before is still read, with ${count || "as few"} buffers`, () => {
    const { consumer } = slowReader();
    using native = new NativeWindow({ ...SIZE, consumer });
    const painter = new CpuWindow(native);
    if (count > 0) assertEquals(native.setBufferCount(count), 0);
    const drawn = Array.from({ length: 60 }, () => painter.drawPixels((words) => words.fill(RED)));
    assertEquals(drawn.filter((done) => done).length, 60);
  });
}

Deno.test("a window whose buffers are all read gets few more of them, and then frames are left out", () => {
  const ends: (() => void)[] = [];
  const onFrame = (source: FrameSource) => {
    const read = NativeFence.create();
    ends.push(() => {
      read.signal();
      read.fence.close();
    });
    source.acquire()!.release(read.fence.dup()); // read for ever
  };
  using native = new NativeWindow({ ...SIZE, consumer: { attach() {}, onFrame } });
  const painter = new CpuWindow(native);
  const drawn = Array.from({ length: 20 }, () => painter.drawPixels((words) => words.fill(RED)));
  assertEquals(drawn.filter((done) => done).length, 4);
  for (const end of ends) end();
  assertEquals(painter.drawPixels((words) => words.fill(GREEN)), true);
  ends.at(-1)!();
});

function fail(): never {
  throw new RangeError("no paint");
}
