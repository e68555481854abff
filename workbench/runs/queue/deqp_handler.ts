import { deqpExecutor } from "../deqp/executor.ts";
import { driverEnvironment } from "../deqp/process.ts";
import type { Handler } from "./worker_options.ts";

/** The kind of runs of dEQP. */
export const DEQP = "deqp";

/** The common part of the tasks of a run of dEQP. */
export interface DeqpWork {
  /** The program and its arguments, as on the worker's machine. */
  readonly command: readonly string[];
  /** Milliseconds without output after which a process is ended. */
  readonly timeout?: number;
}

/** Returns a handler that runs groups of cases, with temporary files below a folder. */
export function deqpHandler(folder: string): Handler {
  const ending = endingWithParent();
  return async ({ common, pieces, driver, signal }, { started, ended }) => {
    const { command, timeout } = common as DeqpWork, caseList = pieces.map(({ key }) => key);
    requireProgram(command[0]);
    const own = Deno.makeTempDirSync({ dir: folder });
    try {
      const environment = driverEnvironment(driver.path, own), groupSize = caseList.length;
      const options = { command: [...ending, ...command], caseList, timeout, groupSize, environment };
      const tasks = caseList.map((key) => ({ key, work: 0 }));
      await deqpExecutor([options], own, 1).execute(tasks, { signal, started, ended });
    } finally {
      Deno.removeSync(own, { recursive: true });
    }
  };
}

function requireProgram(path: string): void {
  if (!path.includes("/")) return;
  try {
    Deno.statSync(path);
  } catch (error) {
    throw new Error(`"${path}" of --command cannot be started here: ${(error as Error).message}`);
  }
}

/** The words before a command that let the kernel end the command with this process, however this process ends. */
export function endingWithParent(): readonly string[] {
  const PROGRAM = "/usr/bin/setpriv";
  try {
    const line = [PROGRAM, "--pdeathsig", "KILL", "--"];
    const { success } = new Deno.Command(line[0], { args: [...line.slice(1), "true"], stdout: "null", stderr: "null" })
      .outputSync();
    return success ? line : [];
  } catch {
    return []; // without it, a process of a killed worker ends at its next output
  }
}
