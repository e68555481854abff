import type { RecordedLine } from "../record/line.ts";
import type { RecordedStream } from "../replay/stream.ts";
import { bisect } from "../compare/bisect.ts";
import type { DriverDifference } from "../compare/finding.ts";
import { isSubmission } from "../compare/driver_process/cut.ts";
import { type Condition, outcomeOf } from "./condition.ts";
import { leaveOut, type Search } from "./search.ts";
import { dropped } from "./drop.ts";
import { reduceData } from "./data.ts";
import { edited } from "./edits.ts";
import { groupEdits } from "./groups.ts";
import { inlined } from "./inline.ts";
import { livingLines } from "./living.ts";
import { isSmaller, type Measure, measureOf } from "./measure.ts";
import type { Candidate } from "./candidate.ts";
import { Order, type Replayed, type Replays } from "./replays.ts";
import { reduceShaders } from "./shaders.ts";
import { countEdits, defaultEdits, type EditGroup, halfEdits, leastEdits, needlessEdits } from "./shrink.ts";
import { isSound } from "./sound.ts";
import { unitsOf } from "./units.ts";

/**
 * The way of a recording to a small one.
 *
 * The reducer tries smaller recordings and keeps each one of which the condition is still true (two drivers differ, a
 * driver crashes, a message appears). Every kept recording is smaller than the one before by measure.ts, so that all
 * loops end.
 *
 * ```text
 *   whole recording
 *      |  up to the submission that differs; what nothing living needs (living.ts); secondary buffers inlined
 *      v
 *   +->units left out (units.ts, delta.ts)        command buffers, passes, single lines: halves first, then quarters …
 *   |     v
 *   |  calls made simpler (shrink.ts, data.ts)    counts, sizes, formats, flags to their least; bytes to zero
 *   |     |
 *   +-----+  again, as long as lines go
 *      v
 *   shaders made smaller (shaders.ts), and the loop once more
 *      v
 *   what only a validation layer knows to be needless (groups.ts)
 * ```
 *
 * A candidate has to pass three questions, the cheapest first:
 *
 * ```text
 *   was it tried before?
 *   has each command its state, each wait its signal?     sound.ts
 *   is the condition true on both drivers, and is the     order.ts asks first what refuses sooner
 *   validation layer silent?
 * ```
 *
 * The condition must stay true of the same fault: the same side, one of the same resources, one of the same codes.
 *
 * @module
 */

/** The number of replays of a recording that show whether the outcome is always the same. */
export const SURE = 3;
/** The codes of a validation layer's messages. */
const CODE = /(VUID|UNASSIGNED|SYNC)-[\w-]+/g;

/** The options of a reduction: its listeners, and the signal that stops it. */
export interface ReducerOptions {
  readonly onSmaller?: (lines: number) => void;
  readonly signal?: AbortSignal;
}

/** A reduction that goes on. Each recording that is taken is smaller than the one before, so that every loop ends. */
export class Reducer implements Search {
  /** Whether the condition held only in some replays of one recording. */
  isFlaky = false;
  /** Whether every smaller recording must have no error of the validation layer. */
  isValidated = false;
  /** The number of smaller recordings that were tried. */
  tries = 0;
  /** The outcome of the smallest recording so far. */
  latest: Replayed = {};
  /** The smallest recording so far. */
  lines: readonly RecordedLine[];
  readonly #replays: Replays;
  readonly #condition: Condition;
  readonly #options: ReducerOptions;
  #measure: Measure;
  /** The recordings that were tried, so that nothing is tried twice. */
  readonly #tried = new Set<string>();
  #first: Replayed = {};
  readonly #order = new Order();

  constructor(
    { lines }: RecordedStream,
    replays: Replays,
    condition: Condition,
    options: ReducerOptions,
  ) {
    this.lines = lines;
    this.#replays = replays;
    this.#condition = condition;
    this.#options = options;
    this.#measure = measureOf(lines, this.candidate.weigh);
  }

  /** The bytes of recordings. */
  get candidate(): Candidate {
    return this.#replays.candidate;
  }

  /**
   * Makes the recording as small as it can be, or as small as it is when it is
   * stopped. Throws a `TypeError` if the condition is not true of the whole, and
   * the reason of an abort before that is known.
   */
  async run(): Promise<void> {
    await this.#begin();
    await this.#untilStopped(async () => {
      await this.take(livingLines(this.#upToDifference()));
      await this.take(livingLines(inlined(this.lines)));
      await this.#leaveOutUnits();
      do await this.#simplify(); while (await this.#leaveOutUnits());
      const isDear = /^(crashed|timed out)$/.test(this.latest.finding?.kind ?? "");
      if (await reduceShaders(this, this.#options.signal, isDear)) {
        do await this.#simplify(); while (await this.#leaveOutUnits());
      }
      if (this.isValidated) await this.#leaveOutNeedless();
    });
  }

  /** Runs work, and drops the result of replays that an abort ended. */
  async #untilStopped<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work();
    } catch (error) {
      if (this.#options.signal?.aborted) return undefined;
      throw error;
    }
  }

  /** Leaves out what only a validation layer knows to be needless. */
  async #leaveOutNeedless(): Promise<void> {
    for (const edits of [groupEdits, needlessEdits]) if (await this.#edit(edits)) await this.#leaveOutUnits();
  }

  /** Makes counts, sizes, state and data of the calls smaller. */
  async #simplify(): Promise<void> {
    for (const edits of [countEdits, leastEdits, defaultEdits]) await this.#edit(edits);
    while (await this.#edit(halfEdits));
    await reduceData(this);
  }

  /**
   * Returns the place where the drivers part on the smallest recording, with the
   * first command whose result differs, or the line. A flaky difference would be
   * searched at the wrong commands.
   */
  async named(): Promise<DriverDifference | undefined> {
    const { finding } = this.latest, { pair, candidate } = this.#replays;
    if (!finding || this.isFlaky) return finding;
    return await this.#untilStopped(async () => {
      candidate.write(this.lines);
      if (finding.kind !== "differs") {
        const isDead = finding.line === undefined && finding.side !== undefined;
        return isDead ? await pair.locate(finding) : await pair.run() ?? { ...finding, isFlaky: true };
      }
      const inside = await bisect(pair, candidate.path, finding.submission!, true);
      return { ...finding, ...inside && { action: inside.action } };
    }) ?? finding;
  }

  /** Replays the whole recording often enough to know whether the condition is always true. */
  async #begin(): Promise<void> {
    const all: (Replayed | undefined)[] = [];
    for (let count = 0; count < SURE; count++) {
      const start = performance.now(), replayed = await this.#replays.run(this.lines);
      // The other driver says how long a replay takes that does not hang.
      const isHung = replayed.finding?.kind === "timed out";
      this.#replays.hurry(isHung ? this.#replays.pair.slowest : performance.now() - start);
      all.push(this.#holds(replayed) ? replayed : undefined);
      if (count === 0 && replayed.finding) this.latest = replayed;
    }
    const first = all.find((each) => each !== undefined);
    if (!first) throw this.#neverTrue();
    this.#first = this.latest = first;
    this.isFlaky = all.includes(undefined);
    const { validates } = this.#replays;
    this.isValidated = validates && !this.#condition.asksErrors && (await this.#replays.errors())?.length === 0;
  }

  #neverTrue(): TypeError {
    const { finding } = this.latest, side = finding?.side === undefined ? "" : ` on ${"AB"[finding.side]}`;
    const found = !this.#condition.asksDrivers
      ? "the validation layer has no error"
      : finding
      ? `the drivers part otherwise, "${finding.kind}"${side}`
      : "the drivers do not differ";
    return new TypeError(`Cannot reduce while "${this.#condition.text}": ${found}`);
  }

  /** The lines up to the submission after which contents differ. */
  #upToDifference(): readonly RecordedLine[] {
    const { finding } = this.latest;
    if (finding?.kind !== "differs") return this.lines;
    let count = 0;
    return this.lines.slice(
      0,
      1 + this.lines.findIndex((line) => isSubmission(line) && count++ === finding.submission),
    );
  }

  /** Units are indices of the lines that there are now. Returns whether there are fewer lines then. */
  async #leaveOutUnits(): Promise<boolean> {
    const before = this.lines.length;
    for (let size = Infinity; this.lines.length < size;) {
      size = this.lines.length;
      for (let kind = 0; kind < unitsOf(this.lines).length; kind++) {
        const { lines } = this;
        await leaveOut(unitsOf(lines)[kind], (out) => this.take(livingLines(dropped(lines, new Set(out.flat())))));
      }
    }
    return this.lines.length < before;
  }

  /** Returns whether an edit was taken. */
  async #edit(editsOf: (lines: readonly RecordedLine[]) => EditGroup[]): Promise<boolean> {
    const { lines } = this;
    await leaveOut(editsOf(lines), (chosen) => this.take(livingLines(edited(lines, chosen.flat()))));
    return this.lines !== lines;
  }

  /** Whether a recording is smaller and the condition is true of it. Then the recording is the smallest so far. */
  async take(lines: readonly RecordedLine[]): Promise<boolean> {
    const measure = measureOf(lines, this.candidate.weigh);
    if (!isSmaller(measure, this.#measure)) return false;
    const replayed = await this.#replayed(lines);
    if (!replayed) return false;
    this.latest = replayed;
    this.lines = lines;
    this.#measure = measure;
    this.#options.onSmaller?.(lines.length);
    return true;
  }

  /** Whether the condition is true of a recording. */
  async isTrueOf(lines: readonly RecordedLine[]): Promise<boolean> {
    return await this.#replayed(lines) !== undefined;
  }

  /** Returns the outcome of a recording, if the condition is true of it, and if it was not tried before. */
  async #replayed(lines: readonly RecordedLine[]): Promise<Replayed | undefined> {
    const text = JSON.stringify(lines);
    if (this.#tried.has(text) || !isSound(lines)) return undefined;
    this.#tried.add(text);
    this.tries++;
    if (!this.isValidated) return await this.#held(lines);
    const { validatesFirst } = this.#order;
    if (validatesFirst && !await this.#isValid(lines)) return undefined;
    const replayed = await this.#held(lines);
    return replayed && (validatesFirst || await this.#isValid(lines)) ? replayed : undefined;
  }

  async #isValid(lines: readonly RecordedLine[]): Promise<boolean> {
    const isValid = await this.#replays.areValid(lines);
    if (!isValid) this.#order.refusedByValidation();
    return isValid;
  }

  /** Returns the outcome of a recording, if the condition is true of it. */
  async #held(lines: readonly RecordedLine[]): Promise<Replayed | undefined> {
    const only = this.#first.finding?.differences.map(({ piece }) => piece.resource);
    let replayed: Replayed | undefined;
    for (let tries = this.isFlaky ? SURE : 1; tries > 0; tries--) {
      replayed = await this.#replays.tried(lines, only ?? []);
      if (!replayed || this.#holds(replayed)) return replayed;
    }
    this.#order.refusedByDrivers(/^(crashed|timed out)$/.test(replayed?.finding?.kind ?? ""));
    return undefined;
  }

  /** A difference, a crash or an error elsewhere would be another fault. */
  #holds({ finding, errors = [] }: Replayed): boolean {
    if (!this.#condition.holds(outcomeOf(finding, errors))) return false;
    const first = this.#first, side = first.finding?.side;
    if (side !== undefined && finding?.side !== undefined && finding.side !== side) return false;
    return sharesOne(resourcesOf(first), resourcesOf({ finding })) && sharesOne(codesOf(first), codesOf({ errors }));
  }
}

/** Whether two sets share an item, or one of them is empty. */
function sharesOne(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === 0 || other.size === 0 || !one.isDisjointFrom(other);
}

function resourcesOf({ finding }: Replayed): Set<string> {
  return new Set(finding?.differences.map(({ piece }) => piece.resource));
}

function codesOf({ errors = [] }: Replayed): Set<string> {
  return new Set(errors.flatMap((error) => error.match(CODE) ?? []));
}
