import type { CheckedProgram } from "./catalogue.ts";
import { differencesOf, type Row, runDeno, runScript } from "./check.ts";
import type { RecordedLoader } from "./recorded_loaders.ts";
import type { Replayed } from "./verify.ts";

const ROOT = decodeURIComponent(new URL("../../../", import.meta.url).pathname);
/** Files of tests that use a software driver, and folders whose tests start processes of their own. */
const DRAWS = /(lavapipe|swiftshader)Path\(/, OTHER_PROCESSES = /^tests\/(cli|documents|examples|tools|bench)$/;
/** Commands without which a recording says nothing of a GPU. */
const GIVES_WORK = /^\{"command":"vkQueue(Submit|Present)/m;
/** Recordings that one process replays. */
const BATCH = 50;

/** A recording of a loader. */
interface Recorded extends RecordedLoader {
  readonly path: string;
}

/** Returns the files of tests that may draw. */
export function drawingTests(): CheckedProgram[] {
  return filesBelow("tests").map((name) => ({ name, kind: "tests", line: [name] }));
}

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(`${ROOT}${folder}`)].sort((a, b) => a.name < b.name ? -1 : 1)
    .flatMap(({ name, isDirectory }) => {
      const path = `${folder}/${name}`;
      if (isDirectory) return OTHER_PROCESSES.test(path) ? [] : filesBelow(path);
      return name.endsWith("_test.ts") && DRAWS.test(Deno.readTextFileSync(`${ROOT}${path}`)) ? [path] : [];
    });
}

/** Runs a file of tests with all of its loaders recorded, replays each recording on its drivers, and compares. */
export async function checkTests(file: string, folder: string): Promise<Row> {
  const start = performance.now(), trouble = await runRecorded(file, folder);
  return {
    name: file,
    ...await judged(recordingsIn(folder)),
    trouble,
    seconds: (performance.now() - start) / 1000,
  };
}

/** Runs the tests. Returns what failed; `undefined` if nothing did. */
async function runRecorded(file: string, folder: string): Promise<string | undefined> {
  const preloads = ["tests/support/preload.ts", "tools/fuzz/programs/recorded_loaders.ts"];
  const args = ["test", "-P", ...preloads.map((each) => `--preload=${each}`), file];
  const { code, text } = await runDeno(args, { PUMICE_RECORDED_TESTS: folder });
  if (code === 0) return undefined;
  return `exit code ${code}: ${[...text.matchAll(/^(.*) => \.\/tests.*$/gm)].map(([, name]) => name).join("; ")}`;
}

/** The recordings in which a GPU got work, by drivers that did not go with the test. */
export function recordingsIn(folder: string): Recorded[] {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".json"));
  return names.sort((a, b) => parseInt(a) - parseInt(b)).flatMap((name) => {
    const path = `${folder}/${name}l`,
      loader = JSON.parse(Deno.readTextFileSync(`${folder}/${name}`)) as RecordedLoader;
    const isWork = loader.drivers.every(isThere) && GIVES_WORK.test(Deno.readTextFileSync(path));
    return isWork ? [{ path, ...loader }] : [];
  });
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Replays recordings that name no gap, and compares them. */
export async function judged(
  recordings: readonly Recorded[],
): Promise<Pick<Row, "reads" | "pictures" | "differing" | "gaps">> {
  const gaps = recordings.flatMap(({ place, gaps }) => gaps.map((each) => `${place}: ${each}`));
  const whole = recordings.filter(({ gaps }) => gaps.length === 0), found: (Replayed | string)[] = [];
  while (found.length < whole.length) found.push(...await replayed(whole.slice(found.length, found.length + BATCH)));
  const differing = whole.flatMap(({ place, shown }, index) => {
    const each = found[index];
    return (typeof each === "string" ? [each] : differencesOf(each, shown, false)).map((one) => `${place}: ${one}`);
  });
  const reads = found.reduce((sum, each) => sum + (typeof each === "string" ? 0 : each.reads), 0);
  return { reads, pictures: whole.reduce((sum, { shown }) => sum + shown.length, 0), differing, gaps };
}

/** Replays recordings as far as one process gets. The last outcome is a sentence if the process ended there. */
async function replayed(recordings: readonly Recorded[]): Promise<(Replayed | string)[]> {
  const args = recordings.flatMap(({ path, drivers }) => [path, drivers.join(",")]);
  const { code, text } = await runScript(["tools/fuzz/programs/verify.ts", ...args]);
  const done = text.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Replayed);
  if (done.length === recordings.length) return done;
  return [...done, `the process that replays ended with ${code}: ${text.trim().split("\n").at(-1)}`];
}
