import type { RunRequest } from "../sides/protocol.ts";
import { type ComparedDriver, Side } from "../sides/side.ts";

/** A process that replays a recording below a validation layer. */
export class Validator {
  readonly #side: Side;
  readonly #request: RunRequest;
  readonly #timeout: number;

  /** Starts a process for one driver, and a file whose contents may change. */
  constructor(driver: ComparedDriver, layer: string, path: string, timeout: number) {
    this.#side = new Side({ ...driver, layers: [layer, ...driver.layers ?? []] });
    this.#request = { run: path, unsealed: true, timeout, only: [], validates: true };
    this.#timeout = timeout;
  }

  /** Whether the layer has no error for the recording that the file has now. */
  async isSilent(): Promise<boolean> {
    let reply = await this.#side.ask(this.#request, this.#timeout);
    while ("began" in reply || "submission" in reply) {
      reply = "began" in reply
        ? await this.#side.answer(this.#timeout)
        : await this.#side.ask({ next: true }, this.#timeout);
    }
    if ("unusable" in reply) throw new TypeError(reply.unusable);
    return "done" in reply && reply.done.errors.length === 0;
  }

  /** Ends the process. */
  async close(): Promise<void> {
    await this.#side.close();
  }
}
