import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import type { ServedClient } from "./client.ts";

/** Milliseconds that a new client waits for the one before it to be cleared away. */
const PATIENCE = 1000;

/** The client of a composer: there is one at a time. */
export class OneClient {
  #client: ServedClient | undefined;

  /** Makes the client, if there is none. Waits for one that goes. Throws NO_RESOURCES. */
  async admit(make: () => ServedClient): Promise<ServedClient> {
    if (this.#client?.isOver) await within(PATIENCE, this.#client.end());
    if (this.#client && !this.#client.isOver) {
      refuse(ERROR.NO_RESOURCES, "another client is connected; there is one at a time");
    }
    return this.#client = make();
  }

  /** Whether there is one. */
  get isConnected(): boolean {
    return this.#client !== undefined && !this.#client.isOver;
  }

  /** Ends the client, and clears away what it had. */
  async end(): Promise<void> {
    await this.#client?.end();
  }
}

async function within(milliseconds: number, done: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, failed) => {
    const give = () => failed(new Error("the client before is still being cleared away"));
    timer = setTimeout(give, milliseconds);
  });
  await Promise.race([done, late]).finally(() => clearTimeout(timer));
}
