import { callback, list, number, object, type OptionRules, record, text, typed } from "../../ffi/check_options.ts";
import type { CaseMatcher } from "./patterns.ts";
import type { DeqpStatus } from "./status.ts";

/** Settings of {@linkcode runDeqp}. */
export interface DeqpOptions {
  /**
   * The program and its arguments, such as `["./deqp-vk",
   * "--deqp-log-images=disable"]`. `{cases}` in an argument stands for the file
   * with the cases to be run, `{log}` for that of the log; without `{cases}`,
   * dEQP's own two options are appended.
   */
  readonly command: readonly string[];
  /** The names of the cases. */
  readonly caseList: readonly string[];
  /** How many processes run at a time. Default: as many as there are processors. */
  readonly shards?: number;
  /** How many cases a process gets at most. Default 500. */
  readonly group?: number;
  /** How often a case that fails unexpectedly is run again, alone. Default 1. */
  readonly retries?: number;
  /** After how many milliseconds without news a process is ended, and its case a `Timeout`. Default 60000. */
  readonly timeout?: number;
  /** Cases that are known to fail, and how. */
  readonly baseline?: ReadonlyMap<string, DeqpStatus>;
  /** Cases that may fail at times. */
  readonly flakes?: CaseMatcher;
  /** Cases that are not run. */
  readonly skips?: CaseMatcher;
  /** Added to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder the program runs in. Default: this one. */
  readonly folder?: string;
  /** Called when a case begins, with its shard. */
  readonly onStart?: (name: string, shard: number) => void;
  /** Called with each result that counts. */
  readonly onResult?: (result: DeqpResult) => void;
  /** Ends the run: what was not run is `Missing`. */
  readonly signal?: AbortSignal;
  /** Calls back after milliseconds; the result ends that. Default: by setTimeout(). */
  readonly alarm?: (callback: () => void, milliseconds: number) => () => void;
}

/** Which options of a run there are, and what fits. */
export const DEQP_RULES: OptionRules<DeqpOptions> = {
  command: list("a list of a program and its arguments", typed("a text", "string")),
  caseList: list("a list of cases", typed("a name", "string")),
  shards: number,
  group: number,
  retries: number,
  timeout: number,
  baseline: object("a Map of statuses by case"),
  flakes: callback("says whether a case is flaky"),
  skips: callback("says whether a case is left out"),
  environment: record("an object of texts by the variables' names", typed("a text", "string")),
  folder: text("the path of a folder"),
  onStart: callback("takes a case's name"),
  onResult: callback("takes a result"),
  signal: object("an AbortSignal"),
  alarm: callback("calls another one later"),
};

/**
 * What a result means: `pass`; `fail`; `expected`: it fails as the baseline
 * says; `fixed`: the baseline says that it fails, and it does not; `flake`: it
 * failed, and passed when it was run again, or is known to fail at times;
 * `skip`; `missing`: nothing was said of it.
 */
export type DeqpOutcome = "pass" | "fail" | "expected" | "fixed" | "flake" | "skip" | "missing";

/** A case and what came of it. */
export interface DeqpResult {
  /** The name. */
  readonly name: string;
  /** How it ended the last time. */
  readonly status: DeqpStatus;
  /** What that means. */
  readonly outcome: DeqpOutcome;
  /** What dEQP said, or the runner. */
  readonly message: string;
  /** Seconds from its beginning to its end; 0 if it did not begin. */
  readonly seconds: number;
  /** How it ended each time. */
  readonly attempts: readonly DeqpStatus[];
}

/** What came of all. */
export interface DeqpRun {
  /** In the order of the list. */
  readonly results: readonly DeqpResult[];
  /** How many there are of each outcome. */
  readonly counts: Readonly<Record<DeqpOutcome, number>>;
  /** Whether none failed, none is missing, and the baseline names none that does not fail. */
  readonly isGood: boolean;
}
