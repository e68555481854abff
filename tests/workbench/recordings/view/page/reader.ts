/**
 * The page of a recording in a browser, with words for the acts of a reader.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { OpenRecording, SideNumber } from "../../../../../workbench/recordings/view/types.ts";
import type { Browser, Page } from "../../../../support/browser.ts";
import { SIZE } from "../../replay/recorded.ts";

/** The demo draws twice as large, and makes the picture smaller afterwards. */
export const WIDTH = 2 * SIZE.width;
export const VIEWS = [[1280, false], [1280, true], [390, false], [390, true]] as const;
/** The seconds that a busy machine may take for a replay. */
export const PATIENCE = 120;

/** Keeps what the page complains about, before its own script runs. */
const WITNESS = `globalThis.complaints = [];
addEventListener("error", ({ message }) => complaints.push(message), true);
addEventListener("unhandledrejection", ({ reason }) => complaints.push(String(reason)));
addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => complaints.push(violatedDirective + blockedURI));
console.error = console.warn = (...all) => complaints.push(all.join(" "));`;

export const PANELS = ["pictures", "state", "buffers", "mesh", "history", "parameters"];
export const text = (selector: string) => `document.querySelector(${JSON.stringify(selector)}).innerText`;
export const CANVAS = `document.querySelector(".stack canvas")`;

/** A page of a recording, with words for what a reader does. */
export class Reader {
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
    await this.back();
    const isFound = await this.page.evaluate<boolean>(`(async () => {
      const list = document.querySelector("#list"), drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      list.focus();
      for (list.scrollTop = 0;; list.scrollTop += 200) {
        await drawn();
        if (document.querySelector("#event-${id}")) return true;
        if (list.scrollTop + list.clientHeight >= list.scrollHeight) return false;
      }
    })()`);
    assertEquals(isFound, true, `the row of event ${id}`);
    await this.page.click(`#event-${id} .title`);
    await this.page.until(`${text("#event-path")}.includes("event ${id}")`, text("body"), PATIENCE);
    await this.rest();
  }

  async back(): Promise<void> {
    if (await this.page.evaluate(`getComputedStyle(document.querySelector("#back")).display !== "none"`)) {
      await this.page.click("#back");
    }
  }

  async panel(name: string): Promise<void> {
    await this.page.click(`#tab-${name}`);
    await this.page.until(`!document.querySelector("#${name}").hidden`, text("body"), PATIENCE);
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
export async function colours(
  recording: OpenRecording,
  event: number,
  side: SideNumber,
  before = false,
): Promise<number[]> {
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
export function attachment(recording: OpenRecording, event: number): string {
  const { name } = recording.state(event).resources.find(({ role }) => role === "attachment 0")!;
  return `${name} level 0 color`;
}
