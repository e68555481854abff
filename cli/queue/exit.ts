import type { Process } from "../command.ts";
import { QueueTrouble } from "../../workbench/runs/queue/trouble.ts";

/** Runs a command over a queue. A refusal of the queue becomes a sentence and the exit code. */
export async function tellingTrouble(
  command: string,
  { warn }: Process,
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof QueueTrouble)) throw error;
    warn(`${command}: ${error.message}`);
    return error.exitCode;
  }
}
