import { assertEquals, assertRejects } from "@std/assert";
import { decode } from "fast-png";
import { chromiumPath } from "../../tools/setup/parts.ts";
import { Browser } from "./browser.ts";
import { needs } from "./require.ts";

Deno.test("Browser opens a page, evaluates, clicks and takes pictures", needs("Chromium", chromiumPath()), async () => {
  await using browser = await Browser.start();
  const body = `<body style="margin:0;background:%23336699"><button onclick="this.textContent='b'">a</button>`;
  const page = await browser.open(`data:text/html,${body}`, { width: 200, height: 100 });
  assertEquals(await page.evaluate("Promise.resolve(6 * 7)"), 42);
  await page.click("button");
  await page.until("document.querySelector('button').textContent === 'b'");
  const { width, height, data } = decode(await page.screenshot());
  assertEquals([width, height, ...data.slice(-3)], [200, 100, 0x33, 0x66, 0x99]);
  await assertRejects(() => page.evaluate("nothing.at.all"), Error, "nothing is not defined");
});
