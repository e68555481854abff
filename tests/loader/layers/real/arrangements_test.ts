import { assertEquals } from "@std/assert";
import { withFolder } from "../../../support/temporary.ts";
import { DRIVERS, LAYERS, reported, runLayered } from "./layers.ts";
import type { Counts } from "./programs/counter.ts";

/** What drawing the demo once takes. */
const DEMO: Counts = {
  vkCreateImage: 5,
  vkMapMemory: 5,
  vkCmdDraw: 1,
  vkCmdDrawIndexed: 3,
  vkCmdDispatch: 3,
  vkQueueSubmit: 2,
};
const SIZE = ["160", "90"];

/** What a program says of one chain. */
interface Report {
  readonly same: boolean;
  readonly counts: Record<string, Counts>;
}

for (const [name, { layer, ignore }] of Object.entries(LAYERS)) {
  for (const [driverName, { driver, ignore: noDriver }] of Object.entries(DRIVERS)) {
    if (name === "vkBasalt" && driverName === "SwiftShader") continue; // see refusals_test.ts
    Deno.test(`${name} leaves the demo's pixels alone on ${driverName}, and the layers around it see every call`, {
      ignore: ignore || noDriver,
    }, () => {
      withFolder((folder) => {
        const args = [driver, layer, ...SIZE];
        const reports: Record<string, Report> = reported(runLayered("arrangements", args, folder));
        for (const [arrangement, { same, counts }] of Object.entries(reports)) {
          assertEquals(same, true, `other pixels: ${arrangement}`);
          for (const [place, counted] of Object.entries(counts)) {
            assertEquals(counted, DEMO, `${arrangement}: ${place}`);
          }
        }
        assertEquals(Object.keys(reports), ["native", "above native"]);
      });
    });
  }
}
