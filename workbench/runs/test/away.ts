import { fileURLToPath } from "node:url";
import type { GpuTestOutline, NamedDriver } from "../testing/options.ts";
import { outputFolder } from "../testing/places.ts";
import type { RunTask, RunVerdict } from "../deqp/run_tasks.ts";
import { bundledPath } from "./bundle.ts";
import { toFileUrl } from "./files.ts";
import { unmet } from "./plan.ts";
import { executeGpuTest, type GpuTestDetails, type GpuTestWork } from "./work.ts";

/** Where a test of another machine runs on this one. */
export interface AwayPlace {
  /** The folder that stands for `/` of the other machine. */
  readonly root: string;
  /** An empty folder for pictures. */
  readonly output: string;
  /** This machine's driver. */
  readonly driver: NamedDriver;
  /** Ends the test. */
  readonly signal: AbortSignal;
}

/** A verdict in the words of the machine that the test comes from, and the files that the test has left here. */
export interface AwayVerdict {
  /** The verdict. */
  readonly verdict: RunVerdict<GpuTestDetails>;
  /** Paths here by names below the folder for pictures there. */
  readonly files: ReadonlyMap<string, string>;
}

/** Runs a test of a bundle. Returns `undefined` after the signal. */
export async function executeAway(
  { key, work }: RunTask<GpuTestWork>,
  { root, output, driver: { path }, signal }: AwayPlace,
): Promise<AwayVerdict | undefined> {
  const { test, place } = work;
  if (!test) throw new Error(`the task ${key} has no test`);
  const driver = { name: place.driver, path }, main = `${root}/${bundledPath(test.file)}`;
  const here: GpuTestOutline = { ...test, file: toFileUrl(main) }, reason = unmet(here, driver, [driver]);
  const known = reason === undefined ? {} : { known: { status: "Skip" as const, message: reason } };
  const verdict = await executeGpuTest({ key, work: { ...work, test: here, driver, output, ...known } }, signal, false);
  if (!verdict) return undefined;
  const left = test.options.output === undefined ? output : outputFolder(here);
  const words = new Map([[here.file, test.file], [main, fileURLToPath(test.file)], [root, ""], [left, work.output!]]);
  return { verdict: translated(verdict, words), files: filesOf(verdict, left, left === output) };
}

/** Exchanges words in all texts of a value. */
function translated<Value>(value: Value, words: ReadonlyMap<string, string>): Value {
  if (typeof value === "string") {
    let text: string = value;
    for (const [here, there] of words) text = text.replaceAll(here, there);
    return text as Value;
  }
  if (Array.isArray(value)) return value.map((each) => translated(each, words)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, translated(each, words)])) as Value;
}

/** The files of a folder; in a folder that the test has named, only the pictures of this result. */
function filesOf({ details }: RunVerdict<GpuTestDetails>, folder: string, isOwn: boolean): Map<string, string> {
  const { actual, expected, difference } = details?.result?.picture ?? {};
  const pictures = [actual, expected, difference].filter((path) => path !== undefined);
  const paths = isOwn ? filesBelow(folder) : pictures.filter((path) => path.startsWith(`${folder}/`));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), path]));
}

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory, isFile }) => {
    if (isDirectory) return filesBelow(`${folder}/${name}`);
    return isFile ? [`${folder}/${name}`] : [];
  });
}
