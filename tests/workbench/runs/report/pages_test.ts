import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { checkPage } from "../../../../workbench/check/output/check_page.ts";
import { deqpPage } from "../../../../workbench/runs/report/deqp_page.ts";
import { testPage } from "../../../../workbench/runs/report/test_page.ts";
import { chromiumPath } from "../../../../tools/setup/parts.ts";
import { Browser, type Page } from "../../../support/browser.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { FACTS, ODD_NAME, sampleCases, sampleCheck, sampleRun } from "./sample.ts";

const NEEDS = needs("Chromium", chromiumPath());
const VIEWS = [[1280, false], [1280, true], [360, false], [360, true]] as const;

/** Keeps what a page complains about, before its own script runs. */
const WITNESS = `globalThis.complaints = [];
addEventListener("error", ({ message }) => complaints.push(message), true);
addEventListener("securitypolicyviolation", ({ blockedURI }) => complaints.push(blockedURI));
globalThis.alert = (text) => complaints.push("alert " + text);`;

/** The faults over which a person without a mouse or without sight would stumble, as the page itself finds them. */
const STUMBLES = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)], found = [...complaints];
  const levels = all("h1, h2, h3, h4").map((each) => Number(each.tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1) found.push("headings of the page");
  levels.forEach((level, at) => level > (levels[at - 1] ?? 0) + 1 && found.push("heading " + at + " leaves out a level"));
  if (all("main").length !== 1 || all("header").length !== 1) found.push("landmarks");
  for (const table of all("table")) {
    if (!table.caption || !table.tHead) found.push("a table without a caption or a head");
    if ([...table.querySelectorAll("th")].some((each) => !each.scope)) found.push("a head of nothing");
    if ([...table.tBodies].some((body) => [...body.rows].some((row) => !row.querySelector("th")))) found.push("a row without head");
  }
  for (const each of all("input, select")) if (!each.labels?.length && !each.ariaLabel) found.push("no label " + each.outerHTML);
  for (const each of all("img")) if (!each.alt || !each.naturalWidth) found.push("a picture without words or pixels");
  for (const each of all("[aria-labelledby]")) if (!document.getElementById(each.getAttribute("aria-labelledby"))) found.push("label");
  for (const each of all("a[href^='#']")) if (!document.querySelector(each.getAttribute("href"))) found.push("link " + each.href);
  const ids = all("[id]").map(({ id }) => id);
  if (new Set(ids).size < ids.length) found.push("two ids are equal");
  if (document.documentElement.scrollWidth > innerWidth) found.push("wider than the window");
  for (const each of all(".wide, .view")) if (each.tabIndex !== 0) found.push("scrolls without a keyboard");
  return found;
})()`;

/** Opens a page in all widths and themes. */
async function inAllViews(html: string, look: (page: Page, width: number) => Promise<void>): Promise<void> {
  await withFolderAsync(async (folder) => {
    Deno.writeTextFileSync(`${folder}/index.html`, html);
    await using browser = await Browser.start();
    for (const [width, dark] of VIEWS) {
      const page = await browser.open("about:blank", { width, height: 900, dark });
      await page.send("Page.addScriptToEvaluateOnNewDocument", { source: WITNESS });
      await page.navigate(`file://${folder}/index.html`);
      assertEquals(await page.evaluate<string[]>(STUMBLES), [], `${width}, ${dark ? "dark" : "light"}`);
      await look(page, width);
    }
  });
}

/** Types into the search field and returns the texts of what is still shown. */
async function search(page: Page, text: string, selector: string): Promise<string[]> {
  await page.evaluate(
    `{ const field = document.querySelector("input[type=search]"); field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event("input", { bubbles: true })); }`,
  );
  return await page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((each) => each.checkVisibility()).map((each) => each.innerText.trim())`);
}

Deno.test(
  "testPage() shows a run in a browser, wide and narrow, light and dark, by keyboard and to a screen reader",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      const html = testPage(sampleRun(folder), FACTS);
      for (
        const words of ["in vkWaitForFences", "deno run &lt;repro&gt;", "pumice test &#39;&lt;a&gt;&#39;", "200 %"]
      ) {
        assertStringIncludes(html, words);
      }
      assert(!html.includes("<script>alert"), "texts are texts");
      await inAllViews(html, async (page, width) => {
        assertEquals(
          await page.evaluate("document.querySelector('h1').innerText"),
          "failed 3 of 5 results not as expected",
        );
        const rows = "#matrix ~ .wide tr[data-text] > th";
        assertEquals(await search(page, "", rows), [ODD_NAME, "waits", "the file"]);
        assertEquals(await search(page, "WAITS", rows), ["waits"]);
        assertEquals(await page.evaluate("document.querySelector('.filters output').value"), "1 of 3 tests");
        await search(page, "", rows);
        await page.evaluate("document.querySelector('td a').click()");
        assertEquals(await page.evaluate("document.querySelector(':target h3').innerText.split(' ')[0]"), "failed");
        const second = `document.querySelectorAll(".stack img")[1]`, shown = `${second}.getBoundingClientRect().width`;
        const before = await page.evaluate<number>(shown);
        assert(before > 100 && before <= width, `${before} pixels of ${width}`);
        await page.evaluate(`${second}.closest(".view").focus()`);
        await page.send("Input.dispatchKeyEvent", { type: "keyDown", key: "+" });
        assertEquals(await page.evaluate<number>(shown), 2 * before);
        const clip = `getComputedStyle(${second}).clipPath`, half = await page.evaluate<string>(clip);
        await page.evaluate("document.querySelector('input[type=range]').focus()");
        await page.send("Input.dispatchKeyEvent", { type: "keyDown", key: "Home", windowsVirtualKeyCode: 36 });
        assert(await page.evaluate<string>(clip) !== half, "the slider moves");
      });
    }),
);

Deno.test("deqpPage() folds groups, and opens those with what was not expected", NEEDS, async () => {
  await inAllViews(deqpPage(sampleCases(), FACTS), async (page) => {
    const open = "[...document.querySelectorAll('details[open] > summary')].map((each) => each.firstChild.data.trim())";
    assertEquals(await page.evaluate<string[]>(open), ["dEQP-VK", "api.smoke"]);
    assertEquals(await search(page, "", "li strong"), ["<fail>"]);
    assertEquals(await search(page, "known", "li strong"), ["known"]);
    assertEquals(
      await page.evaluate("document.querySelector('.filters output').value"),
      "1 of 2 cases that did not just pass",
    );
  });
});

Deno.test("checkPage() has what fails first, what to change, and links to the sources", NEEDS, async () => {
  await inAllViews(checkPage(sampleCheck()), async (page) => {
    const article = await page.evaluate<string>("document.querySelector('article').innerText.replace(/\\s+/g, ' ')");
    assertStringIncludes(article, "VK3 A driver has <VK3>. Vulkan found <none> change add <it>");
    const links = "[...document.querySelectorAll('article a')].map((each) => each.href)";
    assertEquals(await page.evaluate<string[]>(links), [
      "https://source.android.com/docs/compatibility/cdd",
      "https://cs.android.com/search?q=VulkanFeaturesTest%20testAll",
    ]);
    assertEquals(await search(page, "vk2", "tbody th"), ["VK2"]);
    assertEquals((await search(page, "", "tbody th")).join(), "VK3,VK2,VK1");
  });
});
