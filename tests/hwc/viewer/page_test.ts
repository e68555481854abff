import { assert, assertEquals } from "@std/assert";
import { decode } from "fast-png";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { chromiumPath } from "../../../tools/setup/parts.ts";
import { Browser, type Page } from "../../support/browser.ts";
import { needs } from "../../support/require.ts";
import { draw } from "../flinger/stage.ts";
import { GREEN, HEIGHT, RED, ViewedStage, WIDTH } from "./stage.ts";

const CHROMIUM = needs("Chromium", chromiumPath());

const number = (display = 0) => `document.querySelector('[data-display="${display}"] .number')?.textContent`;
const shows = (frame: number, display = 0) => `${number(display)} === "${frame}"`;
const text = (selector: string) => `document.querySelector(${JSON.stringify(selector)})?.textContent`;
const row = (layer: string) => `.layer[data-layer="${layer}"]`;

/** Waits until a display's canvas has these pixels. Throws an `Error` that says how many differ. */
async function untilPixels(page: Page, expected: readonly number[], display = 0): Promise<void> {
  await page.until(
    `(() => {
      const canvas = document.querySelector('[data-display="${display}"] .frame'), expected = [${expected}];
      if (canvas === null || canvas.width * canvas.height !== expected.length) return false;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Uint32Array(data.buffer).every((word, at) => word === expected[at]);
    })()`,
    `"other pixels on display ${display}"`,
  );
}

/** The browser's pixels of a display's picture, in the display's size. */
async function onScreen(page: Page): Promise<number[]> {
  await page.evaluate(`(() => {
    document.querySelector(".screen").style.width = "${WIDTH}px";
    document.querySelector(".frame").style.imageRendering = "pixelated";
    document.querySelector("#outlines").click();
  })()`);
  const [left, top] = await page.evaluate<[number, number]>(`(() => {
    const screen = document.querySelector(".frame"), { left, top } = screen.getBoundingClientRect();
    return [Math.round(left), Math.round(top)];
  })()`);
  const { data, width, channels } = decode(await page.screenshot());
  return Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const from = channels * ((top + Math.floor(at / WIDTH)) * width + left + at % WIDTH);
    return (data[from] | data[from + 1] << 8 | data[from + 2] << 16 | 255 << 24) >>> 0;
  });
}

Deno.test(
  "the composer's page shows the pixels of the panel, each layer's plane on them, and why",
  CHROMIUM,
  async () => {
    await using browser = await Browser.start();
    await using stage = new ViewedStage();
    const [, app] = stage.threeLayers();
    stage.vsyncs(2);
    const page = await browser.open(stage.viewer.url, { width: 900, height: 900 });
    await page.until(shows(1));
    await untilPixels(page, stage.screen());
    draw(app.window!, RED);
    stage.vsyncs(2);
    await page.until(shows(2));
    await untilPixels(page, stage.screen());
    await page.until(`document.querySelectorAll(".outline").length === 3`);
    const outlines = await page.evaluate<unknown[]>(`(() => {
    const { left, top, width } = document.querySelector(".frame").getBoundingClientRect(), scale = ${WIDTH} / width;
    return [...document.querySelectorAll(".outline")].map((outline) => {
      const box = outline.getBoundingClientRect();
      const at = [box.left - left, box.top - top, box.width, box.height].map((value) => Math.round(scale * value));
      return [outline.dataset.layer, outline.dataset.plane, outline.textContent, ...at];
    });
  })()`);
    assertEquals(outlines, [
      ["wallpaper", "overlay0", "overlay0 · wallpaper", 0, 0, WIDTH, HEIGHT],
      ["app", "overlay1", "overlay1 · app", 20, 24, 40, 30],
      ["bar", "overlay2", "overlay2 · bar", 0, 0, WIDTH, 8],
    ]);
    assertEquals(
      await page.evaluate(text(".verdict")),
      "3 of 3 layers on planes, 0 by the client: 100 % of the GPU's work saved.",
    );
    assertEquals(await page.evaluate(text(`${row("app")} .reason`)), "Overlay1 shows it.");
    await page.until(`document.querySelector(".timeline").ariaLabel.includes("frame 2 was shown")`);
    assertEquals(await onScreen(page), stage.screen());
  },
);

Deno.test("the composer's page hides and shows layers, by switch and by key", CHROMIUM, async () => {
  await using browser = await Browser.start();
  await using stage = new ViewedStage();
  stage.threeLayers();
  stage.vsyncs(2);
  const page = await browser.open(stage.viewer.url), before = stage.screen();
  await untilPixels(page, before);
  await page.click(`${row("app")} input`);
  await page.until(
    `${text(`${row("app")} .reason`)} === "It is hidden." || (document.querySelector("#step").click(), false)`,
  );
  assert(stage.screen().join() !== before.join());
  await untilPixels(page, stage.screen());
  await page.until(`document.querySelectorAll(".outline").length === 2`);
  await page.press("3"); // the hidden one is the last
  await page.until(
    `document.querySelectorAll(".outline").length === 3 || (document.querySelector("#step").click(), false)`,
  );
  assertEquals(stage.screen(), before);
  await untilPixels(page, before);
});

Deno.test("the composer's page pauses, steps and goes on, by mouse and by keys", CHROMIUM, async () => {
  await using browser = await Browser.start();
  await using stage = new ViewedStage();
  const [wallpaper] = stage.threeLayers();
  const page = await browser.open(stage.viewer.url);
  await page.until(`${text("#pause")} === "Resume"`);
  assertEquals(await page.evaluate(number()), "–");
  await page.click("#step"); // latched at this vsync, shown at the next
  await page.press("s");
  await page.until(shows(1));
  assert(stage.clock.isPaused);
  draw(wallpaper.window!, GREEN);
  await page.evaluate(`document.activeElement.blur()`); // a button's Space is its own
  await page.press(" ");
  await page.until(`${shows(2)} && ${text("#pause")} === "Pause"`); // real time
  assertEquals(stage.clock.isPaused, false);
  await page.click("#pause");
  await page.until(`${text("#pause")} === "Resume"`);
  assert(stage.clock.isPaused);
  draw(wallpaper.window!, RED);
  await page.click("#step");
  await page.click("#step");
  await page.until(shows(3));
  await untilPixels(page, stage.screen());
});

Deno.test("the composer's page plugs and unplugs displays, and chooses strategies and planes", CHROMIUM, async () => {
  await using browser = await Browser.start();
  const panel = { name: "Beamer", modes: [{ width: 60, height: 40, refreshRate: 30 }] };
  await using stage = new ViewedStage({}, { panels: [panel] });
  stage.threeLayers();
  stage.vsyncs(2);
  const page = await browser.open(stage.viewer.url), other = await browser.open(stage.viewer.url);
  await page.until(shows(1));
  await page.click(".plug");
  for (const each of [page, other]) {
    await each.until(`${text('[data-display="1"] .name')} === "Beamer"`); // both pages hear of it
  }
  stage.vsyncs(4);
  await untilPixels(page, stage.screen(1), 1);
  assertEquals(await page.evaluate(text('[data-display="1"] .size')), "60 × 40, 30 Hz");
  assertEquals(await page.evaluate(`document.querySelector('[data-display="0"] .unplug').hidden`), true);
  await page.click('[data-display="1"] .unplug');
  for (const each of [page, other]) await each.until(`document.querySelectorAll(".display").length === 1`);
  assertEquals(stage.flinger.displays.length, 1);

  const choose = (selector: string, name: string) =>
    page.evaluate(`(() => {
      const select = document.querySelector("${selector}");
      select.value = "${name}";
      select.dispatchEvent(new Event("change"));
    })()`);
  const before = stage.screen();
  await choose(".strategy", "client-only");
  await page.until(
    `${
      text(".verdict")
    }.startsWith("0 of 3 layers on planes, 3 by the client") || (document.querySelector("#step").click(), false)`,
  );
  assertEquals(stage.composer.shown(stage.flinger.displays[0].handle!)!.plan.strategy, clientOnly().name);
  await page.until(`document.querySelector(".outline").dataset.plane === "client"`);
  assert((await page.evaluate<string>(text(`${row("app")} .reason`))).startsWith("The client composes it: "));
  await choose(".strategy", "least-gpu-work");
  await choose(".model", "one-plane");
  await page.until(
    `document.querySelectorAll(".planes li").length === 1 || (document.querySelector("#step").click(), false)`,
  );
  assertEquals(stage.screen(), before, "who composes makes no difference to the picture");
});

Deno.test(
  "the composer's page fits a telephone, light and dark, and comes back with its server",
  CHROMIUM,
  async () => {
    await using browser = await Browser.start();
    let page: Page, port: number;
    {
      await using stage = new ViewedStage();
      stage.threeLayers();
      stage.vsyncs(2);
      port = Number(new URL(stage.viewer.url).port);
      page = await browser.open(stage.viewer.url, { width: 360, height: 700, dark: true });
      await page.until(shows(1));
      assertEquals(await page.evaluate(`document.documentElement.scrollWidth`), 360);
      const ground = () => page.evaluate<string>(`getComputedStyle(document.body).backgroundColor`);
      const dark = await ground();
      await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "light" }] });
      assert(await ground() !== dark);
      const nameless = await page.evaluate(`[...document.querySelectorAll("button, select, input, canvas")]
      .filter((each) => !each.hidden && !each.ariaLabel && !each.textContent.trim() && !each.closest("label")).length`);
      assertEquals(nameless, 0, "controls without a name");
    }
    await page.until(`document.getElementById("connection").dataset.state === "lost"`);
    await using stage = new ViewedStage({}, { port, title: "Again" });
    stage.layer("only", [WIDTH, HEIGHT], RED);
    stage.vsyncs(2);
    await page.until(`document.title === "Again" && document.querySelectorAll(".layer").length === 1`);
    await untilPixels(page, stage.screen());
  },
);
