import type { SideTask } from "../sides/protocol.ts";
import { type ComparedDriver, flagsFor, taskOf } from "../sides/side.ts";
import type { Script } from "./script.ts";

/** What a process is told that runs a script's test once. */
export interface TrialTask extends SideTask {
  /** The script's address. */
  readonly file: string;
  /** The test's name. */
  readonly name: string;
}

/** How a script's test ended on one driver. */
export interface Trial {
  /** Whether the test passed, failed, or its process crashed or hung. */
  readonly outcome: "passed" | "failed" | "crashed" | "hung";
  /** Why it did not pass. */
  readonly reason?: string;
}

/** The package, as scripts name it, and as it lies here. */
const PACKAGE = { "jsr:@pumice/gfx/testing": "../../wsi/testing/mod.ts", "jsr:@pumice/gfx/vk": "../../loader/vk.ts" };

/** Runs a script's test once on a driver, in a process of its own, for at most so many milliseconds. */
export async function tryScript({ name, text }: Script, driver: ComparedDriver, timeout: number): Promise<Trial> {
  const folder = Deno.makeTempDirSync({ prefix: "trial-" });
  try {
    const path = `${folder}/script.ts`;
    Deno.writeTextFileSync(path, withOwnImports(text));
    const task: TrialTask = { ...taskOf(driver, folder), file: `file://${path}`, name };
    return await run(task, timeout);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** The script's imports are those of this copy of the package, wherever the script lies. */
function withOwnImports(text: string): string {
  return Object.entries(PACKAGE).reduce(
    (changed, [name, path]) => changed.replace(`"${name}"`, JSON.stringify(import.meta.resolve(path))),
    text,
  );
}

async function run(task: TrialTask, timeout: number): Promise<Trial> {
  const file = import.meta.resolve("./trial_child.ts");
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", ...flagsFor(file, task.layerFiles), file, JSON.stringify(task)],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, timeout);
  const { stdout, stderr, signal, code } = await child.output();
  clearTimeout(timer);
  if (isLate) return { outcome: "hung", reason: `no end in ${timeout} ms` };
  const told = answerIn(new TextDecoder().decode(stdout));
  if (told) return told;
  const how = signal ? `signal ${signal}` : `exit code ${code}`;
  return { outcome: "crashed", reason: `${how} ${new TextDecoder().decode(stderr).trim()}`.trim() };
}

/** What the process said last: a driver or a layer may have printed something, too. */
function answerIn(output: string): Trial | undefined {
  const line = output.split("\n").findLast((each) => /^\{"(passed|failed)":/.test(each));
  if (line === undefined) return undefined;
  const { failed } = JSON.parse(line);
  return failed === undefined ? { outcome: "passed" } : { outcome: "failed", reason: failed };
}
