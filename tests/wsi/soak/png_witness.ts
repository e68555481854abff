import { decode } from "fast-png";
import { numberIn } from "../../../examples/spin/number.ts";
import { pngConsumer } from "../../../mod.ts";
import { Order, type Sight, type Witness } from "./witness.ts";

/** Has one frame in `every` written as a file, and reads it again. */
export function pngWitness(every: number): Witness {
  const folder = Deno.makeTempDirSync(), order = new Order(), paths: string[] = [];
  const pattern = (number: number) => {
    const path = `${folder}/frame-${number}.png`;
    paths.push(path);
    return path;
  };
  const read = (path: string): Sight => {
    const pixels = new Uint8Array(decode(Deno.readFileSync(path)).data);
    Deno.removeSync(path);
    order.add(numberIn(pixels));
    return { number: numberIn(pixels), pixels, kind: "rgba" };
  };
  const consumer = pngConsumer({ pattern, every });
  return {
    consumer,
    get shown() {
      return consumer.shown;
    },
    get disorder() {
      return order.disorder;
    },
    look: () => paths.splice(0).map(read),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
