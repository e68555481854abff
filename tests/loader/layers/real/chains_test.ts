import { assert, assertEquals } from "@std/assert";
import { count } from "../../../support/counts.ts";
import { withFolder } from "../../../support/temporary.ts";
import { assertCounted, DEMO, type Own } from "./counted.ts";
import { DRIVERS, LAYERS, reported, runLayered } from "./layers.ts";
import type { Counts } from "./programs/counter.ts";

/** The calls that RenderDoc's layer makes for itself as soon as there is a device; the others wait for a present. */
const RENDERDOC_OWN: Own = { vkCreateImage: 1, vkMapMemory: 1, vkQueueSubmit: 1 };
const RENDERDOC = LAYERS.RenderDoc.layer;

/** The program's report about one chain. */
interface Report {
  readonly same: boolean;
  readonly counts: Record<string, Counts>;
}

/** Draws through each chain; the pixels must be those drawn without layers, and TypeScript's must have seen every call. */
function draw(driver: string, chains: readonly string[]): void {
  const reports = withFolder((folder) => reported<Report[]>(runLayered("chains", [driver, ...chains], folder)));
  assertEquals(reports.length, chains.length);
  for (const [index, { same, counts }] of reports.entries()) {
    const chain = chains[index], renderdoc = chain.split(" ").indexOf(RENDERDOC);
    assert(same, `other pixels: ${chain}`);
    for (const [name, counted] of Object.entries(counts)) {
      const isBelow = renderdoc >= 0 && chain.split(" ").indexOf(name) > renderdoc;
      assertCounted(counted, DEMO, isBelow ? RENDERDOC_OWN : {}, `${name} of ${chain}`);
    }
  }
}

/** The number of places in which each native layer stands, amid others first. The other three have found no fault so far. */
const PLACES = count(1, 2, 4);
/** The number of orders of all layers, the reverse one first. The other seven have found no fault so far. */
const ORDERS = count(1, 3, Infinity);

for (const [name, { layer, ignore }] of Object.entries(LAYERS)) {
  Deno.test(`${name} leaves the demo's pixels alone, TypeScript layers above and below it`, {
    ignore: ignore || DRIVERS.lavapipe.ignore,
  }, () => {
    const chains = [`above ${layer} below`, layer, `above ${layer}`, `${layer} below`];
    draw(DRIVERS.lavapipe.driver, chains.slice(0, PLACES));
  });
}

Deno.test("each native layer leaves the demo's pixels alone on SwiftShader, too", {
  ignore: DRIVERS.SwiftShader.ignore || Object.values(LAYERS).some(({ ignore }) => ignore),
}, () => {
  const others = Object.values(LAYERS).filter((each) => each !== LAYERS.vkBasalt); // see refusals_test.ts
  draw(DRIVERS.SwiftShader.driver, others.map(({ layer }) => `above ${layer} below`));
});

Deno.test("all the native layers share a chain in any order, a TypeScript layer above and below each", {
  ignore: DRIVERS.lavapipe.ignore || Object.values(LAYERS).some(({ ignore }) => ignore),
}, () => {
  const layers = Object.values(LAYERS).map(({ layer }) => layer);
  const orders = layers.map((_, index) => [...layers.slice(index), ...layers.slice(0, index)]);
  const chains = [layers.toReversed(), ...orders].slice(0, ORDERS).map((order) =>
    ["top", ...order.flatMap((layer, index) => [layer, `below_${index}`])].join(" ")
  );
  draw(DRIVERS.lavapipe.driver, chains);
});
