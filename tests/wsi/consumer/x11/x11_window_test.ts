import { assert, assertEquals, assertThrows } from "@std/assert";
import { openBlocks } from "../../../../ffi/block.ts";
import { xvfbPath } from "../../../../tools/setup/parts.ts";
import { GraphicBuffer } from "../../../../wsi/buffer/graphic_buffer.ts";
import { type X11Window, x11Window, type X11WindowOptions } from "../../../../wsi/consumer/x11/x11_window.ts";
import type { XKeyEvent, XPointerEvent } from "../../../../wsi/consumer/x11/events.ts";
import { WsiError } from "../../../../wsi/error.ts";
import { NativeFence } from "../../../../wsi/fence/native_fence.ts";
import { NativeWindow } from "../../../../wsi/window/native_window.ts";
import { mappings, openFiles } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { startXServer } from "../../../support/x_server.ts";
import { bufferOf, FakeSource, paint } from "../fake_source.ts";
import { XClient } from "./x_client.ts";

const RGBA = 1, RGB_565 = 4, BGRA = 5;
const NO_SCALE_CROP = 3, SCALE_CROP = 2;

/** Red by x, green by y, blue 0x55: in memory order R, G, B, A. */
const rgba = (x: number, y: number) => (0xff550000 | (y & 255) << 8 | (x & 255)) >>> 0;
const bgra = (x: number, y: number) => (0xff000055 | (y & 255) << 8 | (x & 255) << 16) >>> 0;
/** The same as a server shows it. */
const shown = (x: number, y: number) => (x & 255) << 16 | (y & 255) << 8 | 0x55;

function picture(width: number, height: number, color: (x: number, y: number) => number): number[] {
  return Array.from({ length: width * height }, (_, at) => color(at % width, Math.floor(at / width)));
}

/** Runs with an X server, a client that looks on, and windows that are closed at the end. */
async function onServer(
  run: (open: (options?: X11WindowOptions) => ReturnType<typeof opened>, client: XClient) => void | Promise<void>,
  { screen, more }: { screen?: string; more?: string[] } = {},
): Promise<void> {
  await using server = await startXServer(screen, more);
  using stack = new DisposableStack();
  const client = stack.use(new XClient(server.display));
  await run((options) => {
    const made = opened({ displayName: server.display, width: 60, height: 40, ...options });
    stack.use(made.source);
    return made;
  }, client);
}

function opened(options: X11WindowOptions) {
  const window = x11Window(options);
  return { window, source: new FakeSource(window) };
}

/** The pixels of a part of a window, once the server has shown what it was asked to. */
function look(
  client: XClient,
  window: X11Window,
  ...part: [x: number, y: number, width: number, height: number]
): number[] {
  if (window.isOpen) window.sync();
  return client.pixels(window.id, ...part);
}

/** Looks for events until something is true. */
async function until(window: { events(): void }, isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isTrue(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 4));
    window.events();
  }
  assert(isTrue(), "it never came");
}

const server = needs("X server without a screen", xvfbPath());

Deno.test(
  "x11Window() shows BGRA buffers without copying, padded rows included",
  server,
  () =>
    onServer((open, client) => {
      const { window, source } = open({ title: "Würfel" });
      using buffer = paint(bufferOf(BGRA, 60, 40, 80), bgra);
      source.queue(buffer);
      assertEquals(look(client, window, 0, 0, 60, 40), picture(60, 40, shown));
      assertEquals([window.frames, window.copies, window.sharedBuffers], [1, 0, 1]);
      paint(buffer, (x, y) => bgra(x + 1, y)); // the server reads this very memory
      source.queue(buffer);
      assertEquals(look(client, window, 0, 0, 60, 40), picture(60, 40, (x, y) => shown(x + 1, y)));
      assertEquals([window.sharedBuffers, client.title(window.id)], [1, "Würfel"]);
    }),
);

Deno.test(
  "x11Window() shows other formats, dataspaces and transforms by a copy",
  server,
  () =>
    onServer((open, client) => {
      const { window, source } = open();
      using buffer = paint(bufferOf(RGBA, 60, 40, 64), rgba);
      source.queue(buffer);
      assertEquals(look(client, window, 0, 0, 60, 40), picture(60, 40, shown));
      assertEquals([window.copies, source.released, source.fences], [1, [1], [undefined]]);
      source.queue(buffer, { transform: 3 });
      assertEquals(look(client, window, 0, 0, 60, 40), picture(60, 40, (x, y) => shown(59 - x, 39 - y)));
      using red = bufferOf(RGB_565, 60, 40);
      red.lock().fill(0xf8); // 11111 000000 11111 would be 0xf81f; this is 31, 7, 24
      source.queue(red);
      assertEquals(look(client, window, 59, 39, 1, 1), [0xff1cc5]); // 255 × 7 / 63 = 28.3, 255 × 24 / 31 = 197.4
      using wide = paint(bufferOf(BGRA, 60, 40), () => 0xff800000);
      source.queue(wide, { dataspace: 0x08410000 }); // linear: 128 / 255 = 0.502 → 188
      assertEquals(look(client, window, 5, 5, 1, 1), [0xbc0000]);
      assertEquals(window.copies, 4);
    }),
);

Deno.test(
  "x11Window() crops where the buffer is, and scales or places as the frame says",
  server,
  () =>
    onServer((open, client) => {
      const { window, source } = open();
      using buffer = paint(bufferOf(BGRA, 100, 80), bgra), small = paint(bufferOf(BGRA, 30, 10), bgra);
      source.queue(buffer, { crop: { left: 30, top: 20, right: 90, bottom: 60 } });
      assertEquals(look(client, window, 0, 0, 60, 40), picture(60, 40, (x, y) => shown(x + 30, y + 20)));
      assertEquals(window.copies, 0);
      source.queue(small);
      assertEquals(look(client, window, 0, 0, 60, 40), picture(60, 40, (x, y) => shown(x >> 1, y >> 2)));
      source.queue(small, { scalingMode: SCALE_CROP }); // four times as large, the middle of it
      assertEquals(look(client, window, 0, 0, 60, 40), picture(60, 40, (x, y) => shown((x + 30) >> 2, y >> 2)));
      source.queue(buffer, { scalingMode: NO_SCALE_CROP });
      source.queue(small, { scalingMode: NO_SCALE_CROP });
      const inner = (x: number, y: number) => shown(x, y); // both begin at the upper left corner
      assertEquals(look(client, window, 0, 0, 60, 40), picture(60, 40, inner));
      assertEquals(window.copies, 2);
    }),
);

Deno.test(
  "x11Window() holds a frame until the next is shown, and gives it back when the server has read it",
  server,
  () =>
    onServer((open) => {
      const { window, source } = open();
      using one = bufferOf(BGRA, 60, 40), two = bufferOf(BGRA, 60, 40);
      source.queue(one);
      assertEquals(source.released, []);
      source.queue(two);
      assertEquals(source.released, [1]);
      assertEquals([source.fences[0]!.wait(2000), source.shown[0]], [true, 1]);
      source.queue(one);
      assertEquals(source.released, [1, 2]);
      const fd = source.fences[1]!.take();
      using taken = NativeFence.adopt(fd);
      assert(taken.poll());
      window.pump(source); // nothing is queued: the one on the screen is given up
      assertEquals([source.released, source.shown], [[1, 2, 3], [1, 2, 3]]);
    }),
);

Deno.test("x11Window() shows the last frame again when it was covered", server, () =>
  onServer(async (open, client) => {
    for (const [format, color] of [[BGRA, bgra], [RGBA, rgba]] as const) {
      const { window, source } = open();
      using buffer = paint(bufferOf(format, 60, 40), color);
      source.queue(buffer);
      await until(window, () => source.shown.length === 1);
      const { window: cover } = open({ width: 30, height: 30 });
      client.sync();
      assertEquals(look(client, window, 0, 0, 1, 1), [0]);
      cover.close();
      await until(window, () => look(client, window, 5, 3, 1, 1)[0] === shown(5, 3));
      assertEquals(look(client, window, 0, 0, 60, 40), picture(60, 40, shown));
      window.close();
    }
  }));

Deno.test(
  "x11Window() tells producers its new size, and scales until they follow",
  server,
  () =>
    onServer(async (open, client) => {
      const sizes: number[][] = [];
      const { window, source } = open({ onResize: (width, height) => void sizes.push([width, height]) });
      using buffer = paint(bufferOf(BGRA, 60, 40), bgra), large = paint(bufferOf(BGRA, 120, 80), bgra);
      client.place(window.id, 7, 9, 120, 80);
      await until(window, () => sizes.length > 0);
      assertEquals([sizes, source.sizes], [[[120, 80]], [[120, 80]]]);
      source.queue(buffer);
      assertEquals(look(client, window, 0, 0, 120, 80), picture(120, 80, (x, y) => shown(x >> 1, y >> 1)));
      source.queue(large);
      assertEquals(look(client, window, 0, 0, 120, 80), picture(120, 80, shown));
      assertEquals(window.copies, 1);
    }),
);

Deno.test("x11Window() passes keys and the pointer on", server, () =>
  onServer(async (open, client) => {
    const keys: XKeyEvent[] = [], moves: XPointerEvent[] = [];
    const { window } = open({ onKey: (key) => void keys.push(key), onPointer: (event) => void moves.push(event) });
    const key = 38; // the a of a PC's keyboard
    client.send(window.id, 1, [[0, 8, 2], [1, 8, key], [4, 32, 77], [28, 16, 0]]);
    client.send(window.id, 2, [[0, 8, 3], [1, 8, key], [4, 32, 78], [28, 16, 1]]);
    client.send(window.id, 1, [[0, 8, 2], [1, 8, key], [28, 16, 2]]);
    client.send(window.id, 4, [[0, 8, 4], [1, 8, 3], [24, 16, 11], [26, 16, -2], [28, 16, 4]]);
    client.send(window.id, 64, [[0, 8, 6], [24, 16, 12], [26, 16, 13], [28, 16, 0x400]]);
    await until(window, () => keys.length === 3 && moves.some(({ type }) => type === "move"));
    assertEquals(keys, [
      { type: "press", keycode: key, keysym: 0x61, modifiers: 0, time: 77 },
      { type: "release", keycode: key, keysym: 0x41, modifiers: 1, time: 78 },
      { type: "press", keycode: key, keysym: 0x41, modifiers: 2, time: 0 },
    ]);
    const sent = moves.filter(({ type }) => type === "press" || type === "move");
    assertEquals(sent, [
      { type: "press", x: 11, y: -2, button: 3, modifiers: 4, time: 0 },
      { type: "move", x: 12, y: 13, button: 0, modifiers: 0x400, time: 0 },
    ]);
  }));

Deno.test(
  "x11Window() ends the window when the user closes it, or lets a handler decide",
  server,
  () =>
    onServer(async (open, client) => {
      let asked = 0;
      const kept = open({ onClose: () => void asked++ }), closed = open();
      client.askToClose(kept.window.id);
      client.askToClose(closed.window.id);
      await until(kept.window, () => asked === 1);
      await until(closed.window, () => closed.source.abandoned);
      assertEquals([kept.window.isOpen, kept.source.abandoned, closed.window.isOpen], [true, false, false]);
      using buffer = bufferOf(BGRA, 4, 4);
      const error = assertThrows(() => closed.source.queue(buffer), WsiError, "the window is closed");
      assertEquals(error.code, "closed");
    }),
);

Deno.test(
  "x11Window() sends frames through the socket without MIT-SHM, in parts if they are large",
  server,
  () =>
    onServer((open, client) => {
      const width = 2100, height = 2010; // 16.9 MB, and a request takes 16.8
      const { window, source } = open({ width, height });
      using padded = paint(bufferOf(BGRA, width, height, 2112), bgra),
        exact = paint(bufferOf(BGRA, width, height), bgra);
      assert(client.connection.largestRequest < 4 * width * height);
      for (const buffer of [padded, exact]) {
        source.queue(buffer);
        assertEquals(look(client, window, 999, 0, 1, height), picture(1, height, (_, y) => shown(999, y)));
        assertEquals(look(client, window, 0, 2009, width, 1), picture(width, 1, (x) => shown(x, 2009)));
      }
      assertEquals([window.copies, window.sharedBuffers], [1, 0]); // what is beside the picture must not go along
    }, { screen: "2200x2100x24", more: ["-extension", "MIT-SHM"] }),
);

Deno.test("x11Window() copies memory that cannot be shared", server, () =>
  onServer((open, client) => {
    const { window, source } = open();
    using buffer = withoutFile(paint(bufferOf(BGRA, 60, 40, 64), bgra));
    source.queue(buffer);
    assertEquals(look(client, window, 0, 0, 60, 40), picture(60, 40, shown));
    assertEquals([window.copies, window.sharedBuffers], [1, 1]); // the copy is shared
  }));

/** The same buffer, as one of anonymous memory. */
function withoutFile(buffer: GraphicBuffer): GraphicBuffer {
  const { memory, id, stride, rowPitch, handle } = buffer;
  const close = () => buffer.close();
  return new GraphicBuffer(buffer, { id, stride, rowPitch, handle, close, memory: { ...memory, fd: -1, close } });
}

Deno.test(
  "x11Window() opens several windows at once, each with its own frames",
  server,
  () =>
    onServer((open, client) => {
      const windows = [open(), open()];
      windows.forEach(({ window }, index) => client.place(window.id, 100 * index, 0, 60, 40));
      using one = paint(bufferOf(BGRA, 60, 40), bgra), two = paint(bufferOf(RGBA, 60, 40), () => 0xff0000ee);
      for (let frame = 0; frame < 3; frame++) {
        windows[0].source.queue(one);
        windows[1].source.queue(two);
      }
      assertEquals(look(client, windows[0].window, 0, 0, 60, 40), picture(60, 40, shown));
      assertEquals(look(client, windows[1].window, 0, 0, 60, 40), picture(60, 40, () => 0xee0000));
      assertEquals([windows[0].window.copies, windows[1].window.copies], [0, 3]);
    }),
);

Deno.test(
  "x11Window() leaves nothing behind: no file descriptor, memory or window",
  server,
  () =>
    onServer((_, client) => {
      const { display } = client, before = [0, 0, 0, 0];
      client.connection.waitForInput(0); // bound when the server is slow, and then for good
      for (let round = 0; round < 4; round++) {
        const { window, source } = opened({ displayName: display, width: 60, height: 40 });
        for (const format of [BGRA, RGBA, BGRA]) {
          using buffer = bufferOf(format, 60, 40, 64);
          source.queue(buffer);
          source.queue(buffer);
        }
        using last = bufferOf(BGRA, 60, 40);
        source.queue(last); // finds those before closed
        assertEquals(window.sharedBuffers, 3); // this one and two for copies
        source.close();
        source.close();
        const after = [openFiles(), openBlocks(), mappings("gralloc") - 1, client.windows()];
        if (round === 0) before.splice(0, 4, ...after); // after the first, which binds functions for good
        else assertEquals(after, before);
      }
    }),
);

Deno.test("x11Window() says that the server has gone, and ends the window", server, async () => {
  const xServer = await startXServer();
  const { window, source } = opened({ displayName: xServer.display, width: 60, height: 40 });
  const idle = opened({ displayName: xServer.display });
  using buffer = bufferOf(BGRA, 60, 40);
  source.queue(buffer);
  await xServer[Symbol.asyncDispose]();
  const error = assertThrows(() => source.queue(buffer), WsiError, `the X server ${xServer.display} has gone`);
  assertEquals([error.code, source.abandoned, window.isOpen], ["server-gone", true, false]);
  assertEquals(source.released.includes(1), true);
  assertThrows(() => source.queue(buffer), WsiError, "has gone");
  await until(idle.window, () => idle.source.abandoned);
  window.close();
  source.close();
  idle.source.close();
});

Deno.test("x11Window() refuses a missing server, a missing screen and an impossible size", server, async () => {
  const error = assertThrows(
    () => x11Window({ displayName: ":4711" }),
    WsiError,
    "Cannot connect to the X display :4711",
  );
  assertEquals(error.code, "no-display");
  assertThrows(() => x11Window({ width: 0 }), RangeError, "Cannot open a window of 0×480");
  await using poor = await startXServer("640x480x16");
  const other = assertThrows(() => x11Window({ displayName: poor.display }), WsiError, "it has 16 bits a pixel");
  assertEquals(other.code, "unsupported");
});

Deno.test(
  "x11Window() shows what is drawn into a NativeWindow, which never runs out of buffers",
  server,
  () =>
    onServer((_, client) => {
      const consumer = x11Window({ displayName: client.display, width: 60, height: 40 });
      using native = new NativeWindow({ consumer });
      assertEquals([native.query("DEFAULT_WIDTH"), native.query("DEFAULT_HEIGHT")], [60, 40]);
      native.apiConnect(2);
      native.setBufferCount(4);
      native.setUsage(0x33n);
      for (let frame = 1; frame <= 50; frame++) {
        const dequeued = native.dequeueBuffer();
        if (typeof dequeued === "number") throw new Error(`no buffer: ${dequeued}`);
        const { buffer, fence } = dequeued;
        assert(fence.wait(2000));
        paint(buffer, (x, y) => rgba(x + frame, y));
        assertEquals(native.queueBuffer(buffer, NativeFence.signaled()), 0);
      }
      assertEquals(look(client, consumer, 0, 0, 60, 40), picture(60, 40, (x, y) => shown(x + 50, y)));
      assertEquals(consumer.frames, 50);
    }),
);
