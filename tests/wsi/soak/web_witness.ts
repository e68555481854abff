import { numberIn } from "../../../examples/spin/number.ts";
import { webViewer } from "../../../mod.ts";
import { Browser } from "../../support/browser.ts";
import { Order, type Sight, type Witness } from "./witness.ts";

const CANVAS = `document.querySelector(".frame")`;
const PIXELS =
  `(({ width, height }, context) => new Uint8Array(context.getImageData(0, 0, width, height).data.buffer).toBase64?.() ??
    btoa(Array.from(context.getImageData(0, 0, width, height).data, (byte) => String.fromCharCode(byte)).join("")))(
    ${CANVAS}, ${CANVAS}.getContext("2d"))`;

/** Shows frames on a page in a real browser, and reads its canvas. */
export async function webWitness(): Promise<Witness> {
  const owned = new AsyncDisposableStack(), order = new Order();
  const browser = owned.use(await Browser.start()), viewer = owned.use(webViewer());
  viewer.window({ name: "main" });
  const page = await browser.open(viewer.url);
  /** The queue counts its frames from 1, the scene from 0. */
  const look = async (number: number): Promise<Sight> => {
    await page.until(`document.querySelector(".number")?.textContent === "${number + 1}"`);
    const pixels = Uint8Array.fromBase64(await page.evaluate<string>(PIXELS));
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
