import { numberIn } from "../../../examples/spin/number.ts";
import { x11Window } from "../../../mod.ts";
import { startXServer } from "../../support/x_server.ts";
import { XClient } from "../consumer/x11/x_client.ts";
import { Order, type Sight, type Witness } from "./witness.ts";

/** Shows frames in a window of an X server that is there for it alone, and takes pictures of the screen. */
export async function x11Witness(width: number, height: number): Promise<Witness> {
  const owned = new AsyncDisposableStack(), order = new Order();
  const { display } = owned.use(await startXServer());
  const client = owned.use(new XClient(display)),
    consumer = owned.use(x11Window({ displayName: display, width, height }));
  const look = (): Sight => {
    consumer.sync();
    const pixels = new Uint8Array(4 * width * height);
    client.pixels(consumer.id, 0, 0, width, height).forEach((rgb, index) => {
      pixels.set([rgb >> 16, rgb >> 8 & 255, rgb & 255], 4 * index);
    });
    order.add(numberIn(pixels));
    return { number: numberIn(pixels), pixels, kind: "rgb" };
  };
  return {
    consumer,
    get shown() {
      return consumer.frames;
    },
    get disorder() {
      return order.disorder;
    },
    get copies() {
      return consumer.copies;
    },
    settle: () => consumer.sync(),
    look: (_number, isDue) => isDue ? [look()] : [],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
