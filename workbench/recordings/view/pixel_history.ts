import { RecordingError } from "../replay/error.ts";
import { lineNumber } from "../replay/recording_file.ts";
import { formatOf } from "../../../loader/texels/format.ts";
import type { Resources } from "../state_tracker/resources.ts";
import { type Candidate, Candidates } from "./candidates.ts";
import { answersOf, type ReplaySource } from "./answers.ts";
import type { Moments } from "./moments.ts";
import type { Shaders } from "./shaders.ts";
import { numbersOf, partOf, type Texel, texelBytes, texelOf } from "./texel.ts";
import { Trials } from "./trials.ts";
import type { DropReason, PixelHistory, PixelStep, RecordingEvent, TexelPlace } from "./types.ts";
import { reasonAgainstTrial } from "./variants.ts";

/** The recording and the driver of a history. */
export interface HistorySource extends ReplaySource {
  readonly moments: Moments;
  readonly shaders: Shaders;
}

/** The answer of the trials of a draw. */
interface Verdict {
  /** The reason why no fragment passes; `undefined` if one does. */
  readonly reason: DropReason | undefined;
  readonly isMasked: boolean;
}

/** Returns the events that could write a texel, with the values before and after. */
export async function historyOf(source: HistorySource, place: TexelPlace): Promise<PixelHistory> {
  const candidates = candidatesOf(source, place), { texel, found, format } = candidates, unknown: string[] = [];
  const verdicts = await verdictsOf(source, candidates, unknown);
  const steps = new Steps(source, texel, format, unknown);
  for (const candidate of found) await steps.add(candidate, verdicts.get(candidate));
  await steps.end();
  if (!source.replays.identity) await source.replays.contents({ recording: source.path, cut: START, parts: [] });
  return { driver: source.replays.identity!, steps: steps.all, unknown: [...new Set(unknown)] };
}

const START = { submission: 0, actions: 0 };

function candidatesOf({ moments, events, shaders }: HistorySource, place: TexelPlace) {
  let candidates: Candidates | undefined, texel: Texel | undefined, format: number | undefined, device = "";
  moments.follow((executed, submission) => {
    const resources: Resources = executed.scene.resources;
    if (!candidates) {
      const facts = resources.image(place.image);
      if (!facts) return;
      candidates = new Candidates(texel = texelOf(place, facts), shaders);
      format = facts.format;
      device = resources.call(place.image)!.args.device;
    }
    candidates.note(executed, submission);
  });
  if (!candidates) {
    throw new TypeError(`There is no ${place.image} that is alive in one of ${events.submissions.length} submissions`);
  }
  const { found, times } = candidates;
  return { texel: texel!, device, found, times, format: formatOf(format!, texel!.aspect) };
}

/** Tries all draws out that can be, in one replay of a recording that was made for it. */
async function verdictsOf(
  source: HistorySource,
  { texel, device, found, times }: ReturnType<typeof candidatesOf>,
  unknown: string[],
): Promise<Map<Candidate, Verdict>> {
  const trials = new Trials(texel, device, times), verdicts = new Map<Candidate, Verdict>();
  const tried = found.filter((candidate) => {
    const { draw, index, call } = candidate;
    if (!draw) return false;
    if (!draw.isInArea && draw.role) verdicts.set(candidate, { reason: "not covered", isMasked: false });
    if (!draw.isInArea && draw.role) return false;
    const isOften = [...times.get(index)!.values()].some((count) => count > 1);
    const against = isOften ? "is carried out more than once by a submission" : reasonAgainstTrial(draw);
    if (against) {
      unknown.push(`Line ${lineNumber(index)}, ${call.command}, ${against}: if it leaves the texel, why is not known`);
    }
    return against === undefined;
  });
  for (const candidate of tried) trials.add(candidate);
  if (trials.recording.isEmpty) return verdicts;
  try {
    const bySubmission = Map.groupBy(tried, ({ submission }) => submission);
    for await (const { submission, answers } of answersOf(source, trials.recording, trials.edit)) {
      for (const each of bySubmission.get(submission) ?? []) {
        verdicts.set(each, { reason: trials.reasonOf(each, answers), isMasked: trials.isMasked(each) });
      }
    }
  } catch (error) {
    if (!(error instanceof RecordingError || error instanceof TypeError)) throw error;
    unknown.push(`The draws cannot be tried out: ${error.message}`);
  }
  return verdicts;
}

/** A step with the bytes of the texel. */
interface Noted {
  readonly candidate: Candidate;
  readonly event: RecordingEvent;
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
  readonly reason: DropReason | undefined;
}

/** The steps of a history, whose values are read where they may change. */
class Steps {
  readonly #source: HistorySource;
  readonly #texel: Texel;
  readonly #format: ReturnType<typeof formatOf>;
  readonly #unknown: string[];
  readonly #noted: Noted[] = [];
  /** The number of steps that come before those whose values were not read. */
  #sure = 0;
  /** The events that are actions, by submission. */
  readonly #actions = new Map<number, readonly RecordingEvent[]>();

  constructor(source: HistorySource, texel: Texel, format: ReturnType<typeof formatOf>, unknown: string[]) {
    this.#source = source;
    this.#texel = texel;
    this.#format = format;
    this.#unknown = unknown;
  }

  /** The steps with their numbers. */
  get all(): PixelStep[] {
    return this.#noted.map(({ event, before, after, reason }) => {
      const changed = !isEqual(before, after);
      const values = { before: numbersOf(before, this.#format), after: numbersOf(after, this.#format) };
      return { event, ...values, changed, ...!changed && reason && { reason } };
    });
  }

  async add(candidate: Candidate, verdict: Verdict | undefined): Promise<void> {
    const { submission, actions } = candidate, event = this.#event(candidate), latest = this.#noted.at(-1);
    // A fragment that fails a test may still change stencil.
    const isDropped = verdict?.isMasked || verdict?.reason !== undefined &&
        (this.#texel.aspect !== "stencil" || !["stencil", "depth"].includes(verdict.reason));
    const reason = candidate.draw && (verdict?.reason ?? (verdict && (verdict.isMasked ? "masked" : "same value")));
    if (isDropped && latest) {
      this.#noted.push({ candidate, event, before: latest.after, after: latest.after, reason });
      return;
    }
    const before = await this.#read(submission, candidate.before);
    await this.#check(before, `before event ${event.id}, line ${event.line},`);
    const after = isDropped ? before : await this.#read(submission, actions);
    this.#noted.push({ candidate, event, before, after, reason });
    this.#sure = this.#noted.length;
  }

  /** Looks whether the texel is at the end of the last submission what the last step left. */
  async end(): Promise<void> {
    const last = this.#noted.at(-1);
    if (!last) return;
    const { list, submissions } = this.#source.events, { submission } = last.candidate;
    const bytes = await this.#read(submission, list[submissions[submission]].actions);
    await this.#check(bytes, `after event ${last.event.id}, line ${last.event.line},`);
  }

  /**
   * Compares what was read with what the latest step left. If that is another value, the trials were wrong, as those of a
   * driver with a fault may be: then every value is read. What still is not explained is said.
   */
  async #check(bytes: Uint8Array | undefined, where: string): Promise<void> {
    const latest = this.#noted.at(-1);
    if (!latest || isEqual(latest.after, bytes)) return;
    for (const [index, step] of this.#noted.entries()) {
      if (index < this.#sure) continue;
      step.before = this.#noted[index - 1]?.after ?? step.before;
      step.after = await this.#read(step.candidate.submission, step.candidate.actions);
    }
    if (!isEqual(latest.after, bytes)) this.#unknown.push(`The texel was changed ${where} by no event that names it`);
  }

  async #read(submission: number, actions: number): Promise<Uint8Array | undefined> {
    const { replays, path } = this.#source, cut = { submission, actions };
    return texelBytes(await replays.contents({ recording: path, cut, parts: [partOf(this.#texel)] }), this.#texel);
  }

  #event({ submission, actions }: Candidate): RecordingEvent {
    const { list, submissions } = this.#source.events, first = submissions[submission];
    const known = this.#actions.get(submission) ??
      list.slice(first, first + list[first].inside + 1).filter(({ isAction }) => isAction);
    this.#actions.set(submission, known);
    return known[actions - 1];
  }
}

function isEqual(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one?.join() === other?.join();
}
