import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { compareDrivers, findingPage } from "../../../../../workbench/recordings/mod.ts";
import { chromiumPath, lavapipePath } from "../../../../../tools/setup/parts.ts";
import { recordDemo } from "../../replay/recorded.ts";
import { Browser } from "../../../../support/browser.ts";
import { needs } from "../../../../support/require.ts";
import { withFolderAsync } from "../../../../support/temporary.ts";

const LAYER = new URL("../programs/planted_layer.ts", import.meta.url).pathname;
const VIEWS = [[1280, false], [1280, true], [390, false], [390, true]] as const;

/** Keeps what the page complains about, before its own script runs. */
const WITNESS = `globalThis.complaints = [];
addEventListener("error", ({ message }) => complaints.push(message), true);
addEventListener("securitypolicyviolation", ({ blockedURI }) => complaints.push(blockedURI));
console.error = console.warn = (...all) => complaints.push(all.join(" "));`;

Deno.test(
  "findingPage() shows a difference in a browser, wide and narrow, light and dark",
  needs("Mesa lavapipe and Chromium", lavapipePath() && chromiumPath()),
  async () => {
    await withFolderAsync(async (folder) => {
      const driver = lavapipePath()!, recording = `${folder}/demo.jsonl`;
      recordDemo(recording, driver);
      Deno.env.set("PLANT", JSON.stringify({ command: "vkCmdDrawIndexed", nth: 2, change: "drop" }));
      const comparison = await compareDrivers(recording, [{ driver }, { driver, layers: [LAYER] }]);
      const html = findingPage(comparison, { recording: "<demo>.jsonl" });
      assertStringIncludes(html, "vkCmdDrawIndexed(");
      assertStringIncludes(html, "pumice compare &lt;demo&gt;.jsonl");
      assertStringIncludes(html, `alt="before the command"`);
      for (const role of ["set 0 binding 0", "vertex buffer 0", "index buffer"]) {
        assertStringIncludes(partOf(html, role), "<table><tr><th>", role);
      }
      for (const role of ["set 0 binding 1", "attachment 0"]) assertStringIncludes(partOf(html, role), "<img", role);
      Deno.writeTextFileSync(`${folder}/finding.html`, html);
      await using browser = await Browser.start();
      for (const [width, dark] of VIEWS) {
        const page = await browser.open("about:blank", { width, height: 900, dark });
        await page.send("Page.addScriptToEvaluateOnNewDocument", { source: WITNESS });
        await page.navigate(`file://${folder}/finding.html`);
        const sizes = await page.evaluate<number[]>("[...document.images].map((each) => each.naturalWidth)");
        assert(sizes.length >= 3 && sizes.every((size) => size > 0), String(sizes));
        const second = `document.querySelectorAll(".stack img")[1]`, clip = `getComputedStyle(${second}).clipPath`;
        const before = await page.evaluate<string>(clip);
        await page.click("input");
        await page.send("Input.dispatchKeyEvent", { type: "keyDown", key: "Home", windowsVirtualKeyCode: 36 });
        assert(await page.evaluate(clip) !== before);
        const shownWidth = () => page.evaluate<number>(`${second}.getBoundingClientRect().width`);
        const shown = await shownWidth();
        await page.click(".in");
        assertAlmostEquals(await shownWidth(), 2 * shown, 0.5);
        await page.click(".out");
        await page.evaluate(`${second}.closest(".view").focus()`);
        for (const [key, wanted] of [["+", 2 * shown], ["-", shown], ["-", shown / 2], ["+", shown]] as const) {
          await page.send("Input.dispatchKeyEvent", { type: "keyDown", key });
          assertAlmostEquals(await shownWidth(), wanted, 0.5, key);
        }
        await page.evaluate(`${second}.dispatchEvent(new PointerEvent("pointermove", {
          bubbles: true, clientX: ${second}.getBoundingClientRect().right - 0.5 * ${second}.width / ${second}.naturalWidth,
          clientY: ${second}.getBoundingClientRect().top + 1 }))`);
        const pixel = await page.evaluate<string>(`document.querySelector("output").value`);
        assertEquals(pixel, `${await page.evaluate<number>(`${second}.naturalWidth`) - 1}, 0`);
        await page.evaluate(`document.querySelectorAll("details").forEach((each) => each.open = true)`);
        assert(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "wider than the window");
        const loaded = `performance.getEntriesByType("resource").filter(({ name }) => !name.startsWith("data:"))`;
        assertEquals(await page.evaluate(`${loaded}.map(({ name }) => name)`), []);
        assertEquals(await page.evaluate("complaints"), []);
      }
    });
  },
);

/** The part of a page about one of the bound buffers and images. */
function partOf(html: string, role: string): string {
  return html.split('<div class="hand">').find((each) => each.startsWith(`<h3>${role} `)) ?? "";
}
