import { RecordingError } from "../replay/error.ts";
import type { Write } from "../state_tracker/effects.ts";
import type { Answer, Cut, DriverIdentity, RunRequest } from "../compare/driver_process/protocol.ts";
import { type ComparedDriver, type Died, Side, STARTING } from "../compare/driver_process/side.ts";
import type { Contents } from "./types.ts";

/** The replay that is wanted from a driver. */
export interface ReplayRequest {
  /** Path of the recording, or of one that was made from it. */
  readonly recording: string;
  /** The place where the replay ends. */
  readonly cut: Cut;
  /** The contents that are read there. */
  readonly parts: readonly Write[];
}

/** Replays on one driver, in a process that stays. One replay runs at a time. */
export class DriverReplays {
  readonly #driver: ComparedDriver;
  readonly #timeout: number;
  #side: Side | undefined;
  #identity: DriverIdentity | undefined;
  /** The end of the latest request. */
  #latest: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** The number of replays so far, and how many processes died. */
  readonly counts = { replays: 0, deaths: 0 };

  /** Starts nothing yet. */
  constructor(driver: ComparedDriver, timeout: number) {
    this.#driver = driver;
    this.#timeout = timeout;
  }

  /** The driver, as it tells of itself, once a replay has begun. */
  get identity(): DriverIdentity | undefined {
    return this.#identity;
  }

  /**
   * Replays up to a place, and returns the contents there.
   *
   * @throws {RecordingError} if the driver cannot replay the recording, or its process died. The next request starts another process.
   * @throws {TypeError} if the driver cannot be loaded.
   */
  contents(request: ReplayRequest): Promise<Contents[]> {
    const result = this.#latest.then(() => this.#contents(request));
    this.#latest = result.catch(() => {});
    return result;
  }

  /** Ends the process, even amid a replay. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#side?.interrupt();
    await this.#latest;
    await this.#side?.close();
  }

  async #contents({ recording, cut, parts }: ReplayRequest): Promise<Contents[]> {
    if (this.#isClosed) throw new TypeError("The recording was closed; open it again");
    const side = this.#side?.isAlive ? this.#side : this.#side = new Side(this.#driver), timeout = this.#timeout;
    this.counts.replays++;
    const only = parts.map((part) => "buffer" in part ? part.buffer : part.image);
    const request: RunRequest = { run: recording, unsealed: true, timeout, cut, only, also: parts };
    let reply = await side.ask(request, STARTING + timeout);
    if ("began" in reply) {
      this.#identity = reply.began;
      reply = await side.answer(timeout);
    }
    if (!("submission" in reply)) throw this.#failure(reply);
    const { pieces } = reply, bytes = pieces.length > 0 ? await this.#bytes(side, pieces.map(({ size }) => size)) : [];
    const end = await side.ask({ stop: true }, timeout);
    if (!("done" in end)) throw this.#failure(end);
    return pieces.map(({ size: _, hash: __, ...piece }, index) => ({ piece, bytes: bytes[index] }));
  }

  async #bytes(side: Side, sizes: readonly number[]): Promise<Uint8Array<ArrayBuffer>[]> {
    const reply = await side.ask({ bytes: [...sizes.keys()] }, this.#timeout);
    if (!("file" in reply)) throw this.#failure(reply);
    const all = Deno.readFileSync(reply.file);
    let start = 0;
    return sizes.map((size) => all.subarray(start, start += size));
  }

  #failure(reply: Answer | Died): Error {
    if ("unusable" in reply) return new TypeError(reply.unusable);
    if ("failed" in reply) return new RecordingError(reply.code, reply.line, reply.failed);
    if (!("died" in reply)) {
      return new RecordingError(
        "failed",
        0,
        "The replay ended before the place that was wanted; look at another event",
      );
    }
    this.counts.deaths++;
    if (this.#isClosed) return new TypeError("The recording was closed; open it again");
    const { died, how, output } = reply, more = output === "" ? "" : `: ${output}`;
    return new RecordingError(
      "failed",
      0,
      `The driver's process ${died}, ${how}${more}; the next request starts another`,
    );
  }
}
