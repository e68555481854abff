import { fileURLToPath } from "node:url";
import type { RunTask, RunVerdict } from "../deqp/run_tasks.ts";
import type { GpuTestOutline, NamedDriver } from "../testing/options.ts";
import { outputFolder } from "../testing/places.ts";
import { hashOf, unpack, writeFiles } from "./archive.ts";
import { bundledPath, bundledTwin } from "./bundle.ts";
import { toFileUrl } from "./files.ts";
import { unmet } from "./plan.ts";
import { executeGpuTest, type GpuTestDetails, type GpuTestWork } from "./work.ts";

/** The folder and the driver of this machine for a test of another one. */
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
  const { test, place, driver: { twin } = {} } = work;
  if (!test) throw new Error(`the task ${key} has no test`);
  const as = twin === undefined ? {} : { twin: bundledTwin(twin, root) };
  const driver = { name: place.driver, path, ...as }, main = `${root}/${bundledPath(test.file)}`;
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

/** The paths of all files of a folder. */
export function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory, isFile }) => {
    if (isDirectory) return filesBelow(`${folder}/${name}`);
    return isFile ? [`${folder}/${name}`] : [];
  });
}

/** Gets a bundle. */
type Fetch = () => Promise<Uint8Array | undefined | null>;

/** Bundles of runs, unpacked in a private folder, each once. The bundles of a run go with the run. */
export class UnpackedBundles {
  readonly #folder: string;
  readonly #bundles = new Map<string, Promise<string>>();
  readonly #ends = new Map<string, AbortSignal>();

  /** Bundles below a folder that no other user can write to. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Returns the folder of a bundle that stands for `/`. Rejects with an `Error` if there is no such bundle, or if its
   * hash is another one; the next request tries again.
   *
   * @param end Comes with the end of the run, when its bundles are removed.
   * @param fetch Gets the bundle.
   */
  async folderOf(run: string, hash: string, end: AbortSignal, fetch: Fetch): Promise<string> {
    const name = `${run}/${hash}`, known = this.#bundles.get(name) ?? this.#unpack(name, hash, fetch);
    this.#bundles.set(name, known);
    this.#removeAt(end, run);
    try {
      return await known;
    } catch (error) {
      this.#bundles.delete(name);
      throw error;
    }
  }

  /** Removes the bundles of a run. */
  remove(run: string): void {
    this.#ends.delete(run);
    for (const name of this.#bundles.keys()) if (name.startsWith(`${run}/`)) this.#bundles.delete(name);
    try {
      Deno.removeSync(`${this.#folder}/${run}`, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  #removeAt(end: AbortSignal, run: string): void {
    if (this.#ends.has(run)) return;
    this.#ends.set(run, end);
    end.addEventListener("abort", () => this.remove(run), { once: true });
  }

  async #unpack(name: string, hash: string, fetch: Fetch): Promise<string> {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`"${hash}" is no hash of a bundle`);
    const bytes = await fetch();
    if (!bytes) throw new Error(`the queue has no bundle ${hash.slice(0, 12)}…: the run's store was lost; run it anew`);
    const found = await hashOf(bytes);
    if (found !== hash) {
      throw new Error(
        `the bundle ${hash.slice(0, 12)}… was exchanged: the queue has ${found.slice(0, 12)}… in its place`,
      );
    }
    const folder = `${this.#folder}/${name}`, files = unpack(bytes);
    writeFiles(folder, files);
    return folder;
  }
}
