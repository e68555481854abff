import { type Outcome, type Rule, type Verdict, verdictOf } from "./verdict.ts";

/**
 * A requirement of Android and its check, on a device, a display or a composer.
 * `Found` is a promise if the check takes time.
 */
export interface Requirement<About extends readonly unknown[], Found = Outcome> extends Rule {
  /** Advice on what to change if the requirement fails or could be met better. Advice in the outcome has precedence. */
  readonly advice?: string;
  /** The rules that must pass before the check: a driver that fails them might not survive it. */
  readonly needs?: readonly string[];
  /** Checks the requirement. */
  check(...about: About): Found;
  /** The outcome if the process did not survive the check; `how` is the end of a sentence. Default: a failure. */
  lost?(how: string): Outcome | undefined;
}

/** Events of running checks. A beginning without an end is the check that the driver did not survive. */
export interface CheckProgress {
  /** A rule is about to be checked with real images and fences. */
  begin?(rule: string): void;
  /** The verdict, also of a rule that is skipped and has no beginning. */
  end?(verdict: Verdict): void;
  /** A call of the driver outside of these rules begins, with the command and what it is for. */
  call?(name: string): void;
  /** The call has returned. */
  returned?(name: string): void;
}

/** The listeners for calls that a driver might not survive, and for calls that it is known not to have survived. */
export type Risks = Pick<Judging<never>, "progress" | "lost">;

/**
 * Makes a call that a driver might not survive, on which many rules depend. Throws an `Error` instead if the call is
 * known to be lost.
 */
export function risk<Result>(
  name: string,
  { progress, lost = {} }: Risks,
  call: () => Result,
): Result {
  if (Object.hasOwn(lost, name)) throw new Error(`${name}: ${lost[name]}`);
  progress?.call?.(name);
  try {
    return call();
  } finally {
    progress?.returned?.(name);
  }
}

/** Options for judging requirements. */
export interface Judging<Each, Found = Outcome> {
  /** The owner of what is checked, if an outcome does not name one. */
  readonly own?: Verdict["own"];
  /** Advice on what to change if a requirement fails without other advice. */
  readonly advice?: string;
  /** Rules that are known to fail and are not checked again, with what was found. */
  readonly lost?: Readonly<Record<string, string>>;
  /** Called for each check as it runs. */
  readonly progress?: CheckProgress;
  /**
   * Runs one check: decides what its errors mean, and under which conditions it
   * counts. Default: calls `check`, whose errors end the run.
   */
  attempt?(requirement: Each, check: () => Found): Found;
}

/** Checks requirements one after another. */
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

/** The same for checks that take time. Each begins when the one before has ended. */
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

/** Yields each attempt, takes its outcome, and returns the verdicts. */
function* attempts<About extends readonly unknown[], Found, Each extends Requirement<About, Found>>(
  requirements: readonly Each[],
  about: About,
  judging: Judging<Each, Found>,
): Generator<Found, Verdict[], Outcome> {
  const { progress, attempt = (_, check) => check() } = judging, verdicts: Verdict[] = [];
  const failed = new Map<string, string>();
  for (const requirement of requirements) {
    const { rule } = requirement, cause = causeOf(requirement, failed);
    const known = lostOutcome(requirement, judging.lost) ?? (cause === undefined ? undefined : notTried(cause));
    if (!known) progress?.begin?.(rule);
    const outcome = known ?? (yield attempt(requirement, () => requirement.check(...about)));
    const verdict = verdictOf(requirement, completed(outcome, requirement, judging));
    progress?.end?.(verdict);
    if (cause !== undefined || verdict.status === "fail") failed.set(rule, cause ?? rule);
    verdicts.push(verdict);
  }
  return verdicts;
}

/** The failed rule without which a requirement has no chance. `failed` has the cause of each failed or skipped rule. */
function causeOf({ needs = [] }: Pick<Requirement<never>, "needs">, failed: ReadonlyMap<string, string>) {
  return needs.map((each) => failed.get(each)).find((cause) => cause !== undefined);
}

/** The outcome of a requirement whose check the driver did not survive. */
function lostOutcome(
  { rule, lost: meaning }: Requirement<never, unknown>,
  lost: Readonly<Record<string, string>> = {},
): Outcome | undefined {
  if (Object.hasOwn(lost, rule)) return meaning?.(lost[rule]) ?? { status: "fail", found: lost[rule] };
}

/** The outcome of a requirement that is skipped, because another failure leaves no chance. */
function notTried(cause: string): Outcome {
  return { status: "report", found: `not tried, for ${cause} failed` };
}

/** Fills in the defaults of an outcome. */
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

/** Passes or fails. */
export function demand(
  holds: boolean,
  found: string,
  advice: string,
  own: Verdict["own"] = holds ? "driver" : undefined,
): Outcome {
  return { status: holds ? "pass" : "fail", found, own, advice: holds ? "" : advice };
}

/** Passes if `holds`, fails otherwise. */
export function seen(holds: boolean, found: string): Outcome {
  return { status: holds ? "pass" : "fail", found };
}

/** The requirement is met. */
export function passed(found: string): Outcome {
  return { status: "pass", found };
}

/** The requirement is not met. */
export function failed(found: string): Outcome {
  return { status: "fail", found };
}

/** Nothing is required, or queries cannot tell. */
export function reported(found: string): Outcome {
  return { status: "report", found };
}

/** Makes the outcome for a driver that has nothing to which the requirement applies. */
export function inapplicable(found: string): Outcome {
  return { status: "not-applicable", found };
}

/** Fails with what went wrong; passes if nothing did. */
export function unless(wrong: string | undefined, found: string): Outcome {
  return wrong ? failed(wrong) : passed(found);
}
