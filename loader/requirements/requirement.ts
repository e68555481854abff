import { type Outcome, type Rule, type Verdict, verdictOf } from "./verdict.ts";

/**
 * A requirement of Android's, and how it is tried: on a device and around it,
 * on a display, on a composer. `Found` is a promise where trying takes time.
 */
export interface Requirement<About extends readonly unknown[], Found = Outcome> extends Rule {
  /** What to change where it fails or could be better; what an outcome says itself counts more. */
  readonly advice?: string;
  /** The rules that have to hold for it to be tried: a driver that fails them may not come back from it. */
  readonly needs?: readonly string[];
  /** Tries it. */
  check(...about: About): Found;
  /** What it means that the process did not survive it, which is told as the end of a sentence. Default: a failure. */
  lost?(how: string): Outcome | undefined;
}

/** What is told while requirements are tried: whoever hears of a beginning and of no end knows what the driver did not come back from. */
export interface CheckProgress {
  /** A rule is about to be tried with real images and fences. */
  begin?(rule: string): void;
  /** What came of it. */
  end?(verdict: Verdict): void;
}

/** How requirements are judged. */
export interface Judging<Each, Found = Outcome> {
  /** Whose it is that is tried, where an outcome does not say so itself. */
  readonly own?: Verdict["own"];
  /** What to change where a requirement fails and nothing else says so. */
  readonly advice?: string;
  /** Rules that are known to fail and are not tried again: by rule, what was found. */
  readonly lost?: Readonly<Record<string, string>>;
  /** Told what is tried, as it is. */
  readonly progress?: CheckProgress;
  /** Tries one: says what its errors mean, and under which conditions it counts. Default: calls `check`, whose errors end it all. */
  attempt?(requirement: Each, check: () => Found): Found;
}

/** Tries requirements one after another. */
export function judge<About extends readonly unknown[], Each extends Requirement<About>>(
  requirements: readonly Each[],
  about: About,
  judging: Judging<Each> = {},
): Verdict[] {
  const run = attempts(requirements, about, judging);
  let step = run.next();
  while (!step.done) step = run.next(step.value);
  return step.value;
}

/** The same for requirements that take time: each is tried when the one before has ended. */
export async function judgeInTurn<
  About extends readonly unknown[],
  Each extends Requirement<About, Outcome | Promise<Outcome>>,
>(
  requirements: readonly Each[],
  about: About,
  judging: Judging<Each, Outcome | Promise<Outcome>> = {},
): Promise<Verdict[]> {
  const run = attempts(requirements, about, judging);
  let step = run.next();
  while (!step.done) step = run.next(await step.value);
  return step.value;
}

/** Gives out what each attempt found, takes what that came to, and ends with the verdicts. */
function* attempts<About extends readonly unknown[], Found, Each extends Requirement<About, Found>>(
  requirements: readonly Each[],
  about: About,
  judging: Judging<Each, Found>,
): Generator<Found, Verdict[], Outcome> {
  const { progress, attempt = (_, check) => check() } = judging, failed = new Set<string>(), verdicts: Verdict[] = [];
  for (const requirement of requirements) {
    const known = knownOf(requirement, failed, judging.lost);
    if (!known) progress?.begin?.(requirement.rule);
    const outcome = known ?? (yield attempt(requirement, () => requirement.check(...about)));
    const verdict = verdictOf(requirement, completed(outcome, requirement, judging));
    if (!known) progress?.end?.(verdict);
    if (verdict.status === "fail") failed.add(verdict.rule);
    verdicts.push(verdict);
  }
  return verdicts;
}

/** What is told of a requirement that is not tried: the driver did not come back from it, or another's failure leaves no chance. */
function knownOf(
  { rule, needs = [], lost: meaning }: Requirement<never, unknown>,
  failed: ReadonlySet<string>,
  lost: Readonly<Record<string, string>> = {},
): Outcome | undefined {
  if (Object.hasOwn(lost, rule)) return meaning?.(lost[rule]) ?? { status: "fail", found: lost[rule] };
  const lacks = needs.find((each) => failed.has(each));
  return lacks === undefined ? undefined : { status: "report", found: `not tried, for ${lacks} failed` };
}

/** What an outcome leaves out. */
function completed(
  outcome: Outcome,
  requirement: Requirement<never, unknown>,
  judging: Pick<Judging<never, never>, "own" | "advice">,
): Outcome {
  const ofAll = outcome.status === "fail" ? judging.advice : undefined;
  const ofEach = outcome.status === "fail" || outcome.status === "report" ? requirement.advice : undefined;
  return { own: judging.own, advice: ofEach ?? ofAll, ...outcome };
}

/** Sorts by the numbers of the requirements. */
export function byNumber(verdicts: readonly Verdict[]): Verdict[] {
  const numberOf = ({ id }: Verdict) => Number(/\d+$/.exec(id)?.[0]);
  return verdicts.toSorted((one, other) => numberOf(one) - numberOf(other));
}

/** Pass or fail. */
export function demand(
  holds: boolean,
  found: string,
  advice: string,
  own: Verdict["own"] = holds ? "driver" : undefined,
): Outcome {
  return { status: holds ? "pass" : "fail", found, own, advice: holds ? "" : advice };
}

/** It is as it shall be, or it is not. */
export function seen(holds: boolean, found: string): Outcome {
  return { status: holds ? "pass" : "fail", found };
}

/** It is as it shall be. */
export function passed(found: string): Outcome {
  return { status: "pass", found };
}

/** It is not. */
export function failed(found: string): Outcome {
  return { status: "fail", found };
}

/** Nothing is demanded, or nothing can be told by asking. */
export function reported(found: string): Outcome {
  return { status: "report", found };
}

/** There is nothing that it could be asked of. */
export function inapplicable(found: string): Outcome {
  return { status: "not-applicable", found };
}

/** Passes what went wrong nowhere, else fails with it. */
export function unless(wrong: string | undefined, found: string): Outcome {
  return wrong ? failed(wrong) : passed(found);
}
