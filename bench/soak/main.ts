/**
 * Mixes everything that the library does, again and again, and watches what the
 * process holds: files, mappings, threads, native memory, the heap. Ends with 1
 * where something grows beyond its noise, or an activity fails.
 *
 * @module
 */
import { OptionError, readOptions, runTask } from "../../tools/task.ts";
import { compileFixture } from "../../tests/support/compile.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { ACTIVITIES, type Activity, type SoakDrivers } from "./activities.ts";
import { HELD, type Held, type Holdings, holdings } from "./holdings.ts";
import { type Trend, trendsOf } from "./trend.ts";

/** Samples of a run; a run is as long as they are apart. */
const SAMPLES = 60;
/** Samples between two lines of progress. */
const TOLD = 6;

const HELP = `deno task soak [--minutes=N] [--seed=N] [--driver=LIBRARY] [--chart=FILE] [ACTIVITY...]

  --minutes=N   how long; 10 without it
  --seed=N      the order of the activities; it is printed
  --driver=LIBRARY
                a driver's library; without it, Mesa lavapipe
  --chart=FILE  write the samples as an SVG chart
  ACTIVITY      what to mix; without any, everything:
                ${ACTIVITIES.map(({ name }) => name).join(", ")}`;

async function main(): Promise<number> {
  const { values, positionals } = readOptions(HELP, {
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: `${crypto.getRandomValues(new Uint32Array(1))[0]}` },
      driver: { type: "string" },
      chart: { type: "string" },
    },
    allowPositionals: true,
  });
  const minutes = numberOf("minutes", values.minutes), seed = numberOf("seed", values.seed);
  const { samples, counts, failures } = await soak(chosen(positionals), driversFor(values.driver), minutes, seed);
  const trends = trendsOf(samples);
  console.log(
    `seed ${seed}, ${minutes} minutes: ${[...counts].map(([name, count]) => `${count} × ${name}`).join(", ")}`,
  );
  console.log(trends.map(lineOf).join("\n"));
  for (const [failure, times] of Map.groupBy(failures, (each) => each)) console.error(`${times.length} × ${failure}`);
  if (values.chart !== undefined) await writeChart(values.chart, samples);
  return failures.length > 0 || trends.some(({ grows }) => grows) ? 1 : 0;
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new OptionError(`--${name} takes a number above 0, found ${text}`);
  return value;
}

function driversFor(driver: string | undefined = lavapipePath()): SoakDrivers {
  const tiny = compileFixture("tiny_driver");
  if (tiny !== undefined && driver !== undefined) return { tiny, driver };
  throw new OptionError(
    tiny === undefined
      ? "There is no C compiler for the smallest driver; run deno task setup"
      : "There is no driver; give --driver, or run deno task setup",
  );
}

function chosen(names: readonly string[]): readonly Activity[] {
  const unknown = names.filter((name) => ACTIVITIES.every((activity) => activity.name !== name));
  if (unknown.length > 0) throw new OptionError(`There is no activity "${unknown.join('", "')}"`);
  return names.length === 0 ? ACTIVITIES : ACTIVITIES.filter(({ name }) => names.includes(name));
}

async function soak(activities: readonly Activity[], drivers: SoakDrivers, minutes: number, seed: number) {
  const samples: Holdings[] = [], counts = new Map<string, number>(), failures: string[] = [];
  const start = performance.now(), apart = minutes * 60_000 / SAMPLES, next = chance(seed);
  while (samples.length < SAMPLES) {
    const activity = activities[next(activities.length)];
    counts.set(activity.name, (counts.get(activity.name) ?? 0) + 1);
    try {
      await activity.run(drivers);
    } catch (error) {
      failures.push(`${activity.name} failed: ${(error as Error).stack}`);
    }
    if (performance.now() - start < (samples.length + 1) * apart) continue;
    samples.push(withoutKnown(holdings(), activities, counts));
    if (samples.length % TOLD === 0) {
      console.error(`${samples.length} of ${SAMPLES}: ${failures.length} failures, ${JSON.stringify(samples.at(-1))}`);
    }
  }
  return { samples, counts, failures };
}

/** Takes off what activities leave behind for reasons that they state. */
function withoutKnown(all: Holdings, activities: readonly Activity[], counts: ReadonlyMap<string, number>): Holdings {
  const left = { ...all };
  for (const { name, leaves = {} } of activities) {
    for (const [held, each] of Object.entries(leaves)) left[held as Held] -= Math.round(each * (counts.get(name) ?? 0));
  }
  return left;
}

/** Numbers that look like chance, and are the same for the same seed. */
function chance(seed: number): (below: number) => number {
  let state = seed % 0x7ffffffe + 1;
  return (below) => {
    state = state * 48271 % 0x7fffffff;
    return Math.floor(state / 0x7fffffff * below);
  };
}

function lineOf({ held, first, last, noise, grows }: Trend): string {
  const amount = (value: number) => `${value} ${HELD[held]}`.trim().padStart(12);
  return `${grows ? "grows" : "ok   "} ${held.padEnd(9)} ${amount(first)} → ${amount(last)}, noise ${
    amount(noise).trim()
  }`;
}

async function writeChart(path: string, samples: readonly Holdings[]): Promise<void> {
  const { soakChart } = await import("./chart.ts");
  await Deno.writeTextFile(path, soakChart(samples));
  console.error(`wrote ${path}`);
}

if (import.meta.main) await runTask(HELP, main);
