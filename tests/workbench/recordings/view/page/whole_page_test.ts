import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { chromiumPath, lavapipePath } from "../../../../../tools/setup/parts.ts";
import { openRecording } from "../../../../../workbench/recordings/view/open_recording.ts";
import type { OpenRecording } from "../../../../../workbench/recordings/view/types.ts";
import { sealedAnswers } from "../../../../../workbench/recordings/view/server/sealed_answers.ts";
import { sealedPage } from "../../../../../workbench/recordings/view/server/sealed_page.ts";
import { serveRecording } from "../../../../../workbench/recordings/view/server/view_server.ts";
import { Browser } from "../../../../support/browser.ts";
import { needs } from "../../../../support/require.ts";
import { withFolderAsync } from "../../../../support/temporary.ts";
import { recordDemo } from "../../replay/recorded.ts";
import { MARKUP, writeHostile } from "../server/hostile.ts";
import { CANVAS, colours, PANELS, PATIENCE, Reader, text, VIEWS, WIDTH } from "./reader.ts";

const BOTH = needs("Mesa lavapipe and Chromium", lavapipePath() && chromiumPath());

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
    const fragments = await fragmentsOf(recording, event);
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
      assertEquals(
        await page.evaluate(`getComputedStyle(document.querySelector("#details")).display !== "none"`),
        true,
      );
      for (const panel of PANELS) {
        await page.evaluate(`document.querySelector("#tab-${panel}").click()`);
        await reader.rest();
        await reader.check(panel);
      }
      await page.evaluate(`document.querySelector("#tab-pictures").click()`);
      await page.evaluate(`document.querySelector("#pictures [data-value=overdraw]").click()`);
      await page.until(`${text("#pictures .caption")}.includes("${fragments}")`, text("#pictures"));
      await reader.check("overdraw");
      await page.evaluate(`document.querySelector("#pictures [data-value=one]").click()`);
      const other = recording.events.find(({ isAction, id }) => isAction && !sealed.events.includes(id))!;
      await page.evaluate(`document.querySelector("#tab-pictures").click()`);
      await reader.choose(other.id);
      assertStringIncludes(await page.evaluate<string>(text("#pictures")), "This page has no answer to that inside");
      await reader.back();
      await page.until(`${IS_SEEN}(document.querySelector("#event-${other.id}"), document.querySelector("#list"))`);
    }
  });
});

/** Whether all of an element is inside of another one. */
const IS_SEEN = `((element, place) => {
  const inner = element?.getBoundingClientRect(), outer = place.getBoundingClientRect();
  return inner !== undefined && inner.top >= outer.top && inner.bottom <= outer.bottom;
})`;

/** The words of the page about the fragments that all draws of the pass gave. */
async function fragmentsOf(recording: OpenRecording, event: number): Promise<string> {
  const { counts, draws } = await recording.overdraw(event), sum = counts.reduce((all, each) => all + each, 0);
  assert(sum > 0 && draws > 0);
  return `${sum.toLocaleString("en")} fragments of ${draws} draw`;
}

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
      await page.until(`${text("#count")}.includes("of 13,")`, text("body"), PATIENCE);
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
      await page.until(
        `document.querySelectorAll('.row[data-kind="draw"]:not([hidden])').length === 1`,
        text("body"),
        PATIENCE,
      );
      await page.evaluate(`document.querySelector('.row[data-kind="label"]:not([hidden])').click()`);
      await page.until(`${text("#event-name")}.includes("onerror")`, text("body"), PATIENCE);
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

      const few = `${folder}/few.jsonl`;
      writeHostile(few, 200, gaps);
      await using short = openRecording(few);
      Deno.writeTextFileSync(
        `${folder}/view.html`,
        await sealedPage(await sealedAnswers(short, { recording: few, drivers: [] })),
      );
      const sealed = await Reader.open(browser, `file://${folder}/view.html`, 390, true);
      await sealed.page.until(`${text("#count")}.includes("of 2")`, text("body"), PATIENCE);
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
      await page.until(
        `document.querySelector("#parameters").textContent.includes("vertexCount")`,
        text("body"),
        PATIENCE,
      );
      await server.close();
    });
  },
);
