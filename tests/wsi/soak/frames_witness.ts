import { callbackConsumer, droppingConsumer, type FrameView } from "../../../mod.ts";
import { numberOf, Order, packed, type Sight, type Witness } from "./witness.ts";

/** The number of frames for which a slow witness holds one. */
const HELD_FOR = 3;

/**
 * Sees each frame in a callback, and keeps the pixels of one in `every`. A
 * slow one holds each for some frames more, so that a mailbox must drop.
 */
export function framesWitness(every: number, isSlow: boolean): Witness {
  const order = new Order(), sights: Sight[] = [];
  let letGo: (() => void) | undefined, age = 0;
  const see = (view: FrameView) => {
    const number = numberOf(view), isDue = order.count % every === 0;
    order.add(number);
    if (isDue) sights.push({ number, pixels: packed(view), kind: "raw" });
    if (!isSlow) return;
    age = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    letGo = resolve;
    return promise;
  };
  const look = async () => {
    if (++age === HELD_FOR) {
      letGo?.();
      await new Promise((resolve) => setTimeout(resolve));
    }
    return sights.splice(0);
  };
  return {
    consumer: callbackConsumer(see),
    get shown() {
      return order.count;
    },
    get disorder() {
      return order.disorder;
    },
    look: isSlow ? look : () => sights.splice(0),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Lets each frame go unseen. */
export function droppingWitness(): Witness {
  const consumer = droppingConsumer();
  return {
    consumer,
    get shown() {
      return consumer.dropped;
    },
    disorder: 0,
    look: () => [],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
