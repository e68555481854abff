import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { chromiumPath, lavapipePath } from "../../../../../tools/setup/parts.ts";
import { openRecording } from "../../../../../workbench/recordings/view/open_recording.ts";
import { sealedAnswers } from "../../../../../workbench/recordings/view/server/sealed_answers.ts";
import { sealedPage } from "../../../../../workbench/recordings/view/server/sealed_page.ts";
import { serveRecording } from "../../../../../workbench/recordings/view/server/view_server.ts";
import type { OpenRecording, SideNumber } from "../../../../../workbench/recordings/view/types.ts";
import { Browser, type Page } from "../../../../support/browser.ts";
import { needs } from "../../../../support/require.ts";
import { withFolderAsync } from "../../../../support/temporary.ts";
import { recordDemo, SIZE } from "../../replay/recorded.ts";
import { MARKUP, writeHostile } from "../server/hostile.ts";

const LAYER = new URL("./dropping_layer.ts", import.meta.url).pathname;
const BOTH = needs("Mesa lavapipe and Chromium", lavapipePath() && chromiumPath());
/** The demo draws twice as large, and makes the picture smaller afterwards. */
const WIDTH = 2 * SIZE.width;
const VIEWS = [[1280, false], [1280, true], [390, false], [390, true]] as const;
/** The seconds that a busy machine may take for a replay. */
const PATIENCE = 120;

/** Keeps what the page complains about, before its own script runs. */
const WITNESS = `globalThis.complaints = [];
addEventListener("error", ({ message }) => complaints.push(message), true);
addEventListener("unhandledrejection", ({ reason }) => complaints.push(String(reason)));
addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => complaints.push(violatedDirective + blockedURI));
console.error = console.warn = (...all) => complaints.push(all.join(" "));`;

const PANELS = ["pictures", "state", "buffers", "history", "parameters"];
const text = (selector: string) => `document.querySelector(${JSON.stringify(selector)}).innerText`;
const CANVAS = `document.querySelector(".stack canvas")`;

/** A page of a recording, with words for what a reader does. */
class Reader {
  constructor(readonly page: Page) {}

  static async open(browser: Browser, url: string, width: number, dark: boolean): Promise<Reader> {
    const page = await browser.open("about:blank", { width, height: 844, dark });
    await page.send("Page.addScriptToEvaluateOnNewDocument", { source: WITNESS });
    await page.navigate(url);
    await page.until(`document.querySelectorAll(".row:not([hidden])").length > 3`, undefined, PATIENCE);
    return new Reader(page);
  }

  /** Waits until no panel waits for a driver. */
  async rest(): Promise<void> {
    await this.page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))"); // a choice rests before it is asked for
    await this.page.until(`document.querySelectorAll(".wait").length === 0`, text("body"), PATIENCE);
  }

  async choose(id: number): Promise<void> {
    await this.page.evaluate(`location.hash = ""`);
    await this.back();
    await this.page.evaluate(`(() => { const list = document.querySelector("#list"); list.focus(); })()`);
    await this.page.until(
      `document.querySelector("#event-${id}") !== null || (document.querySelector("#list").scrollTop += 100, false)`,
    );
    await this.page.click(`#event-${id} .title`);
    await this.page.until(`${text("#event-path")}.includes("event ${id}")`);
    await this.rest();
  }

  async back(): Promise<void> {
    if (await this.page.evaluate(`getComputedStyle(document.querySelector("#back")).display !== "none"`)) {
      await this.page.click("#back");
    }
  }

  async panel(name: string): Promise<void> {
    await this.page.click(`#tab-${name}`);
    await this.page.until(`!document.querySelector("#${name}").hidden`);
    await this.rest();
  }

  async press(value: string, group: string): Promise<void> {
    const selector = `[role=tabpanel]:not([hidden]) [aria-label="${group}"] [data-value="${value}"]`;
    await this.page.click(selector);
    await this.page.until(
      `document.querySelector(${JSON.stringify(selector)}).getAttribute("aria-pressed") === "true"`,
    );
    await this.rest();
  }

  async key(key: string): Promise<void> {
    await this.page.send("Input.dispatchKeyEvent", { type: "keyDown", key, ...key.length === 1 && { text: key } });
    await this.page.send("Input.dispatchKeyEvent", { type: "keyUp", key });
  }

  /** The colours of the picture, without alpha. */
  async colours(): Promise<number[]> {
    return await this.page.evaluate<number[]>(
      `[...${CANVAS}.getContext("2d").getImageData(0, 0, ${CANVAS}.width, ${CANVAS}.height).data].filter((_, at) => at % 4 < 3)`,
    );
  }

  /** The page is as wide as the window, and nothing went wrong. */
  async check(what: string): Promise<void> {
    const [wide, complaints] = await this.page.evaluate<[number, string[]]>(
      `[Math.max(document.documentElement.scrollWidth, document.querySelector("#panels").scrollWidth - document.querySelector("#panels").clientWidth + innerWidth) - innerWidth, complaints]`,
    );
    assertEquals([wide, complaints], [0, []], what);
  }
}

/** The colours of an image of four floats of 16 bits, by the reading of a DataView. */
async function colours(recording: OpenRecording, event: number, side: SideNumber, before = false): Promise<number[]> {
  const all = await recording.contents(event, { side, before });
  const { bytes, piece } = all.find(({ piece }) => piece.name === attachment(recording, event))!;
  assertEquals(piece.image!.format, 97, "VK_FORMAT_R16G16B16A16_SFLOAT");
  const view = new DataView(bytes.buffer, bytes.byteOffset), clamped = new Uint8ClampedArray(3 * bytes.length / 8);
  for (let at = 0; at < clamped.length; at++) {
    clamped[at] = 255 * view.getFloat16(8 * Math.floor(at / 3) + 2 * (at % 3), true);
  }
  return [...clamped];
}

/** The name of the colours that an event draws to. */
function attachment(recording: OpenRecording, event: number): string {
  const { name } = recording.state(event).resources.find(({ role }) => role === "attachment 0")!;
  return `${name} level 0 color`;
}

Deno.test(
  "the page of a recording shows the numbers of two drivers, wide and narrow, light and dark",
  BOTH,
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/demo.jsonl`, driver = lavapipePath()!;
      recordDemo(path, driver);
      await using recording = openRecording(path, { drivers: [{ driver }, { driver, layers: [LAYER] }] });
      const server = serveRecording(recording, { recording: path, drivers: [driver, driver] });
      await using browser = await Browser.start();
      const planted = recording.events.find(({ name }) => name === "vkCmdDraw")!.id;
      const expected = {
        A: await colours(recording, planted, 0),
        B: await colours(recording, planted, 1),
        before: await colours(recording, planted, 0, true),
      };
      assert(expected.A.join() !== expected.B.join(), "the planted fault is seen");
      assertEquals(expected.B, expected.before, "the second driver leaves a draw out");
      for (const [width, dark] of VIEWS) {
        const reader = await Reader.open(browser, server.url, width, dark), { page } = reader;
        await page.until(
          `document.querySelectorAll("#drivers [data-state=good]").length === 2`,
          text("body"),
          PATIENCE,
        );
        await reader.check("at first");
        await reader.choose(planted);
        await lookAtPictures(reader, expected);
        await lookAtNumbers(reader, recording, planted);
        await lookAtHistory(reader, planted);
        await lookAtState(reader);
        await lookAtBuffers(reader);
        await reader.panel("parameters");
        assertStringIncludes(await page.evaluate<string>(text("#parameters")), "instanceCount");
        await reader.check("parameters");
        await lookAtEvents(reader, recording, planted);
        const loaded = await page.evaluate<string[]>(
          `performance.getEntriesByType("resource").map(({ name }) => name)`,
        );
        assert(
          loaded.every((each) => each.startsWith(server.url)),
          loaded.find((each) => !each.startsWith(server.url)),
        );
      }
      await server.close();
    });
  },
);

async function lookAtEverything(
  reader: Reader,
  recording: OpenRecording,
  planted: number,
  expected: { A: number[]; B: number[]; before: number[] },
): Promise<void> {
  await lookAtPictures(reader, expected);
  await lookAtNumbers(reader, recording, planted);
  await lookAtHistory(reader, planted);
  await lookAtState(reader);
  await lookAtBuffers(reader);
  await reader.panel("parameters");
  assertStringIncludes(await reader.page.evaluate<string>(text("#parameters")), "instanceCount");
  await lookAtEvents(reader, recording, planted);
}

async function lookAtPictures(reader: Reader, expected: { A: number[]; B: number[]; before: number[] }): Promise<void> {
  const { page } = reader;
  await reader.panel("pictures");
  await page.until(`${CANVAS}.width === ${WIDTH}`, undefined, PATIENCE);
  assertEquals(await reader.colours(), expected.A);
  await reader.press("before", "when");
  assertEquals(await reader.colours(), expected.before);
  await reader.key("]");
  await reader.rest();
  await reader.press("B", "show");
  assertEquals(await reader.colours(), expected.B);
  await reader.press("slider", "show");
  assertEquals(await page.evaluate(`document.querySelectorAll(".stack canvas:not([hidden])").length`), 2);
  const clip = `getComputedStyle(document.querySelectorAll(".stack canvas")[1]).clipPath`,
    half = await page.evaluate(clip);
  await page.click(".slider input");
  await reader.key("Home");
  await page.evaluate(
    `(() => { const slider = document.querySelector(".slider input"); slider.value = 10; slider.oninput(); })()`,
  );
  assert(await page.evaluate(clip) !== half);
  await reader.press("blink", "show");
  const second = `document.querySelectorAll(".stack canvas")[1].hidden`;
  await page.until(second);
  await page.until(`!${second}`);
  await reader.press("heat", "show");
  const different = expected.A.reduce(
    (count, _, at) =>
      count +
      (at % 3 === 0 && [0, 1, 2].some((channel) => expected.A[at + channel] !== expected.B[at + channel]) ? 1 : 0),
    0,
  );
  const told = await page.evaluate<string>(text(".told")),
    [, count] = /^([\d,]+) of 9,216 texels differ between A and B/.exec(told) ?? [];
  assert(Number(count?.replace(",", "")) >= different && different > 0, told);
  await reader.check("heat map");
  await page.click(".told .link");
  await reader.press("change", "when");
  await reader.press("one", "show");
  assertStringIncludes(await page.evaluate<string>(text(".told")), "were changed");
  await reader.press("after", "when");
  for (const label of ["smaller", "larger", "one pixel a texel", "fit into the page"]) {
    await page.click(`[aria-label="${label}"]`);
    assert(await page.evaluate<number>(`${CANVAS}.getBoundingClientRect().width`) > 0, label);
  }
  await page.click(`.channels [data-value="G"]`);
  await page.until(`document.querySelector('.channels [data-value="G"]').getAttribute("aria-pressed") === "false"`);
  assertEquals(await reader.colours(), expected.A.map((value, at) => at % 3 === 1 ? 0 : value));
  await page.click(`.channels [data-value="G"]`);
  await reader.rest();
  const images = await page.evaluate<number>(`document.querySelectorAll(".image").length`);
  assert(images >= 3, `${images} images`);
  for (let at = images; at > 0; at--) {
    await page.click(`.image:nth-child(${at})`);
    await reader.rest();
    await reader.check(`image ${at}`);
    assertEquals(await page.evaluate(`document.querySelectorAll("#pictures .error").length`), 0);
  }
}

async function lookAtNumbers({ page }: Reader, recording: OpenRecording, event: number): Promise<void> {
  const { bytes } = (await recording.contents(event)).find(({ piece }) => piece.name === attachment(recording, event))!;
  const view = new DataView(bytes.buffer, bytes.byteOffset), x = 40, y = 20, at = 8 * (y * WIDTH + x);
  await page.evaluate(`(() => {
    const { left, top, width } = ${CANVAS}.getBoundingClientRect(), zoom = width / ${WIDTH};
    const place = { bubbles: true, clientX: left + (${x} + 0.5) * zoom, clientY: top + (${y} + 0.5) * zoom };
    ${CANVAS}.dispatchEvent(new PointerEvent("pointermove", place));
    ${CANVAS}.dispatchEvent(new MouseEvent("click", place));
  })()`);
  const cells = await page.evaluate<string[]>(
    `[...document.querySelectorAll(".readout tr:nth-child(2) td")].map((each) => each.innerText)`,
  );
  const numbers = [0, 2, 4, 6].map((offset) => view.getFloat16(at + offset, true));
  assertEquals(cells.slice(1, 5).map(Number), numbers.map((each) => Number(each.toPrecision(6))));
  assertEquals(cells[5], bytes.subarray(at, at + 8).toHex());
}

async function lookAtHistory(reader: Reader, planted: number): Promise<void> {
  const { page } = reader;
  await reader.panel("history");
  await page.until(`document.querySelectorAll("#history tr[data-event]").length > 0`, text("#history"), PATIENCE);
  await reader.check("history");
  const steps = await page.evaluate<[string, boolean][]>(
    `[...document.querySelectorAll("#history tr[data-event]")].map((each) => [each.dataset.event, each.classList.contains("parted")])`,
  );
  const parted = steps.filter(([, isParted]) => isParted);
  assert(steps.some(([id]) => Number(id) === planted), String(steps));
  assert(parted.every(([id]) => Number(id) === planted), "the drivers part at no other step");
}

async function lookAtState(reader: Reader): Promise<void> {
  const { page } = reader;
  await reader.panel("state");
  await page.evaluate(`document.querySelectorAll("#state details").forEach((each) => each.open = true)`);
  await reader.check("state");
  const state = await page.evaluate<string>(`document.querySelector("#state").textContent`);
  for (
    const part of [
      "Shaders",
      "Descriptors",
      "Vertex input",
      "Attachments",
      "Push constants",
      "Pass",
      "Pipeline",
      "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST",
      "OpEntryPoint",
    ]
  ) {
    assertStringIncludes(state, part);
  }
  await page.click("#state .card .link");
  await page.until(`document.querySelector("#state").hidden`);
  await reader.rest();
}

async function lookAtBuffers(reader: Reader): Promise<void> {
  const { page } = reader,
    cells = (row: number) =>
      `[...document.querySelectorAll(".table .rows .cells")].filter((each) => !each.hidden)[${row}]`;
  await reader.panel("buffers");
  await page.until(`${cells(1)} !== undefined`, text("#buffers"), PATIENCE);
  assertStringIncludes(await page.evaluate<string>(text("#buffers select")), "vertex buffer 0");
  assertStringIncludes(await page.evaluate<string>(text(".cells.head")), "A location0");
  await page.evaluate(
    `(() => { document.querySelector("#layout-text").value = "uint first; stride 8;"; document.querySelector(".layout").requestSubmit(); })()`,
  );
  assertEquals(
    await page.evaluate<string[]>(`[...document.querySelector(".cells.head").children].map((each) => each.innerText)`),
    ["row", "A first", "B first"],
  );
  await page.evaluate(
    `(() => { document.querySelector("#layout-text").value = "vec9 <b>"; document.querySelector(".layout").requestSubmit(); })()`,
  );
  assertStringIncludes(await page.evaluate<string>(text("#buffers .error")), "The layout cannot be used");
  await page.click(`.layout [type="button"]`);
  await reader.rest();
  await reader.press("true", "how");
  assert(/^[0-9a-f]{8} /.test(await page.evaluate<string>(`${cells(0)}.children[1].innerText`)));
  await reader.press("before", "when");
  await reader.press("false", "how");
  await reader.check("buffers");
}

async function lookAtEvents(reader: Reader, recording: OpenRecording, planted: number): Promise<void> {
  const { page } = reader, chosen = `new URLSearchParams(location.hash.slice(1)).get("event")`;
  await reader.back();
  const rows = `[...document.querySelectorAll(".row:not([hidden])")].map((each) => each.dataset.kind)`;
  await page.evaluate(`document.querySelector("#list").focus()`);
  await reader.key("p");
  const draws = recording.events.filter(({ kind }) => kind === "draw" || kind === "dispatch").map(({ id }) => `${id}`);
  const before = await page.evaluate<string>(chosen);
  assert(draws.includes(before) && Number(before) < planted, before);
  await reader.key("n");
  assertEquals(await page.evaluate(chosen), `${planted}`);
  await reader.key("ArrowDown");
  await reader.key("ArrowUp");
  assertEquals(await page.evaluate(chosen), `${planted}`);
  await reader.key("ArrowLeft");
  await reader.key("ArrowLeft");
  await page.until(`document.querySelector('.row[aria-selected="true"]').getAttribute("aria-expanded") === "false"`);
  await reader.key("ArrowRight");
  await reader.key("/");
  assertEquals(await page.evaluate("document.activeElement.id"), "search");
  await page.send("Input.insertText", { text: "DRAWindexed" });
  await page.until(`${rows}.includes("draw") && !${rows}.includes("dispatch") && !${rows}.includes("barrier")`);
  await page.evaluate(
    `(() => { const search = document.querySelector("#search"); search.value = "nothing is called so"; search.oninput({ target: search }); })()`,
  );
  await page.until(`!document.querySelector("#nothing").hidden`);
  await reader.key("Escape");
  await page.until(`document.querySelector("#nothing").hidden`);
  await page.click("#kinds summary");
  await page.click(`#kinds [value="host"]`);
  await page.until(`${text("#count")}.startsWith("${recording.events.length.toLocaleString("en")} of")`);
  await page.click(`#kinds [value="host"]`);
  await page.click("#count");
  await page.click("#fold");
  await page.until(`!${rows}.includes("draw")`);
  await page.click("#fold");
  await page.click("#difference");
  await page.until(`document.querySelector(".row.different") !== null`, text("body"), PATIENCE);
  assertEquals(await page.evaluate(chosen), `${planted}`);
  await reader.rest();
  await page.evaluate(`document.querySelector("#times").click()`);
  await page.until(`document.querySelector("#times").getAttribute("aria-pressed") === "true"`, text("body"), PATIENCE);
  await page.until(`[...document.querySelectorAll(".row .time")].some((each) => each.textContent.endsWith(" ms"))`);
  for (const [at, name] of PANELS.entries()) {
    await reader.key(`${at + 1}`);
    await page.until(`!document.querySelector("#${name}").hidden`);
  }
  await reader.rest();
  await reader.check("events");
}

Deno.test("the page in one file shows the same without a driver and without a network", BOTH, async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/demo.jsonl`, driver = lavapipePath()!;
    recordDemo(path, driver);
    await using recording = openRecording(path, { drivers: [{ driver }] });
    const { id: wanted } = recording.events.find(({ kind }) => kind === "dispatch")!;
    const sealed = await sealedAnswers(recording, { recording: path, drivers: [driver], events: [wanted] });
    assertEquals(sealed.missing, []);
    assert(sealed.events.includes(wanted) && sealed.events.length >= 3, String(sealed.events));
    Deno.writeTextFileSync(`${folder}/view.html`, await sealedPage(sealed));
    await using browser = await Browser.start();
    const event = sealed.events.at(-1)!, expected = await colours(recording, event, 0);
    for (const [width, dark] of VIEWS) {
      const reader = await Reader.open(
          browser,
          `file://${folder}/view.html#event=${event}&panel=pictures`,
          width,
          dark,
        ),
        { page } = reader;
      await page.until(`${CANVAS}.width === ${WIDTH}`, text("body"));
      assertEquals(await reader.colours(), expected);
      for (const panel of PANELS) {
        await page.evaluate(`document.querySelector("#tab-${panel}").click()`);
        await reader.rest();
        await reader.check(panel);
      }
      const other = recording.events.find(({ isAction, id }) => isAction && !sealed.events.includes(id))!;
      await page.evaluate(`document.querySelector("#tab-pictures").click()`);
      await reader.choose(other.id);
      assertStringIncludes(await page.evaluate<string>(text("#pictures")), "This page has no answer to that inside");
    }
  });
});

Deno.test(
  "a recording whose names are markup, with ten thousands of events, is text in few elements",
  needs("Chromium", chromiumPath()),
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/${MARKUP.replaceAll("/", "")}.jsonl`,
        gaps = Array.from({ length: 300 }, (_, at) => `${MARKUP} gap ${at}`);
      writeHostile(path, 12_000, gaps);
      await using recording = openRecording(path);
      const server = serveRecording(recording, { recording: path, drivers: [] });
      await using browser = await Browser.start();
      const reader = await Reader.open(browser, server.url, 1280, false), { page } = reader;
      await page.until(`${text("#count")}.includes("of 13,")`);
      assertStringIncludes(await page.evaluate<string>(text(".notice")), "The recorder did not see 300 things");
      for (const share of [0.25, 0.5, 1, 0]) {
        await page.evaluate(
          `(() => { const list = document.querySelector("#list"); list.scrollTop = list.scrollHeight * ${share}; })()`,
        );
        await page.until(`(() => {
        const { top, bottom } = document.querySelector("#list").getBoundingClientRect(), middle = (top + bottom) / 2;
        return [...document.querySelectorAll(".row:not([hidden])")].some((row) => row.getBoundingClientRect().top <= middle && row.getBoundingClientRect().bottom >= middle);
      })()`);
        assert(await page.evaluate<number>(`document.querySelectorAll(".row").length`) < 120);
      }
      await page.evaluate(
        `(() => { const search = document.querySelector("#search"); search.value = "vertexCount 11999"; search.oninput({ target: search }); })()`,
      );
      await page.until(`document.querySelectorAll('.row[data-kind="draw"]:not([hidden])').length === 1`);
      await page.evaluate(`document.querySelector('.row[data-kind="label"]:not([hidden])').click()`);
      await page.until(`${text("#event-name")}.includes("onerror")`);
      for (const panel of PANELS) {
        await page.click(`#tab-${panel}`);
        await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
        await reader.check(panel);
      }
      assertStringIncludes(await page.evaluate<string>(text("#parameters")), "<img src=x");
      assertStringIncludes(
        await page.evaluate<string>(`(document.querySelector("#tab-pictures").click(), ${text("#pictures")})`),
        "No driver replays this recording",
      );
      assertEquals(
        await page.evaluate(`document.querySelectorAll("#list img, #details img, .notice img, h1 img").length`),
        0,
      );

      Deno.writeTextFileSync(
        `${folder}/view.html`,
        await sealedPage(await sealedAnswers(recording, { recording: path, drivers: [] })),
      );
      const sealed = await Reader.open(browser, `file://${folder}/view.html`, 390, true);
      await sealed.page.until(`${text("#count")}.includes("of 13,")`);
      await sealed.check("one file");
      await server.close();
    });
  },
);

Deno.test(
  "a driver that cannot be loaded is told on the page, which still shows what needs none",
  needs("Chromium", chromiumPath()),
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/hostile.jsonl`, driver = `${folder}/no_driver.so`;
      writeHostile(path, 20);
      await using recording = openRecording(path, { drivers: [{ driver }] });
      const server = serveRecording(recording, { recording: path, drivers: [driver] });
      await using browser = await Browser.start();
      const { page } = await Reader.open(browser, server.url, 390, true);
      await page.until(`document.querySelector("#drivers [data-state=bad]") !== null`, text("body"), PATIENCE);
      assertStringIncludes(await page.evaluate<string>(text(".notice")), "The recording cannot be replayed: ");
      assertStringIncludes(await page.evaluate<string>(text(".notice")), "no_driver.so");
      await page.evaluate(`document.querySelector("#tab-parameters").click()`);
      await page.until(`document.querySelector("#parameters").textContent.includes("vertexCount")`);
      await server.close();
    });
  },
);
