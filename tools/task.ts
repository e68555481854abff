import { parseArgs, type ParseArgsConfig } from "node:util";

/** The exit code of a task that was given options it does not know, as that of the commands of `cli.ts`. */
const WRONG_OPTIONS = 2;

/** A wrong option of a task: what was found, and what to give. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

/** A task's options as `parseArgs()` of Node reads them. `--help` prints the help and ends the process. */
export function readOptions<T extends ParseArgsConfig>(help: string, config: T): ReturnType<typeof parseArgs<T>> {
  if (Deno.args.includes("--help")) {
    console.log(help);
    Deno.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    throw new OptionError((error as Error).message.split(". ")[0]);
  }
}

/** Runs a task and sets the exit code to what it returns. A wrong option is told with the first line of the help. */
export async function runTask(help: string, task: () => number | Promise<number>): Promise<void> {
  try {
    Deno.exitCode = await task();
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    const [use] = help.split("\n");
    console.error(`${error.message}\nuse: ${use}`);
    Deno.exitCode = WRONG_OPTIONS;
  }
}
