import { ServedPackage } from "../../tests/package/served.ts";
import type { Figure } from "../figure.ts";
import { median } from "../measure.ts";
import type { Parts } from "../parts.ts";

/** Processes of each kind, and those before them that fill the caches. */
const PROCESSES = 15, CHECKS = 5, WARM_UP = 2;
const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const PROGRAM = `${ROOT}bench/core_program.ts`;
const RUN = ["run", "--allow-ffi", "--no-check"];

/**
 * The cost of starting: whole processes, less processes that do nothing. The
 * tiny driver takes no time of its own, so the rest is ours and Deno's cost of
 * modules.
 */
export async function frontDoorFigures({ tiny }: Parts): Promise<Figure[]> {
  const folder = await Deno.makeTempDir({ prefix: "pumice-bench-" });
  try {
    await using served = await ServedPackage.open(folder);
    const built = `${folder}/package`;
    await Deno.copyFile(PROGRAM, `${built}/program.ts`);
    return [...await processFigures(built, tiny), ...await checkFigures(served)];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function processFigures(folder: string, tiny: string): Promise<Figure[]> {
  const help = ["run", "--no-check", "--allow-read"];
  const [nothing, source, built, helpFromSource, helpBuilt] = await inTurn([
    ["eval", "console.log(0, Deno.memoryUsage().rss)"],
    [...RUN, PROGRAM, tiny],
    [...RUN, `${folder}/program.ts`, tiny],
    [...help, `${ROOT}cli.ts`, "--help"],
    [...help, `${folder}/exports/cli.ts`, "--help"],
  ], PROCESSES);
  const over = (runs: readonly Run[]) => median(runs.map(({ took }, index) => took / nothing[index].took));
  const [first, memory] = [0, 1].map((word) => (runs: readonly Run[]) =>
    median(runs.map(({ said }) => Number(said.split(" ")[word])))
  );
  const more = (runs: readonly Run[]) => (memory(runs) - memory(nothing)) / 2 ** 20;
  const meaning = "a process that imports ./core and makes an instance, a device and a buffer, over `deno eval 0`";
  const built_ = "the same, of the built package";
  return [
    { name: "import_ms", meaning, value: median(source.map(({ took }) => took)), unit: "ms" },
    { name: "import_vs_eval", meaning: "ratio to `deno eval 0`", value: over(source), unit: "×", goal: 3.2 },
    { name: "import_built_vs_eval", meaning: built_, value: over(built), unit: "×", goal: 2.2 },
    {
      name: "help_vs_eval",
      meaning: "`cli.ts --help` over `deno eval 0`",
      value: over(helpFromSource),
      unit: "×",
      goal: 2.5,
    },
    { name: "help_built_vs_eval", meaning: built_, value: over(helpBuilt), unit: "×", goal: 2.5 },
    {
      name: "first_buffer_ms",
      meaning: "between the import and the first buffer",
      value: first(source),
      unit: "ms",
      goal: 12,
    },
    { name: "first_buffer_built_ms", meaning: built_, value: first(built), unit: "ms", goal: 12 },
    {
      name: "memory_mib",
      meaning: "memory of that process, less that of an empty one",
      value: more(source),
      unit: "MiB",
    },
    { name: "memory_built_mib", meaning: built_, value: more(built), unit: "MiB" },
  ];
}

/**
 * Measures checks of types, which are never cached: each check gets a new text.
 * The package is served, as by a registry.
 */
async function checkFigures(served: ServedPackage): Promise<Figure[]> {
  const program = await Deno.readTextFile(PROGRAM), ratios: number[] = [];
  for (let round = 0; round < CHECKS + 1; round++) {
    const [empty, ours] = [await checking(served, "", round), await checking(served, program, round)];
    if (round > 0) ratios.push(ours / empty); // the first one loads the package
  }
  const meaning = "`deno check` of a script that imports ./core of the built package, over that of an empty one";
  return [{ name: "check_vs_empty", meaning, value: median(ratios), unit: "×", goal: 2.5 }];
}

async function checking({ folder, flags, environment }: ServedPackage, text: string, round: number): Promise<number> {
  const path = `${folder}/checked.ts`;
  await Deno.writeTextFile(path, `${text}\n// ${round}\nexport {};\n`);
  return (await running(["check", "--quiet", ...flags, path], environment)).took;
}

/** One process: milliseconds from its start to its end, and its output. */
interface Run {
  readonly took: number;
  readonly said: string;
}

/** Runs commands of Deno in turn, so that a machine that gets slower is slower for all. */
async function inTurn(commands: readonly string[][], rounds: number): Promise<Run[][]> {
  const runs: Run[][] = commands.map(() => []);
  for (let round = 0; round < rounds + WARM_UP; round++) {
    for (const [index, args] of commands.entries()) runs[index].push(await running(args));
  }
  return runs.map((each) => each.slice(WARM_UP));
}

async function running(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const start = performance.now(),
    command = new Deno.Command(Deno.execPath(), { args: [...args], env, stderr: "inherit" });
  const { success, stdout } = await command.output();
  if (!success) throw new Error(`Cannot measure: deno ${args.join(" ")} failed`);
  return { took: performance.now() - start, said: new TextDecoder().decode(stdout) };
}
