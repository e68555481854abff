/**
 * `deno task setup [--for=demo|test|bench|clients] [--json] [--quiet]`: installs what
 * is missing and says what it could not. Quick when all is there.
 *
 * Exit status: 0, also when parts are missing; 1 when the demo asks and no
 * Vulkan driver at all is at hand; 2 for a wrong option.
 *
 * @module
 */
import { OptionError, readOptions, runTask } from "../task.ts";
import type { Purpose } from "./catalogue.ts";
import { nvidiaManifest } from "./parts.ts";
import { type Outcome, type Outcomes, setUp } from "./plan.ts";

const PURPOSES = ["demo", "test", "bench", "clients"];
const HELP = `deno task setup [--for=demo|test|bench|clients] [--json] [--quiet]

  --for    only what this task needs; without it, everything
  --json   print one JSON object instead of text
  --quiet  print only what could not be installed`;

function request(): { for?: Purpose; json: boolean; quiet: boolean } {
  const { values } = readOptions(HELP, {
    options: {
      for: { type: "string" },
      json: { type: "boolean", default: false },
      quiet: { type: "boolean", default: false },
    },
  });
  if (values.for !== undefined && !PURPOSES.includes(values.for)) {
    throw new OptionError(`Cannot set up for "${values.for}": choose one of ${PURPOSES.join(", ")}`);
  }
  return { for: values.for as Purpose | undefined, json: values.json!, quiet: values.quiet! };
}

function report({ parts, hints }: Outcomes, seconds: number, quiet: boolean): void {
  const missing = parts.filter((part) => part.state === "missing");
  const fresh = parts.filter((part) => part.state === "installed");
  if (!quiet) {
    for (const { part, path } of fresh) console.error(`  + ${part}  ${path}`);
    const ready = `${parts.length - missing.length} of ${parts.length} parts ready`;
    console.error(
      `setup: ${ready}, ${fresh.length} new, ${seconds.toFixed(1)} s${missing.length > 0 ? "; missing:" : ""}`,
    );
  }
  for (const { part, note } of missing) console.error(`  - ${part}: ${note}`);
  for (const hint of hints) console.error(`  ${hint}`);
}

function canDraw(parts: Outcome[]): boolean {
  return nvidiaManifest() !== undefined || parts.some((part) => part.state !== "missing");
}

async function main(): Promise<number> {
  const options = request();
  const start = performance.now();
  const outcomes = await setUp(options.for, options.json || options.quiet ? () => {} : console.error);
  const seconds = (performance.now() - start) / 1000;
  if (options.json) console.log(JSON.stringify({ root: Deno.uid() === 0, seconds, ...outcomes }, null, 2));
  else report(outcomes, seconds, options.quiet);
  if (options.for !== "demo" || canDraw(outcomes.parts)) return 0;
  console.error("Cannot draw: no Vulkan driver is on this machine and none could be fetched; see above");
  return 1;
}

if (import.meta.main) await runTask(HELP, main);
