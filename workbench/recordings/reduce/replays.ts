import type { RecordedLine } from "../record/line.ts";
import { RecordingError } from "../replay/error.ts";
import type { RecordedStream } from "../replay/stream.ts";
import { checkStream } from "../replay/check.ts";
import type { DriverDifference } from "../compare/finding.ts";
import type { FormatTolerance } from "../compare/contents/tolerance.ts";
import { Pair, type PairOptions } from "../compare/pair.ts";
import { type ComparedDriver, Side, STARTING } from "../compare/driver_process/side.ts";
import { Candidate } from "./candidate.ts";
import type { Condition } from "./condition.ts";
import type { RunRequest } from "../compare/driver_process/protocol.ts";

/** A validation layer. */
interface ValidationLayer {
  /** The name or the manifest. */
  readonly layer: string;
  /** Whether a missing layer is an error. Otherwise a missing layer has no errors. */
  readonly isNeeded: boolean;
}

/** A process that replays a recording below a validation layer. */
class Validator {
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

/** The settings of replays. */
export interface ReplaySettings {
  /** A file for the recording, in a folder of its own. */
  readonly path: string;
  readonly condition: Condition;
  readonly steps: FormatTolerance;
  readonly share: number;
  readonly timeout: number;
  /** A validation layer. */
  readonly validation?: ValidationLayer;
  /** Ends the replays. */
  readonly signal?: AbortSignal;
}

/** The outcome of two replays. */
export interface Replayed {
  readonly finding?: DriverDifference;
  /** Errors of the validation layer; `undefined` if the layer was not asked, or the replay did not end. */
  readonly errors?: readonly string[];
}

/** A smaller recording that takes so many times as long as the whole, or some seconds, waits for what never comes. */
const PATIENCE = { times: 10, least: 5000 };

/** Replays one recording after the other on two drivers, and below a validation layer. */
export class Replays {
  readonly pair: Pair;
  readonly candidate: Candidate;
  readonly #condition: Condition;
  readonly #validator: Validator | undefined;
  readonly #limits: PairOptions & { timeout: number };

  /** Starts the process of the validation layer. */
  constructor(stream: RecordedStream, drivers: readonly [ComparedDriver, ComparedDriver], settings: ReplaySettings) {
    const { path, condition, validation, steps, share, timeout, signal } = settings;
    this.#condition = condition;
    this.candidate = new Candidate(path, stream);
    this.#limits = { recording: path, unsealed: true, timeout, steps, share, signal, inTurn: true };
    this.pair = new Pair(drivers, this.#limits);
    if (validation !== undefined) this.#validator = new Validator(drivers[0], validation, path, signal);
  }

  /** Whether there is a validation layer. */
  get validates(): boolean {
    return this.#validator !== undefined;
  }

  /** Milliseconds that a driver may take. */
  get timeout(): number {
    return this.#limits.timeout;
  }

  /** Shortens the time limit, since the whole recording took so many milliseconds. A hang would only be found later. */
  hurry(whole: number): void {
    this.#limits.timeout = Math.min(this.#limits.timeout, Math.max(PATIENCE.least, PATIENCE.times * whole));
  }

  /** Replays lines, and compares only some buffers and images. Throws for lines that no driver can replay. */
  async run(lines: readonly RecordedLine[], only: readonly string[] = []): Promise<Replayed> {
    this.#write(lines);
    const { asksDrivers, asksErrors } = this.#condition;
    const finding = asksDrivers ? await this.pair.run({ ...only.length > 0 && { only }, where: false }) : undefined;
    return { finding, ...asksErrors && { errors: await this.errors() } };
  }

  /** Whether the validation layer has no error for lines that can be replayed. */
  async areValid(lines: readonly RecordedLine[]): Promise<boolean> {
    try {
      this.#write(lines);
    } catch (error) {
      if (error instanceof RecordingError) return false;
      throw error;
    }
    return (await this.#validator?.errors("first", this.timeout))?.length === 0;
  }

  #write(lines: readonly RecordedLine[]): void {
    checkStream(this.candidate.streamOf(lines), { breaksRules: true }); // the drivers, or validation, say more
    this.candidate.write(lines);
  }

  /** The same as `run()`, but nothing for lines that no driver can replay. */
  async tried(lines: readonly RecordedLine[], only: readonly string[]): Promise<Replayed | undefined> {
    try {
      return await this.run(lines, only);
    } catch (error) {
      if (error instanceof RecordingError) return undefined;
      throw error;
    }
  }

  /** Errors of the validation layer for the lines that were replayed last. */
  async errors(): Promise<readonly string[] | undefined> {
    return await this.#validator?.errors("all", this.timeout);
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    await Promise.all([this.pair.close(), this.#validator?.close()]);
  }
}

/** The most that one side may be ahead: the other one gets its turn after so many refusals. */
const MOST = 4;

/**
 * The order of the judges of a smaller recording: the one that refused more of the latest ones is asked first. A
 * recording that breaks rules of Vulkan may crash a driver, or hang, which takes longest: the validation layer is asked
 * first at the beginning and after that.
 */
export class Order {
  #lead = MOST;

  /** Whether the validation layer is asked before the drivers are. */
  get validatesFirst(): boolean {
    return this.#lead > 0;
  }

  /** The validation layer had an error. */
  refusedByValidation(): void {
    this.#lead = Math.min(MOST, this.#lead + 1);
  }

  /** The drivers do not part as they should. A crash or a hang where there should be none is dear. */
  refusedByDrivers(isDear: boolean): void {
    this.#lead = isDear ? MOST : Math.max(-MOST, this.#lead - 1);
  }
}
