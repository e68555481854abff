import { assert, assertEquals } from "@std/assert";
import { decode } from "fast-png";
import pixelmatch from "pixelmatch";
import { chromiumPath } from "../../../tools/setup/parts.ts";
import { webViewer } from "../../../wsi/web/web_viewer.ts";
import { Browser, type Page } from "../../support/browser.ts";
import { needs } from "../../support/require.ts";
import { type Paint, Producer } from "./producer.ts";

const WIDTH = 101, HEIGHT = 64; // rows of the buffer have gaps
const CHROMIUM = needs("Chromium", chromiumPath());

/** Every pixel of its own colour, another one in each frame; alpha is all over the place. */
function pattern(frame: number): Paint {
  return (bytes, rowPitch) => {
    for (let y = 0; y < HEIGHT; y++) {
      for (let x = 0; x < WIDTH; x++) {
        bytes.set([2 * x, 4 * y, (x * y + 40 * frame) & 255, x & 255], y * rowPitch + 4 * x);
      }
    }
  };
}

/** The pixels that a page must show of it. */
function expected(frame: number): Uint8Array {
  const data = new Uint8Array(4 * WIDTH * HEIGHT);
  pattern(frame)(data, 4 * WIDTH);
  for (let alpha = 3; alpha < data.length; alpha += 4) data[alpha] = 255;
  return data;
}

async function canvasPixels(page: Page): Promise<Uint8Array> {
  const text = await page.evaluate<string>(`(() => {
    const canvas = document.querySelector(".frame");
    return [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data].join();
  })()`);
  return Uint8Array.from(text.split(","), Number);
}

/** The number of pixels of the canvas in a screenshot that are not those of the frame. */
async function wrongOnScreen(page: Page, frame: number): Promise<number> {
  const [left, top] = await page.evaluate<[number, number]>(`(() => {
    const { left, top } = document.querySelector(".frame").getBoundingClientRect();
    return [Math.round(left), Math.round(top)]; // as the browser does with what it draws
  })()`);
  const { data, width, channels } = decode(await page.screenshot()),
    shot = new Uint8Array(4 * WIDTH * HEIGHT).fill(255);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const from = channels * ((top + y) * width + left + x);
      for (let channel = 0; channel < 3; channel++) shot[4 * (y * WIDTH + x) + channel] = data[from + channel];
    }
  }
  return pixelmatch(shot, expected(frame), undefined, WIDTH, HEIGHT, { threshold: 0, includeAA: true });
}

const shows = (frame: number, window = 1) =>
  `document.querySelector("section:nth-child(${window}) .number")?.textContent === "${frame}"`;
const reads = (selector: string) => `document.querySelector("${selector}").textContent`;

Deno.test("the viewer's page shows exactly the pixels of the frames", CHROMIUM, async () => {
  await using browser = await Browser.start();
  await using viewer = webViewer({ title: "Pattern" });
  using producer = new Producer(viewer.window({ name: "one", width: WIDTH, height: HEIGHT }));
  producer.draw(pattern(1));
  const page = await browser.open(viewer.url);
  for (let frame = 1; frame <= 3; frame++) {
    if (frame > 1) producer.draw(pattern(frame));
    await page.until(shows(frame));
    assertEquals(await canvasPixels(page), expected(frame));
    assertEquals(await wrongOnScreen(page, frame), 0);
  }
  assertEquals(await page.evaluate(reads("h1")), "Pattern");
  assertEquals(await page.evaluate(reads(".size")), `${WIDTH} × ${HEIGHT}`);
  await page.until(`/^\\d+\\.\\d ms$/.test(${reads(".legend .fence b")})`);
});

Deno.test("the viewer's page pauses, steps and goes on, by mouse and by keys", CHROMIUM, async () => {
  await using browser = await Browser.start();
  await using viewer = webViewer();
  using one = new Producer(viewer.window({ name: "one" }));
  using two = new Producer(viewer.window({ name: "two" }));
  const page = await browser.open(viewer.url);
  let frame = 0;
  const draw = () => {
    frame = one.fill(1, 2, 3, 4);
    two.fill(5, 6, 7, 8);
  };
  const number = (window: number) => page.evaluate<string>(reads(`section:nth-child(${window}) .number`)).then(Number);
  /** Draws until a window stands, as its page's message has come, and the other goes on; the frame at which it stands. */
  const standsAt = async (window: number): Promise<number> => {
    for (let before = -1;; before = await number(window)) {
      draw();
      await page.until(shows(frame, 3 - window));
      if (await number(window) === before) return before;
      if (frame > 50) throw new Error(`Window ${window} does not pause`);
    }
  };
  draw();
  await page.until(`${shows(1, 1)} && ${shows(1, 2)}`);
  await page.click("section:nth-child(1) .pause");
  assertEquals(await page.evaluate(reads(".badge")), "paused");
  const stood = await standsAt(1);
  await page.click("section:nth-child(1) .step");
  await page.until(shows(frame, 1));
  assertEquals(await page.evaluate(reads(".dropped")), `${frame - stood - 1}`);
  await page.press("2"); // chooses the other window
  await page.press(" ");
  await page.until(`document.querySelector("section:nth-child(2) .pause").textContent === "Resume"`);
  await page.press("1");
  await page.press(" "); // goes on
  const other = await standsAt(2);
  await page.press("2");
  await page.press("s");
  await page.until(shows(frame, 2));
  assert(frame > other);
});

Deno.test(
  "the viewer's page comes back by itself when its server does, still paused where it was",
  CHROMIUM,
  async () => {
    await using browser = await Browser.start();
    let page: Page, port: number;
    {
      await using viewer = webViewer();
      using one = new Producer(viewer.window({ name: "one" }));
      using two = new Producer(viewer.window({ name: "two" }));
      one.fill(9, 9, 9, 9);
      two.fill(9, 9, 9, 9);
      port = Number(new URL(viewer.url).port);
      page = await browser.open(viewer.url);
      await page.until(`${shows(1, 1)} && ${shows(1, 2)}`);
      await page.click("section:nth-child(2) .pause");
    }
    await page.until(`document.getElementById("connection").dataset.state === "lost"`);
    assert((await page.evaluate<string>(reads("#connection"))).startsWith("disconnected"));
    await using viewer = webViewer({ port, title: "Again" });
    using one = new Producer(viewer.window({ name: "one" }));
    using two = new Producer(viewer.window({ name: "two" }));
    await page.until(`document.title === "Again"`);
    assertEquals(await page.evaluate(`document.querySelectorAll("section").length`), 2);
    for (let frame = 1; frame <= 3; frame++) {
      one.fill(9, 9, 9, 9);
      two.fill(9, 9, 9, 9);
      await page.until(shows(frame, 1));
    }
    assert(await page.evaluate(shows(1, 2)), "a paused window went on");
    assertEquals(await page.evaluate(reads("section:nth-child(2) .badge")), "paused");
  },
);
