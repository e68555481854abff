/**
 * Measures Pumice beside the same work in C, in turn, in the same process:
 * medians of nine rounds. `--json` prints one object with the figures' names as
 * keys; the table says what each means. Without the names of groups, such as
 * `layers`, it measures all.
 *
 * @module
 */
import { OptionError, readOptions, runTask } from "../tools/task.ts";
import { type Figure, figureTable } from "./figure.ts";
import { callFigures } from "./figures/call.ts";
import { compareFigures } from "./figures/compare.ts";
import { composeFigures } from "./figures/compose.ts";
import { elsewhereFigures } from "./figures/elsewhere.ts";
import { frontDoorFigures } from "./figures/front_door.ts";
import { frameFigures } from "./figures/frame.ts";
import { kmsFigures } from "./figures/kms.ts";
import { layerFigures } from "./figures/layers.ts";
import { getProcAddrFigures } from "./figures/get_proc_addr.ts";
import { presentFigures } from "./figures/present.ts";
import { glFigures } from "./figures/gl.ts";
import { planeFigures } from "./figures/planes.ts";
import { queueFigures } from "./figures/queue.ts";
import { recordingFigures } from "./figures/recordings.ts";
import { remoteFigures } from "./figures/remote.ts";
import { startupFigures } from "./figures/startup.ts";
import { structFigures } from "./figures/structs.ts";
import { tableFigures } from "./figures/table.ts";
import { openParts, type Parts } from "./parts.ts";

const GROUPS: readonly [string, (parts: Parts) => Figure[] | Promise<Figure[]>][] = [
  ["calls", callFigures],
  ["layers", layerFigures],
  ["recording", frameFigures],
  ["dispatch tables", tableFigures],
  ["names", getProcAddrFigures],
  ["structs", structFigures],
  ["frames", presentFigures],
  ["start-up", startupFigures],
  ["front door", frontDoorFigures],
  ["OpenGL ES", glFigures],
  ["composition", composeFigures],
  ["planes", planeFigures],
  ["planes of a card", kmsFigures],
  ["composers in other processes", remoteFigures],
  ["layers in other processes", elsewhereFigures],
  ["queue", queueFigures],
  ["recordings", recordingFigures],
  ["comparing", compareFigures],
];

const HELP = `deno task bench [--json] [GROUP...]

  --json  print one JSON object with the figures' names as keys
  GROUP   what to measure; without any, everything:
          ${GROUPS.map(([name]) => name).join(", ")}`;

async function main(): Promise<number> {
  const { values: { json }, positionals } = readOptions(HELP, {
    options: { json: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const names = GROUPS.map(([name]) => name), unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new OptionError(`Cannot measure "${unknown.join('", "')}": choose among ${names.join(", ")}`);
  }
  const parts = openParts(), figures: Figure[] = [];
  for (const [name, measure] of GROUPS) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.error(`measuring ${name} …`);
    figures.push(...await measure(parts));
  }
  const rounded = figures.map(({ name, value }) => [name, Number(value.toPrecision(4))]);
  console.log(json ? JSON.stringify(Object.fromEntries(rounded), null, 2) : figureTable(figures));
  return 0;
}

if (import.meta.main) await runTask(HELP, main);
