import type { DriverDifference } from "../compare/finding.ts";

/** The outcome of two replays of a recording, for a condition. */
export interface ReplayOutcome {
  /** Whether contents differ. */
  readonly differs: boolean;
  /** Whether a driver's process crashed. */
  readonly crashes: boolean;
  /** Whether a driver's process timed out. */
  readonly hangs: boolean;
  /** Whether a driver lost its device. */
  readonly lost: boolean;
  /** Whether one driver refused what the other did. */
  readonly fails: boolean;
  /** The driver that crashed, timed out or failed. */
  readonly side?: "A" | "B";
  /** The end of the process, or the error; `""` if contents differ or nothing does. */
  readonly reason: string;
  /** Errors of the validation layer on the first driver; none if there is no such layer. */
  readonly errors: readonly string[];
}

/** Whether an outcome is one that must stay. */
export type Test = (outcome: ReplayOutcome) => boolean;

/** A condition that must stay true. */
export interface Condition {
  /** The text of the condition. */
  readonly text: string;
  /** Whether the condition is true of an outcome. */
  readonly holds: Test;
  /** Whether the condition is about both drivers. */
  readonly asksDrivers: boolean;
  /** Whether it asks for errors of a validation layer. */
  readonly asksErrors: boolean;
}

/** Returns the outcome of replays. */
export function outcomeOf(finding: DriverDifference | undefined, errors: readonly string[]): ReplayOutcome {
  const { kind, side, reason = "" } = finding ?? {};
  return {
    differs: kind === "differs",
    crashes: kind === "crashed",
    hangs: kind === "timed out",
    lost: kind === "lost",
    fails: kind === "failed" || kind === "lost",
    ...side !== undefined && { side: side === 0 ? "A" : "B" },
    reason,
    errors,
  };
}

/** The words of an expression. */
const WORDS: Readonly<Record<string, Test>> = {
  differs: ({ differs }) => differs,
  crashes: ({ crashes }) => crashes,
  hangs: ({ hangs }) => hangs,
  lost: ({ lost }) => lost,
  fails: ({ fails }) => fails,
  validation: hasErrors,
  message: hasErrors,
  A: ({ side }) => side === "A",
  B: ({ side }) => side === "B",
};

function hasErrors({ errors }: ReplayOutcome): boolean {
  return errors.length > 0;
}

/** Words and signs that are read at most: each takes room on the stack. */
const MOST_TOKENS = 200;
const TOKEN = /\s*(&&|\|\||!|\(|\)|"[^"]*"|\w+)/y;

/**
 * Reads a condition: words (`differs`, `crashes`, `hangs`, `lost`, `fails`,
 * `validation` or `message`, `A` and `B` for the driver that does so) and texts in quotes
 * that a reason or an error contains, combined by `&&`, `||`, `!` and brackets.
 *
 * @throws {TypeError} for anything else.
 *
 * @example A crash of the second driver, but not out of memory
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const condition = parseCondition('crashes && B && !"OUT_OF_MEMORY"');
 * const outcome = { differs: false, crashes: true, hangs: false, lost: false, fails: false, reason: "signal SIGSEGV", errors: [] };
 * assertEquals(condition.holds({ ...outcome, side: "B" }), true);
 * assertEquals(condition.holds({ ...outcome, side: "A" }), false);
 * ```
 */
export function parseCondition(text: string): Condition {
  const tokens = tokensOf(text), words = [...tokens];
  if (words.length > MOST_TOKENS) throw wrong(`${text.slice(0, MOST_TOKENS)}…`, `${words.length} words`);
  const holds = either(tokens, text);
  if (tokens.length > 0) throw wrong(text, tokens[0]);
  const asksErrors = words.some(isAboutErrors), asked = words.filter((each) => /^\w/.test(each));
  // A text alone may be in a driver's reason.
  return { text, holds, asksErrors, asksDrivers: asked.length === 0 || asked.some((each) => !isAboutErrors(each)) };
}

function isAboutErrors(word: string): boolean {
  return word === "validation" || word === "message";
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [], all = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < all.length) {
    const at = TOKEN.lastIndex, found = TOKEN.exec(all);
    if (!found) throw wrong(text, all.slice(at).trim());
    tokens.push(found[1]);
  }
  return tokens;
}

function either(tokens: string[], text: string): Test {
  const one = both(tokens, text);
  if (tokens[0] !== "||") return one;
  tokens.shift();
  const other = either(tokens, text);
  return (outcome) => one(outcome) || other(outcome);
}

function both(tokens: string[], text: string): Test {
  const one = single(tokens, text);
  if (tokens[0] !== "&&") return one;
  tokens.shift();
  const other = both(tokens, text);
  return (outcome) => one(outcome) && other(outcome);
}

function single(tokens: string[], text: string): Test {
  const token = tokens.shift();
  if (token === "!") {
    const not = single(tokens, text);
    return (outcome) => !not(outcome);
  }
  if (token === "(") {
    const inner = either(tokens, text);
    if (tokens.shift() !== ")") throw wrong(text, "no closing bracket");
    return inner;
  }
  if (token?.startsWith('"')) {
    const part = token.slice(1, -1);
    return ({ reason, errors }) => [reason, ...errors].some((each) => each.includes(part));
  }
  if (token !== undefined && Object.hasOwn(WORDS, token)) return WORDS[token];
  throw wrong(text, token ?? "the end");
}

function wrong(text: string, found: string): TypeError {
  return new TypeError(
    `Cannot read the condition ${text}: found ${found}; give ${
      Object.keys(WORDS).join(", ")
    } or a text in quotes, with &&, ||, ! and brackets between them`,
  );
}
