import { driverChoice } from "../../../loader/driver/choice.ts";
import { libcAddress } from "../../../ffi/libc.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { type DriverFacts, driverFacts } from "../../../wsi/gpu/facts.ts";
import type { NamedDriver } from "./options.ts";
import { ownFlags } from "../../process/own_flags.ts";
import { type Probe, VARIABLE } from "./task.ts";

/** The time for opening and querying a driver, in seconds. */
const PATIENCE = 30;

/**
 * The facts of each driver, by path; `undefined` for a driver that could not be queried, whose tests will report why.
 */
const facts = new Map<string, DriverFacts | undefined>();

/**
 * The facts of a driver, so that a test for other drivers is ignored from the start and counts as skipped everywhere.
 * All drivers are queried at once, in a process of their own, because drivers may crash.
 */
export function factsOf(file: string, driver: NamedDriver, all: readonly NamedDriver[]): DriverFacts | undefined {
  if (!facts.has(driver.path)) probe(file, all.map(({ path }) => path).filter((path) => !facts.has(path)));
  return facts.get(driver.path);
}

/**
 * Queries drivers one after the other in a process. If the process dies, the next process continues behind the driver
 * that caused it.
 */
function probe(file: string, paths: readonly string[]): void {
  for (let left = paths; left.length > 0;) {
    const answers = answersOf(file, left);
    for (const [index, answer] of answers.entries()) facts.set(left[index], answer);
    if (answers.length < left.length) facts.set(left[answers.length], undefined);
    left = left.slice(answers.length + 1);
  }
}

function answersOf(file: string, probe: readonly string[]): (DriverFacts | undefined)[] {
  const result = Deno.makeTempFileSync({ prefix: "gpu-test-" });
  try {
    new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", ...ownFlags(file), file],
      env: { [VARIABLE]: JSON.stringify({ probe, result } satisfies Probe) },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).outputSync();
    return Deno.readTextFileSync(result).split("\n").filter(Boolean).map((line) => JSON.parse(line) ?? undefined);
  } finally {
    Deno.removeSync(result);
  }
}

let running: Promise<never> | undefined;

/** Queries the drivers, once in their process, however many tests the file has. Ends the process. */
export function runProbe(task: Probe): void {
  running ??= run(task);
}

/** Writes a line for each driver; `null` for a driver that cannot be opened. */
async function run({ probe, result }: Probe): Promise<never> {
  using lines = Deno.openSync(result, { append: true });
  for (const path of probe) {
    invokeAddress(libcAddress("alarm"), "v:w", [PATIENCE]); // unsigned int alarm(unsigned int seconds)
    lines.writeSync(new TextEncoder().encode(`${JSON.stringify(await ask(path))}\n`));
  }
  Deno.exit(0);
}

async function ask(driver: string): Promise<DriverFacts | null> {
  const { loadVulkan } =
    await (driverChoice(driver).kind === "auto" ? import("../../../loader/mod.ts") : import("../../../loader/core.ts"));
  try {
    using vulkan = loadVulkan({ driver });
    return driverFacts(vulkan);
  } catch {
    return null;
  }
}
