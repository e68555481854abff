import { dirname, join } from "node:path";
import { withScripts } from "../testing/run_on.ts";
import type { RunTask, RunVerdict } from "../deqp/run_tasks.ts";
import { isBelow } from "./archive.ts";
import { type GpuTestDetails, type GpuTestWork, notRun } from "./work.ts";

/** A file that a test has left on another machine. */
export interface SentFile {
  /** The path below the folder for pictures. */
  readonly name: string;
  /** The name under which the file was sent. */
  readonly object: string;
}

/** The details of a verdict with the additions of another machine, for this machine alone. */
export interface SentDetails extends GpuTestDetails {
  readonly sent?: {
    /** The driver's path there. */
    readonly driver: string;
    readonly files: readonly SentFile[];
  };
}

/** Gets the contents of a file that was sent; `null` or `undefined` if they are lost. */
export type FetchSent = (object: string) => Promise<Uint8Array | null | undefined>;

/**
 * Makes a verdict from another machine one as of this machine: files that the test has left come into the task's
 * folder, and the scripts that run a failure again are written there.
 */
export async function bringHome(
  { key, work }: RunTask<GpuTestWork>,
  { details, ...verdict }: RunVerdict<SentDetails>,
  fetch: FetchSent,
): Promise<RunVerdict<GpuTestDetails>> {
  if (!details) return { ...verdict, details: { place: work.place } };
  const { sent, ...own } = details;
  try {
    for (const path of Object.values(own.result?.picture ?? {}).filter((each) => each.startsWith("/"))) {
      requireBelow(path, work.output!);
    }
    for (const file of sent?.files ?? []) await bring(file, work.output!, fetch);
    if (!own.result || !sent || !work.test) return { ...verdict, details: own };
    const driver = { name: work.place.driver, path: sent.driver };
    const result = await withScripts(work.test, driver, own.result, work.output);
    return { ...verdict, details: { ...own, result } };
  } catch (error) {
    return notRun(key, work.place, error as Error);
  }
}

/** Reports show these files, and only files of tests belong there. */
function requireBelow(path: string, folder: string): void {
  if (path.startsWith(`${folder}/`) && isBelow(path.slice(folder.length + 1))) return;
  throw new Error(`a worker names the picture ${path}, which is not below ${folder}`);
}

/** Writes a file that was sent into a folder. Throws an `Error` for a name that leads out of it, and for a lost file. */
export async function bring({ name, object }: SentFile, folder: string, fetch: FetchSent): Promise<void> {
  if (!isBelow(name)) throw new Error(`a worker sent a file to "${name}", which leads out of ${folder}`);
  const bytes = await fetch(object);
  if (!bytes) throw new Error(`the queue has lost ${name}, which the task has left`);
  Deno.mkdirSync(dirname(join(folder, name)), { recursive: true });
  Deno.writeFileSync(join(folder, name), bytes);
}
