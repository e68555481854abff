import type { ModeName } from "../../../examples/spin/modes.ts";
import { numberIn } from "../../../examples/spin/number.ts";
import { webViewer } from "../../../mod.ts";
import { Browser } from "../../support/browser.ts";
import { Order, type Sight, type Witness } from "./witness.ts";

const CANVAS = `document.querySelector(".frame")`;
const PIXELS =
  `(({ width, height }, context) => new Uint8Array(context.getImageData(0, 0, width, height).data.buffer).toBase64?.() ??
    btoa(Array.from(context.getImageData(0, 0, width, height).data, (byte) => String.fromCharCode(byte)).join("")))(
    ${CANVAS}, ${CANVAS}.getContext("2d"))`;

/** The most looks at a page for a frame that it must show soon. */
const ATTEMPTS = 2000;

/** Shows frames on a page in a real browser, and reads its canvas. */
export async function webWitness(mode: ModeName): Promise<Witness> {
  const owned = new AsyncDisposableStack(), order = new Order();
  const browser = owned.use(await Browser.start()), viewer = owned.use(webViewer());
  viewer.window({ name: "main" });
  const page = await browser.open(viewer.url);
  const read = async () => Uint8Array.fromBase64(await page.evaluate<string>(PIXELS));
  const number = `Number(document.querySelector(".number")?.textContent)`;
  /** By the page's number, which counts from 1; it stays where one frame is shown again and again: there by the pixels'. */
  const look = async (wanted: number): Promise<Sight> => {
    await page.until(mode === "shared-continuous" ? `${number} > 0` : `${number} === ${wanted + 1}`);
    let pixels = await read();
    for (let attempt = 0; numberIn(pixels) < wanted && attempt < ATTEMPTS; attempt++) pixels = await read();
    order.add(numberIn(pixels));
    return { number: numberIn(pixels), pixels, kind: "rgba" };
  };
  return {
    consumer: viewer,
    get shown() {
      return viewer.statistics().sent;
    },
    get disorder() {
      return order.disorder;
    },
    get copies() {
      return viewer.statistics().copies;
    },
    look: async (number, isDue) => {
      if (isDue) return [await look(number)];
      await new Promise((resolve) => setTimeout(resolve));
      return [];
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
