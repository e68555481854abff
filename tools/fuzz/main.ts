/**
 * `deno task test:fuzz`: replays random programs under validation, that of
 * synchronisation too, and tells each program of which validation says something
 * or that ends its process. A generated program is valid, so each is a fault of
 * the generator, of validation or of the driver.
 *
 * With `--self-check`, programs of another kind are recorded, and each recording
 * is replayed on the drivers of its program: it gives every byte that the program
 * read, or names a gap.
 *
 * Exit status: 0 when nothing was found, 1 when something was said, a process
 * ended or a recording lies, 2 for a wrong option.
 *
 * @module
 */
import { lavapipePath, swiftshaderPath } from "../setup/parts.ts";
import { OptionError, readOptions, runTask } from "../task.ts";
import { commonFacts, fuzzFacts, generateProgram } from "../../workbench/programs/mod.ts";
import { loadVulkan } from "../../loader/mod.ts";
import { countedIn, countText } from "./count.ts";
import { Notes, sumOf } from "./notes.ts";
import { type Range, replayed } from "./replayed.ts";
import { type CheckedProgram, EXAMPLES, NATIVE } from "./programs/catalogue.ts";
import { checkProgram, type Row } from "./programs/check.ts";
import { checkTests, drawingTests } from "./programs/tests.ts";
import { isGood, tableLines } from "./programs/table.ts";
import type { Outcome } from "./self_check/check.ts";
import { selfChecks } from "./self_check/run.ts";
import { findingLines, summaryLines, summed } from "./self_check/summary.ts";

const HELP =
  `deno task test:fuzz [--driver=LIBRARY...] [--programs=N] [--seed=N] [--actions=N] [--jobs=N] [--in-turn] [--notes=FILE] [--json]
deno task test:fuzz --count [--driver=LIBRARY...] [--programs=N] [--seed=N] [--actions=N]
deno task test:fuzz --self-check [--driver=LIBRARY...] [--programs=N] [--seed=N] [--jobs=N] [--json]
deno task test:fuzz --self-check --programs=examples,native,tests [--driver=LIBRARY...] [--json]

  --driver    a driver's library, may be repeated; without it, Mesa lavapipe and SwiftShader, as far as they are there
  --programs  how many programs; without it, 1000. With --self-check also which: "examples", "native" for programs of
              Debian packages in an X server's DISPLAY, "tests" for the loaders of the project's tests, each on its own
              drivers, or parts of names, with commas between them
  --seed      the seed of the first program; the next has the next number; without it, 0
  --actions   how many actions a program has at most; without it, 8
  --jobs      how many processes at a time; without it, as many as there are processors
  --in-turn   replay each program on one driver alone, the drivers in turn: more programs in the same time
  --notes     where the results are kept; programs that the file has are not replayed again, and are told and counted
  --json      print one JSON object instead of text
  --count     replay nothing: print how often each command and feature occurs in programs for all of the drivers
  --self-check  record other programs: with frames in flight, mapped memory of all kinds, several threads, instances
              and devices, and every way to wait; replay each recording on the program's own drivers, and compare
              every byte that the program read, and every picture that it presented

Exit status: 0 when validation was silent, or every recording replays to the same bytes or names a gap; 1 when something
was said, a process ended, or a recording lies; 2 for a wrong option.`;

/** Programs of one process: few enough that a crash costs little, so many that starting costs little. */
const BATCH = 200;

interface Request {
  readonly drivers: readonly string[];
  readonly first: number;
  readonly count: number;
  readonly actions: number;
  readonly jobs: number;
  readonly inTurn: boolean;
  readonly notes: string | undefined;
  readonly json: boolean;
  readonly counts: boolean;
  readonly selfCheck: boolean;
  /** The programs of --self-check that are not random; `undefined` for random ones. */
  readonly named: readonly CheckedProgram[] | undefined;
}

function readRequest(): Request {
  const { values } = readOptions(HELP, {
    options: {
      driver: { type: "string", multiple: true },
      programs: { type: "string", default: "1000" },
      seed: { type: "string", default: "0" },
      actions: { type: "string", default: "8" },
      jobs: { type: "string", default: `${navigator.hardwareConcurrency}` },
      "in-turn": { type: "boolean", default: false },
      notes: { type: "string" },
      json: { type: "boolean", default: false },
      count: { type: "boolean", default: false },
      "self-check": { type: "boolean", default: false },
    },
  });
  const drivers = values.driver ?? [lavapipePath(), swiftshaderPath()].filter((path) => path !== undefined);
  if (drivers.length === 0) throw new OptionError("There is no software driver; give --driver, or run deno task setup");
  const named = values["self-check"] && /^[^\d-]/.test(values.programs) ? programsNamed(values.programs) : undefined;
  return {
    drivers,
    first: whole("seed", values.seed, 0),
    count: named ? named.length : whole("programs", values.programs, 1),
    actions: whole("actions", values.actions, 1),
    jobs: whole("jobs", values.jobs, 1),
    inTurn: values["in-turn"],
    notes: values.notes,
    json: values.json,
    counts: values.count,
    selfCheck: values["self-check"],
    named,
  };
}

function programsNamed(text: string): CheckedProgram[] {
  const all = [...EXAMPLES, ...NATIVE, ...drawingTests()];
  return text.split(",").flatMap((part) => {
    const ofKind = all.filter(({ kind }) => kind === part);
    const found = ofKind.length > 0 ? ofKind : all.filter(({ name }) => part !== "" && name.includes(part));
    if (found.length > 0) return found;
    const known = all.map(({ name }) => name).join(", ");
    throw new OptionError(
      `--programs has "${part}"; give a number, "examples", "native", "tests", or parts of: ${known}`,
    );
  });
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new OptionError(`--${name} is "${text}"; give a whole number from ${least}`);
}

/** The ranges that are not in the notes: each of all drivers, or of one. */
function rangesOf({ drivers, first, count, actions, inTurn }: Request, notes: Notes): Range[] {
  const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, index) => first + index * BATCH);
  const all = starts.flatMap((from, index) =>
    (inTurn ? [drivers[index % drivers.length]] : drivers).map((driver) => ({
      driver,
      actions,
      from,
      to: Math.min(from + BATCH, first + count),
    }))
  );
  return all.filter((range) => !notes.has(range));
}

/** Prints how often each command and feature occurs in programs that suit all of the drivers. */
function printCounts({ drivers, first, count, actions }: Request): void {
  const facts = commonFacts(drivers.map((driver) => {
    using vulkan = loadVulkan({ driver });
    return fuzzFacts(vulkan);
  }));
  const seeds = Array.from({ length: count }, (_, index) => first + index).values();
  console.log(countText(countedIn(seeds.map((seed) => generateProgram(facts, { seed, actions })))).join("\n"));
}

async function main(): Promise<number> {
  const request = readRequest();
  if (request.named) return await checkNamed(request.named, request);
  if (request.selfCheck) return await checkAll(request);
  if (!request.counts) return await replayAll(request);
  printCounts(request);
  return 0;
}

/** Checks recordings against the programs themselves. */
async function checkAll({ drivers, first, count, jobs, json }: Request): Promise<number> {
  const outcomes: Outcome[] = [];
  await selfChecks({ drivers, first, count, jobs }, (outcome) => {
    outcomes.push(outcome);
    if (!json) { for (const line of findingLines(outcome)) console.log(line); }
    if (outcomes.length % 20 === 0) console.error(`${outcomes.length} of ${count} programs`);
  });
  const sum = summed(outcomes, first, count);
  console.log(json ? JSON.stringify({ ...sum, outcomes }, null, 2) : summaryLines(sum).join("\n"));
  return sum.findings === 0 ? 0 : 1;
}

/**
 * Checks recordings of programs that were not made for it, each on each driver that can show what they show; tests have
 * drivers of their own.
 */
async function checkNamed(programs: readonly CheckedProgram[], { drivers, json }: Request): Promise<number> {
  const rows: Row[] = [];
  const checks = programs.flatMap((program): ((folder: string) => Promise<Row>)[] =>
    program.kind === "tests"
      ? [(folder) => checkTests(program.name, folder)]
      : drivers.filter((driver) => !program.isShown || canShow(driver)).map((driver) => (folder) =>
        checkProgram(program, driver, folder)
      )
  );
  for (const check of checks) {
    const folder = Deno.makeTempDirSync();
    try {
      rows.push(await check(folder));
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
    console.error(`${rows.length} of ${checks.length} programs: ${rows.at(-1)!.name}`);
  }
  console.log(json ? JSON.stringify(rows, null, 2) : tableLines(rows).join("\n"));
  return isGood(rows) ? 0 : 1;
}

/** Whether programs can have windows of an X server on a driver. */
function canShow(driver: string): boolean {
  using vulkan = loadVulkan({ driver });
  return vulkan.vkEnumerateInstanceExtensionProperties().some(({ extensionName }) =>
    extensionName === "VK_KHR_xcb_surface"
  );
}

async function replayAll(request: Request): Promise<number> {
  const notes = new Notes(request.notes), waiting = rangesOf(request, notes);
  const total = request.count * (request.inTurn ? 1 : request.drivers.length), start = performance.now();
  let left = waiting.reduce((sum, { from, to }) => sum + to - from, 0);
  const begun = left;
  const work = async () => {
    for (let range = waiting.shift(); range; range = waiting.shift()) {
      notes.add(range, await replayed(range));
      left -= range.to - range.from;
      const seconds = (performance.now() - start) / 1000;
      const minutes = Math.ceil(seconds / (begun - left) * left / 60);
      console.error(`${total - left} of ${total} programs, ${notes.found.length} with messages; ${minutes} min left`);
    }
  };
  await Promise.all(Array.from({ length: request.jobs }, work));
  const { found } = notes;
  if (request.json) console.log(JSON.stringify({ programs: Object.fromEntries(notes.programs), found }, null, 2));
  else {for (const { driver, seed, messages } of found) {
      console.log(`${driver}, seed ${seed}:\n  ${messages.join("\n  ")}`);
    }}
  if (!request.json) console.log(sumOf(notes));
  return found.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTask(HELP, main);
