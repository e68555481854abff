import { executeAway, UnpackedBundles } from "../test/away.ts";
import type { SentDetails, SentFile } from "../test/home.ts";
import { type GpuTestDetails, type GpuTestWork, notRun } from "../test/work.ts";
import type { RunVerdict } from "../deqp/run_tasks.ts";
import type { Batch, Handler } from "./worker_options.ts";
import { newName } from "./names.ts";
import type { RunStore } from "./stores.ts";

/** The kind of runs of driver tests. */
export const TEST = "test";

/** The name under which a bundle is stored. */
export function bundleName(hash: string): string {
  return `bundle.${hash}`;
}

/** Returns a handler that runs tests of bundles, with bundles and pictures below a private folder. */
export function testHandler(folder: string): Handler {
  const bundles = new UnpackedBundles(folder);
  return async (batch, { started, ended }) => {
    for (const { key, work } of batch.pieces) {
      if (batch.signal.aborted) return;
      started(key);
      const output = Deno.makeTempDirSync({ dir: folder });
      try {
        const verdict = await verdictOf(key, work as GpuTestWork, batch, { bundles, output });
        if (verdict) ended(verdict);
      } finally {
        Deno.removeSync(output, { recursive: true });
      }
    }
  };
}

async function verdictOf(
  key: string,
  work: GpuTestWork,
  { run, store, driver, signal }: Batch,
  { bundles, output }: { bundles: UnpackedBundles; output: string },
): Promise<RunVerdict<GpuTestDetails> | undefined> {
  try {
    const hash = work.bundle ?? "", fetch = () => store.get(bundleName(hash));
    const root = await bundles.folderOf(run, hash, signal, fetch);
    const ran = await executeAway({ key, work }, { root, output, driver, signal });
    if (!ran || signal.aborted) return undefined;
    const sent = { driver: driver.path, files: await sendFiles(ran.files, store) };
    const details: SentDetails = { ...ran.verdict.details!, sent };
    return { ...ran.verdict, details };
  } catch (error) {
    return notRun(key, work.place, error as Error);
  }
}

/** Stores files for the machine of the run. `files` has paths by the names that they get there. */
export async function sendFiles(files: ReadonlyMap<string, string>, store: RunStore): Promise<SentFile[]> {
  const sent: SentFile[] = [];
  for (const [name, path] of files) {
    const object = `file.${newName()}`;
    await store.put(object, Deno.readFileSync(path));
    sent.push({ name, object });
  }
  return sent;
}
