import { type Allowance, judged } from "./contents/judge.ts";
import type { LoosePart } from "./tolerances/permitted_differences.ts";
import { type ComparedPiece, formatOfPiece, layerSize } from "./contents/piece.ts";
import type { FormatTolerance } from "./contents/tolerance.ts";
import type { DriverDifference, PieceContents, PieceDifference } from "./finding.ts";
import type { Write } from "../state_tracker/effects.ts";
import type { Answer, Cut, DriverIdentity, ReadPiece, RestRequest, RunRequest } from "./driver_process/protocol.ts";
import {
  type ComparedDriver,
  endingOf,
  isOneDriver,
  partedBy,
  type Reply,
  Side,
  STARTING,
} from "./driver_process/side.ts";
import { notedLine } from "./driver_process/heartbeat.ts";
import { temporaryFolder } from "../../../loader/temporary_folder.ts";

/** The options of asking two drivers. */
export interface PairOptions {
  /** Path of the recording. */
  readonly recording: string;
  /** Whether to accept a file that was cut or changed by hand. */
  readonly unsealed: boolean;
  /** Milliseconds that a process may take between two answers. */
  readonly timeout: number;
  /** Steps by which formats may differ. */
  readonly steps: FormatTolerance;
  /** The share of the texels of a level that may differ. */
  readonly share: number;
  /** Ends the processes amid their work. */
  readonly signal?: AbortSignal;
  /** Processes of the drivers that are there already. The pair ends them. */
  readonly sides?: Both<Side>;
  /**
   * Whether of two equal drivers the second gets its turn after the first, and only if that one neither ended nor lost
   * its device: both would, and each process that ends has to be started again.
   */
  readonly inTurn?: boolean;
}

type Both<T> = readonly [T, T];
/** Bytes of contents that are shown and do not differ. */
const LARGEST = 1 << 26;

/** Two processes, one for each driver, that get the same requests. */
export class Pair {
  /** The identities of the drivers, once they told. */
  drivers: [DriverIdentity | undefined, DriverIdentity | undefined] = [undefined, undefined];
  /** The counts so far. */
  readonly counts = { submissions: 0, pieces: 0, replays: 0 };
  /** The pieces that could not be read, with the reasons. */
  readonly unread: Record<string, string> = {};
  readonly #sides: Both<ComparedDriver>;
  readonly #options: PairOptions;
  readonly #inTurn: boolean;
  /** The longest time that a driver took for an answer in the last replay, if it gave one, in milliseconds. */
  slowest = 0;
  #running: [Side | undefined, Side | undefined] = [undefined, undefined];
  /** The process that writes down its place in the recording. */
  #locating: Side | undefined;

  /** Starts nothing yet. */
  constructor(sides: Both<ComparedDriver>, options: PairOptions) {
    this.#sides = sides;
    this.#options = options;
    if (options.sides) this.#running = [...options.sides];
    this.#inTurn = options.inTurn === true && isOneDriver(sides);
    options.signal?.addEventListener("abort", () => {
      for (const side of [...this.#running, this.#locating]) side?.interrupt();
    }, { once: true });
  }

  /**
   * Replays on both drivers until something differs. With a cut, only the contents there are compared. A driver that
   * crashes or hangs runs once more to find the line, unless the line is not wanted. Throws the reason of an abort.
   */
  async run(
    { cut, only, where = true }: Pick<RunRequest, "cut" | "only"> & { readonly where?: boolean } = {},
    onSubmission?: (submission: number) => void,
  ): Promise<DriverDifference | undefined> {
    const { recording, unsealed, timeout, signal } = this.#options;
    signal?.throwIfAborted();
    this.counts.replays++;
    this.slowest = 0;
    const request: RunRequest = { run: recording, unsealed, timeout, cut, only };
    let replies = await this.#ask([request, request], STARTING + timeout);
    for (;;) {
      signal?.throwIfAborted();
      const parted = await this.#parted(replies);
      if (parted) return where ? await this.#located(parted, request) : parted;
      const [one, other] = replies as Both<Answer>;
      if ("began" in one && "began" in other) {
        this.drivers = [one.began, other.began];
        replies = await this.#answers();
        continue;
      }
      if ("done" in one && "done" in other) {
        this.#unread(replies);
        return undefined;
      }
      if (!("submission" in one && "submission" in other)) {
        throw new TypeError(`the processes are not at one place: ${JSON.stringify([one, other]).slice(0, 600)}`);
      }
      onSubmission?.(one.submission);
      const found = await this.#differences([one.pieces, other.pieces]);
      this.counts.submissions++;
      if (found.differences.length > 0) {
        const { submission, line } = one;
        this.#unread(await this.#ask([{ stop: true }, { stop: true }], timeout));
        return { kind: "differs", submission, line, ...found };
      }
      replies = await this.#ask([{ next: true }, { next: true }], timeout);
    }
  }

  /**
   * Replays up to a cut on both drivers, and returns contents there that are no
   * larger than can be shown. Returns nothing if a driver does not get there.
   */
  async contentsAt(cut: Cut, also: readonly Write[]): Promise<PieceContents[]> {
    const { recording, unsealed, timeout, signal } = this.#options, only = also.map(nameOf);
    signal?.throwIfAborted();
    this.counts.replays++;
    const request: RunRequest = { run: recording, unsealed, timeout, cut, only, also };
    let replies = await this.#ask([request, request], STARTING + timeout);
    if (replies.every((reply) => "began" in reply)) replies = await this.#answers();
    const parted = await this.#parted(replies), [one, other] = replies;
    if (parted || !("submission" in one && "submission" in other)) return [];
    const shown = paired(one.pieces, other.pieces).filter(({ piece }) => piece.size <= LARGEST);
    const contents = await this.#fetchBoth(shown);
    await this.#ask([{ stop: true }, { stop: true }], timeout);
    return shown.map(({ piece: { size: _, hash: __, ...piece } }, index) => ({
      piece,
      contents: contents[index].both,
    }));
  }

  /**
   * Replays once more up to a difference, and compares each driver with itself:
   * the contents that differ with those of the replay that found them. Returns
   * the first driver whose contents are others now.
   */
  async again({ submission, line, contents }: DriverDifference): Promise<DriverDifference | undefined> {
    const { recording, unsealed, timeout, signal } = this.#options, only = [...contents.keys()].map(resourceOf);
    signal?.throwIfAborted();
    this.counts.replays++;
    const request: RunRequest = { run: recording, unsealed, timeout, only };
    let replies = await this.#ask([request, request], STARTING + timeout);
    for (;;) {
      signal?.throwIfAborted();
      const parted = await this.#parted(replies), [one, other] = replies;
      if (parted) return { ...parted, isFlaky: true };
      if ("done" in one) return undefined;
      if ("submission" in one && "submission" in other && one.submission === submission) {
        const found = await this.#unlikeBefore([one.pieces, other.pieces], contents);
        await this.#ask([{ stop: true }, { stop: true }], timeout);
        return found && { kind: "unrepeatable", submission, line, ...found };
      }
      replies = "began" in one ? await this.#answers() : await this.#ask([{ next: true }, { next: true }], timeout);
    }
  }

  async #unlikeBefore(
    [one, other]: Both<readonly ReadPiece[]>,
    before: DriverDifference["contents"],
  ): Promise<Found & { readonly side: 0 | 1 } | undefined> {
    const wanted = paired(one, other).filter(({ piece }) => before.has(piece.name));
    const fetched = await this.#fetchBoth(wanted);
    for (const side of [0, 1] as const) {
      const contents = new Map<string, Both<Uint8Array>>();
      const differences = wanted.flatMap(({ piece: { size: _, hash: __, ...piece } }, index) => {
        const { both, loose } = fetched[index], two: Both<Uint8Array> = [before.get(piece.name)![side], both[side]];
        const found = differenceOf(piece, two, { ...this.#options, loose });
        if (found) contents.set(piece.name, two);
        return found ?? [];
      });
      if (differences.length > 0) return { side, differences, contents };
    }
  }

  /** Ends both processes. */
  async close(): Promise<void> {
    await Promise.all(this.#running.map((side) => side?.close()));
  }

  #side(index: 0 | 1): Side {
    const known = this.#running[index];
    if (known?.isAlive) return known;
    return this.#running[index] = new Side(this.#sides[index]);
  }

  async #ask(requests: Both<RunRequest | RestRequest>, patience: number): Promise<Both<Reply>> {
    if (this.#inTurn) return await this.#askInTurn(requests, patience);
    return await this.#timed((side) => this.#side(side).ask(requests[side], patience));
  }

  /** Asks the first driver, and the second one only if that can change the finding. */
  async #askInTurn(requests: Both<RunRequest | RestRequest>, patience: number): Promise<Both<Reply>> {
    const one = await this.#begun(0, requests[0], patience);
    if (!endingOf(one, 0)) return [one, await this.#begun(1, requests[1], patience)];
    if (!("run" in requests[1])) await this.#side(1).ask({ stop: true }, patience); // it rests at the same place
    return [one, one];
  }

  /** Asks a driver, and waits until its replay ends or rests. */
  async #begun(side: 0 | 1, request: RunRequest | RestRequest, patience: number): Promise<Reply> {
    const start = performance.now(), first = await this.#side(side).ask(request, patience);
    if (!("began" in first)) return this.#noted(first, start);
    this.drivers[side] = first.began;
    if (side === 0) this.drivers[1] ??= first.began;
    const began = performance.now();
    return this.#noted(await this.#side(side).answer(this.#options.timeout), began);
  }

  /** Notes the time of a driver that did not die. A process that begins opens its driver first. */
  #noted(reply: Reply, start: number): Reply {
    if (!("died" in reply || "began" in reply)) this.slowest = Math.max(this.slowest, performance.now() - start);
    return reply;
  }

  async #answers(): Promise<Both<Reply>> {
    const { timeout } = this.#options;
    return await this.#timed((side) => this.#side(side).answer(timeout));
  }

  /** Waits for both answers, and notes their times. */
  async #timed(reply: (side: 0 | 1) => Promise<Reply>): Promise<Both<Reply>> {
    const start = performance.now();
    const noted = async (side: 0 | 1) => this.#noted(await reply(side), start);
    return await Promise.all([noted(0), noted(1)]);
  }

  /** Runs the driver of a finding without a line once more. Returns the finding with the line, or as a flaky one. */
  async locate(finding: DriverDifference): Promise<DriverDifference> {
    const { recording, unsealed, timeout, signal } = this.#options;
    signal?.throwIfAborted();
    this.counts.replays++;
    return await this.#located(finding, { run: recording, unsealed, timeout });
  }

  /** Runs a driver that crashed or timed out once more, in a process that writes down its place. */
  async #located(finding: DriverDifference, request: RunRequest): Promise<DriverDifference> {
    if (finding.line !== undefined || finding.side === undefined || request.cut) return finding;
    using folder = temporaryFolder("where");
    const { timeout, signal } = this.#options, where = `${folder.path}/line`;
    Deno.writeTextFileSync(where, "");
    const side = this.#locating = new Side(this.#sides[finding.side]);
    try {
      let reply = await side.ask({ ...request, where }, STARTING + timeout);
      while ("began" in reply || "submission" in reply) {
        reply = "began" in reply ? await side.answer(timeout) : await side.ask({ next: true }, timeout);
      }
      signal?.throwIfAborted();
      if (!("died" in reply)) return { ...finding, isFlaky: true };
      const line = notedLine(where);
      return { ...finding, ...endingOf(reply, finding.side), ...line !== undefined && { line } };
    } finally {
      await side.close();
    }
  }

  /** The finding of replies that are not of one kind. A replay that still goes on is ended, so that the next one can begin. */
  async #parted(replies: Both<Reply>): Promise<DriverDifference | undefined> {
    let isOver = true;
    try {
      const found = partedBy(replies);
      isOver = found !== undefined;
      return found;
    } finally {
      if (isOver) await this.#end(replies);
    }
  }

  async #end(replies: Both<Reply>): Promise<void> {
    for (const [index, reply] of replies.entries()) {
      if ("submission" in reply) await this.#side(index as 0 | 1).ask({ stop: true }, this.#options.timeout);
      else if ("began" in reply) {
        await this.#running[index]?.close();
        this.#running[index] = undefined;
      }
    }
  }

  /** Only contents with other checksums are fetched. */
  async #differences([one, other]: Both<readonly ReadPiece[]>): Promise<Found> {
    const shared = paired(one, other), suspects = shared.filter(({ same }) => !same);
    this.counts.pieces += shared.length;
    const contents = new Map<string, Both<Uint8Array>>();
    if (suspects.length === 0) return { differences: [], contents };
    const fetched = await this.#fetchBoth(suspects);
    const differences = suspects.flatMap(({ piece: { size: _, hash: __, ...piece } }, index) => {
      const { both, loose } = fetched[index], found = differenceOf(piece, both, { ...this.#options, loose });
      if (found) contents.set(piece.name, both);
      return found ?? [];
    });
    return { differences, contents };
  }

  #unread(replies: Both<Reply>): void {
    for (const reply of replies) if ("done" in reply) Object.assign(this.unread, reply.done.unread);
  }

  async #fetchBoth(wanted: readonly Shared[]): Promise<Fetched[]> {
    const [left, right] = await Promise.all(
      ([0, 1] as const).map((side) =>
        this.#fetch(side, wanted.map(({ piece, at }) => ({ index: at[side], size: piece.size })))
      ),
    );
    return left.map(({ bytes, loose }, index) => ({ both: [bytes, right[index].bytes], loose }));
  }

  async #fetch(side: 0 | 1, wanted: readonly { index: number; size: number }[]) {
    const reply = await this.#side(side).ask({ bytes: wanted.map(({ index }) => index) }, this.#options.timeout);
    if (!("file" in reply)) {
      const why = "failed" in reply ? reply.failed : JSON.stringify(reply);
      throw new TypeError(`the process handed out no bytes: ${why}`);
    }
    const all = Deno.readFileSync(reply.file);
    let start = 0;
    return wanted.map(({ size }, index) => ({ bytes: all.subarray(start, start += size), loose: reply.loose[index] }));
  }
}

/** A piece that both drivers have: its places in their answers, and whether the contents are the same. */
interface Shared {
  readonly piece: ReadPiece;
  readonly at: Both<number>;
  readonly same: boolean;
}

/** The bytes of a piece on both sides, with the parts in which drivers have permitted difference by the recording. */
interface Fetched {
  readonly both: Both<Uint8Array>;
  readonly loose: readonly LoosePart[];
}

function paired(one: readonly ReadPiece[], other: readonly ReadPiece[]): Shared[] {
  const others = new Map(other.map((piece, index) => [piece.name, { piece, index }]));
  return one.flatMap((piece, index) => {
    const found = others.get(piece.name);
    return found ? [{ piece, at: [index, found.index] as const, same: found.piece.hash === piece.hash }] : [];
  });
}

/** The buffer or image of a piece by the name of the piece, which names a level, too. */
function resourceOf(piece: string): string {
  return /^Vk\w+#\d+/.exec(piece)?.[0] ?? piece;
}

function nameOf(write: Write): string {
  return "buffer" in write ? write.buffer : write.image;
}

/** Contents that differ, with their bytes. */
type Found = Pick<DriverDifference, "differences" | "contents">;

function differenceOf(
  piece: ComparedPiece,
  [one, other]: Both<Uint8Array>,
  allowance: Allowance,
): PieceDifference | undefined {
  const found = judged(piece, one, other, allowance);
  if (!found || "bytes" in found) return found && { piece, ...found };
  return { piece, ...found, at: placeOf(piece, found.texels.first, formatOfPiece(piece)!.blockSize) };
}

/** The place of a texel, or of the first texel of a block. */
function placeOf(piece: ComparedPiece, index: number, blockSize: number): PieceDifference["at"] {
  const { layers, samples, width, height } = piece.image!, inLayer = layerSize(piece) / blockSize;
  const [blockWidth, blockHeight] = formatOfPiece(piece)!.blockExtent;
  const across = Math.ceil(width / blockWidth), down = Math.ceil(height / blockHeight), rest = index % inLayer;
  return {
    x: rest % across * blockWidth,
    y: Math.floor(rest / across) % down * blockHeight,
    z: Math.floor(rest / (across * down)),
    layer: layers[Math.floor(index / inLayer / samples)],
    ...samples > 1 && { sample: Math.floor(index / inLayer) % samples },
  };
}
