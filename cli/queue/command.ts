import { WrongUse } from "../../workbench/process/exit_code.ts";
import type { QueueAddress } from "../../workbench/runs/queue/connect.ts";
import { readSigningKey, type TaskSigner } from "../../workbench/runs/queue/signing.ts";
import type { Requirements } from "../../workbench/runs/queue/messages.ts";
import { QueueTrouble } from "../../workbench/runs/queue/trouble.ts";
import type { Process, Request } from "../command.ts";
import { wholeNumber } from "../test/known.ts";

/** Returns the address of a command line's queue. Throws {@linkcode WrongUse} without one. */
export function addressOf({ values }: Request): QueueAddress {
  const { queue, credentials, authority } = values as Record<string, string | undefined>;
  if (queue === undefined || queue === "") {
    throw new WrongUse("--queue is missing: give the address of a queue, such as nats://host:4222");
  }
  return { url: queue, credentials, authority };
}

/** The private key of `--key`; `undefined` without the option. */
export async function signerOf({ values }: Request): Promise<TaskSigner | undefined> {
  return values.key === undefined ? undefined : await readSigningKey(values.key as string);
}

/**
 * Returns the requirements on workers that `--for` states: `name=value`, with commas between several, or several
 * options.
 */
export function requirementsOf({ values }: Request): Requirements {
  const words = ((values.for ?? []) as string[]).flatMap((each) => each.split(",")), found = new Map<string, string>();
  for (const word of words) {
    const [, name, value] = /^([\w.-]+)=(.+)$/.exec(word.trim()) ?? [];
    if (name === undefined) {
      throw new WrongUse(
        `--for: "${word}" asks for nothing; give such as driver=lvp, device=NAME, uuid=…, or a worker's tag`,
      );
    }
    const before = found.get(name);
    if (before !== undefined && before !== value) {
      throw new WrongUse(`--for: no worker has ${name}=${before} and ${name}=${value}; give one of them`);
    }
    found.set(name, value);
  }
  return Object.fromEntries(found);
}

/** Seconds without a sign of life after which a task is given to another worker, where `--patience` gives none. */
const PATIENCE = 30;
/** The most seconds: a day. */
export const MOST_PATIENCE = 86_400;

/** Returns the time of `--patience`, in milliseconds. */
export function patienceOf({ values }: Pick<Request, "values">): number {
  return 1000 * (wholeNumber("--patience", values.patience as string | undefined, 1, MOST_PATIENCE) ?? PATIENCE);
}

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
