import type { ProgressPlace } from "../../workbench/process/progress.ts";
import { STOPPED, untilStopped } from "../../workbench/process/stop.ts";
import { Queue } from "../../workbench/runs/queue/connect.ts";
import { orShutdown, type Stopping } from "../../workbench/runs/queue/graceful_shutdown.ts";
import { keepMemorySmall } from "../../workbench/runs/queue/small_memory.ts";
import type { TaskSigner } from "../../workbench/runs/queue/signing.ts";
import type { Process, Request } from "../command.ts";
import { addressOf, signerOf, tellingTrouble } from "./command.ts";

/** The queue of a command line. */
export interface QueueHere extends Stopping {
  readonly queue: Queue;
  /** Signs the tasks, with the key of `--key`. */
  readonly seal: TaskSigner | undefined;
  /** The place where progress is shown. Default: on standard error. */
  readonly progress?: ProgressPlace;
}

/** Runs a command with the queue of `--queue`. Returns the command's exit code; 130 after Ctrl-C if that has none. */
export function withQueue(
  command: string,
  request: Request,
  process: Process,
  run: (here: QueueHere) => Promise<number>,
): Promise<number> {
  return tellingTrouble(command, process, async () => {
    const address = addressOf(request), seal = await signerOf(request), queue = await Queue.open(address);
    using _small = keepMemorySmall();
    try {
      using stop = untilStopped();
      const stopping = { signal: stop.signal, warn: process.warn };
      return await orShutdown(queue, stopping, () => run({ ...stopping, queue, seal })) ?? STOPPED;
    } finally {
      await queue.close();
    }
  });
}
