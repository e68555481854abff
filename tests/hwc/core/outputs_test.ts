import { assert, assertEquals, assertThrows } from "@std/assert";
import { decode } from "fast-png";
import { eightPlane } from "../../../hwc/planes/models.ts";
import { COMPOSITION } from "../../../hwc/types.ts";
import { callbackConsumer } from "../../../wsi/consumer/frames.ts";
import { chromiumPath, xvfbPath } from "../../../tools/setup/parts.ts";
import { pngConsumer } from "../../../wsi/consumer/png.ts";
import { x11Window } from "../../../wsi/consumer/x11/x11_window.ts";
import { WsiError } from "../../../wsi/error.ts";
import { webViewer } from "../../../wsi/web/web_viewer.ts";
import { Browser } from "../../support/browser.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { XClient } from "../../wsi/consumer/x11/x_client.ts";
import { Bench } from "./frame.ts";

const WIDTH = 32, HEIGHT = 24;

/** Shows a frame: two layers, one of a colour of its own. */
function show(bench: Bench, color: readonly number[], layer = bench.layer()): bigint {
  bench.composer.setLayerBuffer(bench.display, layer, bench.buffer(color), null);
  bench.present().close();
  bench.vsyncs();
  return layer;
}

/** A second layer over a corner. */
function addCorner(bench: Bench): void {
  bench.layer(bench.buffer([250, 240, 10, 255], [8, 6]), { left: 20, top: 10, right: 28, bottom: 16 }, 1);
}

/** The colours on the panel, 24 bits each, red above. */
function panelColors(bench: Bench): number[] {
  const into = bench.buffer();
  bench.composer.capture(bench.display, into);
  const bytes = into.lock();
  const colors = Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const from = Math.floor(at / WIDTH) * into.rowPitch + 4 * (at % WIDTH);
    return bytes[from] << 16 | bytes[from + 1] << 8 | bytes[from + 2];
  });
  into.unlock();
  return colors;
}

function colorsOf(data: ArrayLike<number>, channels: number, width: number, left = 0, top = 0): number[] {
  return Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const from = channels * ((top + Math.floor(at / WIDTH)) * width + left + at % WIDTH);
    return data[from] << 16 | data[from + 1] << 8 | data[from + 2];
  });
}

Deno.test("a panel is shown in a window of an X server", needs("X server without a screen", xvfbPath()), async () => {
  await using server = await startXServer();
  using client = new XClient(server.display);
  using bench = new Bench();
  addCorner(bench);
  const window = x11Window({ displayName: server.display, width: WIDTH, height: HEIGHT });
  const end = bench.composer.showOn(bench.display, window);
  const layer = show(bench, [200, 100, 50, 255]);
  for (const color of [[200, 100, 50, 255], [1, 2, 3, 255]]) {
    show(bench, color, layer);
    window.sync();
    assertEquals(client.pixels(window.id, 0, 0, WIDTH, HEIGHT).map((pixel) => pixel & 0xffffff), panelColors(bench));
  }
  end();
  end();
  assertEquals([window.frames, window.isOpen], [3, false]);
});

Deno.test("a panel is shown on a web page", needs("Chromium", chromiumPath()), async () => {
  await using browser = await Browser.start();
  using bench = new Bench();
  addCorner(bench);
  await using viewer = webViewer();
  const end = bench.composer.showOn(bench.display, viewer);
  const layer = show(bench, [200, 100, 50, 255]);
  const page = await browser.open(viewer.url);
  for (const [index, color] of [[200, 100, 50, 255], [1, 2, 3, 255]].entries()) {
    if (index > 0) show(bench, color, layer);
    await page.until(`document.querySelector(".number")?.textContent === "${index + 1}"`);
    const [left, top] = await page.evaluate<[number, number]>(`(() => {
      const { left, top } = document.querySelector(".frame").getBoundingClientRect();
      return [Math.round(left), Math.round(top)];
    })()`);
    const { data, channels, width } = decode(await page.screenshot());
    assertEquals(colorsOf(data, channels, width, left, top), panelColors(bench));
  }
  end();
  await page.until(`document.getElementById("connection").dataset.state === "lost"`); // it ends with its window
});

Deno.test("a panel is shown as a sequence of PNG files", () => {
  withFolder((folder) => {
    using bench = new Bench();
    addCorner(bench);
    const pictures = pngConsumer(`${folder}/panel-%02d.png`);
    const end = bench.composer.showOn(bench.display, pictures), layer = show(bench, [9, 9, 9, 255]);
    for (let frame = 1; frame <= 3; frame++) {
      if (frame > 1) show(bench, [90 * (frame - 1), 8, 7, 255], layer);
      const { data, channels, width } = decode(Deno.readFileSync(`${folder}/panel-0${frame}.png`));
      assertEquals([width, colorsOf(data, channels, width)], [WIDTH, panelColors(bench)]);
    }
    end();
    assertEquals(pictures.written, 3);
  });
});

Deno.test("showOn() tells what a consumer throws: at the end, or to who wants to know at once", () => {
  using bench = new Bench();
  const path = "/proc/nowhere/%d.png",
    end = bench.composer.showOn(bench.display, pngConsumer(path)),
    errors: unknown[] = [];
  const other = bench.composer.showOn(bench.display, pngConsumer(path), (error) => errors.push(error));
  show(bench, [1, 1, 1, 255]);
  other();
  assertThrows(end, WsiError, "Cannot write");
  assert(errors[0] instanceof WsiError);
  assertEquals(errors.length, 1);
});

Deno.test("a cursor that moves without a frame is seen to move, at the next vsync", () => {
  using bench = new Bench({ planes: eightPlane() });
  const { composer, display } = bench, positions: number[] = [];
  bench.layer(bench.buffer([0, 0, 0, 255]));
  const cursor = bench.layer(bench.buffer([255, 255, 255, 255], [4, 4]), { left: 0, top: 0, right: 4, bottom: 4 }, 1);
  composer.setLayerCompositionType(display, cursor, COMPOSITION.CURSOR);
  const pictures = callbackConsumer(({ pixels }) => void positions.push(firstWhite(pixels)));
  const end = composer.showOn(display, pictures),
    moves: bigint[] = [],
    endMoves = composer.onCursor((id) => moves.push(id));
  bench.present().close();
  composer.setCursorPosition(display, cursor, 1, 0); // its frame is still on the way
  bench.vsyncs();
  for (const x of [5, 9, 12]) composer.setCursorPosition(display, cursor, x, 2);
  assertEquals([positions, moves], [[1], []]);
  bench.vsyncs(2);
  assertEquals([positions, moves], [[1, 2 * WIDTH + 12], [display]]);
  bench.present().close();
  composer.setCursorPosition(display, cursor, 15, 0); // seen with the frame, once
  bench.vsyncs(2);
  assertEquals([positions.slice(2), moves.length], [[15], 1]);
  composer.setCursorPosition(display, cursor, 20, 2);
  endMoves();
  end();
  bench.vsyncs();
  assertEquals([positions.length, moves.length], [3, 1]);
});

/** The first pixel that is white, counted in rows. */
function firstWhite(pixels: Uint8Array): number {
  for (let at = 0; at < pixels.length; at += 4) if (pixels[at] === 255) return at / 4;
  return -1;
}
