import { type Request, WrongUse } from "../command.ts";
import type { QueueAddress } from "./connect.ts";
import { readSigningKey } from "./key.ts";
import type { Requirements } from "./messages.ts";
import type { TaskSigner } from "./seal.ts";

/** Where the queue of a command line is. Throws {@linkcode WrongUse} without one. */
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

/** What `--for` asks of workers: `name=value`, with commas between several, or several options. */
export function requirementsOf({ values }: Request): Requirements {
  const words = ((values.for ?? []) as string[]).flatMap((each) => each.split(","));
  return Object.fromEntries(words.map((word) => {
    const [, name, value] = /^([\w.-]+)=(.+)$/.exec(word.trim()) ?? [];
    if (name !== undefined) return [name, value];
    throw new WrongUse(
      `--for: "${word}" asks for nothing; give such as driver=lvp, device=NAME, uuid=…, or a worker's tag`,
    );
  }));
}
