import type { RunRequest } from "../sides/protocol.ts";
import { type ComparedDriver, Side } from "../sides/side.ts";

/** A validation layer. */
export interface ValidationLayer {
  /** The name or the manifest. */
  readonly layer: string;
  /** Whether a layer that is not there is an error. Otherwise the layer says nothing then. */
  readonly isNeeded: boolean;
}

/** A process that replays a recording below a validation layer. */
export class Validator {
  readonly #driver: ComparedDriver;
  readonly #request: RunRequest;
  readonly #timeout: number;
  readonly #isNeeded: boolean;
  readonly #signal: AbortSignal | undefined;
  #side: Side;

  /** Starts a process for one driver, and a file whose contents may change. */
  constructor(
    driver: ComparedDriver,
    { layer, isNeeded }: ValidationLayer,
    path: string,
    { timeout, signal }: { readonly timeout: number; readonly signal?: AbortSignal },
  ) {
    this.#driver = { ...driver, layers: [layer, ...driver.layers ?? []] };
    this.#side = new Side(this.#driver);
    this.#request = { run: path, unsealed: true, timeout, only: [], validates: true };
    this.#timeout = timeout;
    this.#isNeeded = isNeeded;
    this.#signal = signal;
    signal?.addEventListener("abort", () => this.#side.interrupt(), { once: true });
  }

  /**
   * Returns the layer's errors for the recording that the file has now;
   * `undefined` if there is no replay to its end, or no layer. Throws the reason
   * of an abort.
   */
  async errors(): Promise<readonly string[] | undefined> {
    this.#signal?.throwIfAborted();
    if (!this.#side.isAlive) this.#side = new Side(this.#driver);
    let reply = await this.#side.ask(this.#request, this.#timeout);
    while ("began" in reply || "submission" in reply) {
      reply = "began" in reply
        ? await this.#side.answer(this.#timeout)
        : await this.#side.ask({ next: true }, this.#timeout);
    }
    this.#signal?.throwIfAborted();
    if ("unusable" in reply && this.#isNeeded) throw new TypeError(reply.unusable);
    return "done" in reply ? reply.done.errors : undefined;
  }

  /** Ends the process. */
  async close(): Promise<void> {
    await this.#side.close();
  }
}
