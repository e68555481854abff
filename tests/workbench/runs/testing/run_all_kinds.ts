import type { GpuTestReport, GpuTestResult } from "../../../../workbench/runs/testing/mod.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { runTests } from "../../../support/subprocess.ts";

/** The file with tests of all kinds. */
export const ALL_KINDS = "tests/workbench/runs/testing/programs/all_kinds.ts";

/** The folder of the run, its output, and the report. */
export interface AllKinds {
  /** The folder of pictures and scripts. */
  readonly folder: string;
  /** The output of `deno test`. */
  readonly output: string;
  /** The JUnit file that `deno test` wrote. */
  readonly junit: string;
  /** The results of the tests. */
  readonly results: readonly GpuTestResult[];
}

let ran: AllKinds | undefined;
const folders: string[] = [];

/** Removes what the runs left. */
export function removeLeft(): void {
  for (const folder of folders.splice(0)) Deno.removeSync(folder, { recursive: true });
}

/** Runs the tests of all kinds on lavapipe, once; all that look at it share the outcome. */
export function allKinds(): AllKinds {
  return ran ??= runKinds([lavapipePath()!]);
}

/** Runs tests of all kinds, or those of a name, on drivers. */
export function runKinds(drivers: readonly string[], filter = ""): AllKinds {
  const folder = Deno.makeTempDirSync({ prefix: "all-kinds-" }), report = `${folder}/report.json`;
  folders.push(folder);
  const env = { PUMICE_DRIVERS: drivers.join(":"), PUMICE_GPU_OUT: folder, PUMICE_GPU_REPORT: report };
  const args = [ALL_KINDS, `--junit-path=${folder}/junit.xml`, ...filter ? ["--filter", filter] : []];
  const { output } = runTests(args, { env }), junit = Deno.readTextFileSync(`${folder}/junit.xml`);
  return { folder, output, junit, results: (JSON.parse(Deno.readTextFileSync(report)) as GpuTestReport).results };
}

/** Both software drivers. */
export const BOTH: readonly (string | undefined)[] = [lavapipePath(), swiftshaderPath()];
