import type { RunRequest } from "../compare/driver_process/protocol.ts";
import { type ComparedDriver, Side, STARTING } from "../compare/driver_process/side.ts";

/** A validation layer. */
export interface ValidationLayer {
  /** The name or the manifest. */
  readonly layer: string;
  /** Whether a missing layer is an error. Otherwise a missing layer has no errors. */
  readonly isNeeded: boolean;
}

/** A process that replays a recording below a validation layer. */
export class Validator {
  readonly #driver: ComparedDriver;
  readonly #path: string;
  readonly #isNeeded: boolean;
  readonly #signal: AbortSignal | undefined;
  #side: Side;

  /** Starts a process for one driver, and a file whose contents may change. */
  constructor(
    driver: ComparedDriver,
    { layer, isNeeded }: ValidationLayer,
    path: string,
    signal?: AbortSignal,
  ) {
    this.#driver = { ...driver, layers: [layer, ...driver.layers ?? []] };
    this.#side = new Side(this.#driver);
    this.#path = path;
    this.#isNeeded = isNeeded;
    this.#signal = signal;
    signal?.addEventListener("abort", () => this.#side.interrupt(), { once: true });
  }

  /**
   * Returns the layer's errors for the recording that the file has now: all, or
   * those of the first line that has some. Returns `undefined` if there is no
   * replay to its end, or no layer. Waits at most so many milliseconds for a
   * submission. Throws the reason of an abort.
   */
  async errors(validates: "all" | "first", timeout: number): Promise<readonly string[] | undefined> {
    this.#signal?.throwIfAborted();
    if (!this.#side.isAlive) this.#side = new Side(this.#driver);
    const request: RunRequest = { run: this.#path, unsealed: true, timeout, only: [], validates };
    let reply = await this.#side.ask(request, STARTING + timeout);
    while ("began" in reply || "submission" in reply) {
      reply = "began" in reply ? await this.#side.answer(timeout) : await this.#side.ask({ next: true }, timeout);
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
