import { RecordingError } from "../replay/error.ts";
import type { Write } from "../state_tracker/effects.ts";
import type { Answer, Cut, DriverIdentity, RunRequest } from "../compare/driver_process/protocol.ts";
import { type ComparedDriver, type Died, Side, STARTING } from "../compare/driver_process/side.ts";
import { ASPECT_BITS, type ComparedPiece } from "../compare/contents/piece.ts";
import type { Contents } from "./types.ts";

/** The replay that is wanted from a driver. */
export interface ReplayRequest {
  /** Path of the recording, or of one that was made from it. */
  readonly recording: string;
  /** The place where the replay ends. */
  readonly cut: Cut;
  /** The contents that are read there. */
  readonly parts: readonly Write[];
  /** Whether answers of queries stay what they are; otherwise those that are the driver's own are zero. */
  readonly isMeasured?: boolean;
}

/** Bytes of contents that are kept. */
export const KEPT = 2 ** 29;

/** The latest contents by place and part. */
class ContentsCache {
  readonly #known = new Map<string, Contents[]>();
  #size = 0;

  get(key: string): Contents[] | undefined {
    const found = this.#known.get(key);
    if (found && this.#known.delete(key)) this.#known.set(key, found);
    return found;
  }

  put(key: string, contents: Contents[]): void {
    this.#size += sizeOf(contents) - sizeOf(this.#known.get(key) ?? []);
    this.#known.set(key, contents);
    for (const [oldest, each] of this.#known) {
      if (this.#size <= KEPT || oldest === key) return;
      this.#known.delete(oldest);
      this.#size -= sizeOf(each);
    }
  }
}

function sizeOf(contents: readonly Contents[]): number {
  return contents.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** Whether a piece is of a part. */
function isOf({ resource, image }: ComparedPiece, part: Write): boolean {
  if ("buffer" in part) return resource === part.buffer;
  if (resource !== part.image || !image) return false;
  const { baseMipLevel, levelCount, aspectMask } = part, level = image.level - baseMipLevel;
  return level >= 0 && level < levelCount && (aspectMask & ASPECT_BITS[image.aspect]) !== 0;
}

/** Replays on one driver, in a process that stays. One replay runs at a time. */
export class DriverReplays {
  readonly #driver: ComparedDriver;
  readonly #timeout: number;
  #side: Side | undefined;
  #identity: DriverIdentity | undefined;
  /** The end of the latest request. */
  #latest: Promise<unknown> = Promise.resolve();
  /** The place of the replay that stands in the process. */
  #standing: { readonly recording: string; readonly submission: number } | undefined;
  readonly #cache = new ContentsCache();
  #isClosed = false;
  /** The number of replays so far, and how many processes died. */
  readonly counts = { replays: 0, deaths: 0 };

  /** Nanoseconds of a step of a timestamp, once a replay has begun. */
  timestampPeriod = 1;

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

  async #contents(request: ReplayRequest): Promise<Contents[]> {
    if (this.#isClosed) throw new TypeError("The recording was closed; open it again");
    if (request.isMeasured) return await this.#read(request);
    const { recording, cut, parts } = request;
    const keyOf = (part: Write) => JSON.stringify([recording, cut, part]);
    const lacking = parts.filter((part) => this.#cache.get(keyOf(part)) === undefined);
    const found = new Map(parts.map((part) => [part, this.#cache.get(keyOf(part))]));
    if (lacking.length > 0 || !this.#identity) {
      const read = await this.#read({ ...request, parts: lacking });
      for (const part of lacking) {
        found.set(part, read.filter(({ piece }) => isOf(piece, part)));
        this.#cache.put(keyOf(part), found.get(part)!);
      }
    }
    return [...new Map([...found.values()].flatMap((each) => each!).map((each) => [each.piece.name, each])).values()];
  }

  /** Replays up to a place and reads there. */
  async #read(request: ReplayRequest): Promise<Contents[]> {
    const reply = await this.#goTo(request), side = this.#side!;
    if (!("submission" in reply)) throw this.#failure(reply);
    this.#standing = { recording: request.recording, submission: reply.submission };
    const { pieces } = reply, bytes = pieces.length > 0 ? await this.#bytes(side, pieces.map(({ size }) => size)) : [];
    return pieces.map(({ size: _, hash: __, ...piece }, index) => ({ piece, bytes: bytes[index] }));
  }

  /** Has the replay that stands go on, if it can; begins another otherwise. */
  async #goTo({ recording, cut, parts, isMeasured }: ReplayRequest): Promise<Answer | Died> {
    const stop = { cut, only: parts.map((part) => "buffer" in part ? part.buffer : part.image), also: parts };
    const standing = this.#standing, timeout = this.#timeout;
    this.#standing = undefined;
    if (standing && this.#side?.isAlive) {
      const canGo = standing.recording === recording && standing.submission <= cut.submission;
      const reply = canGo ? await this.#side.ask({ at: stop }, timeout) : undefined;
      if (reply && !("cannot" in reply)) return reply;
      const end = await this.#side.ask({ stop: true }, timeout);
      if (!("done" in end)) return end;
    }
    const side = this.#side?.isAlive ? this.#side : this.#side = new Side(this.#driver);
    this.counts.replays++;
    const request: RunRequest = { run: recording, unsealed: true, timeout, stands: true, isMeasured, ...stop };
    const reply = await side.ask(request, STARTING + timeout);
    if (!("began" in reply)) return reply;
    this.#identity = reply.began;
    this.timestampPeriod = reply.timestampPeriod;
    return await side.answer(timeout);
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
