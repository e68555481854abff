/**
 * Runs the spinning island for many frames and prints what came of it, a JSON
 * object a line.
 *
 * `deno run -A tests/wsi/soak/soak.ts [--driver PATH] [--mode NAME|all]
 * [--consumer frames|png|drop|x11|web] [--frames N] [--every K]
 * [--size WxH] [--format VkFormat] [--validation]`; `deno task setup` installs
 * the parts.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { isModeName } from "../../../examples/spin/modes.ts";
import type { VkFormat } from "../../../loader/vk.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { MODE_NAMES, runSoak } from "./run_soak.ts";
import { isWitnessName, openWitness, WITNESS_NAMES } from "./witnesses.ts";

const { values } = parseArgs({
  options: {
    driver: { type: "string", default: lavapipePath() },
    mode: { type: "string", default: "all" },
    consumer: { type: "string", default: "frames" },
    frames: { type: "string", default: "10000" },
    every: { type: "string", default: "100" },
    size: { type: "string", default: "320x180" },
    format: { type: "string" },
    validation: { type: "boolean", default: false },
  },
});
const { driver, mode, consumer, validation } = values;
const [width, height] = values.size.split("x").map(Number), frames = Number(values.frames);
const every = Number(values.every), format = values.format ? Number(values.format) as VkFormat : undefined;
if (driver === undefined) throw new Error("Cannot run: Mesa lavapipe was not found; give --driver");
if (mode !== "all" && !isModeName(mode)) throw new Error(`--mode is "${mode}"; give all or ${MODE_NAMES.join(", ")}`);
if (!isWitnessName(consumer)) throw new Error(`--consumer is "${consumer}"; give ${WITNESS_NAMES.join(", ")}`);

for (const each of mode === "all" ? MODE_NAMES : [mode]) {
  await using witness = await openWitness(consumer, { every, width, height, mode: each });
  const report = await runSoak({
    ...{ driver, mode: each, frames, every, witness, size: { width, height }, format, validation },
  });
  console.log(JSON.stringify({ consumer, ...report }));
}
