import { callback, list, number, object, type OptionRules, record, text, typed } from "../../../ffi/check_options.ts";
import type { CaseMatcher } from "./case_list.ts";
import type { DeqpStatus } from "./status.ts";

/** Settings of {@linkcode runDeqp}. */
export interface DeqpOptions {
  /**
   * The program and its arguments, such as `["./deqp-vk",
   * "--deqp-log-images=disable"]`. `{cases}` in an argument stands for the file
   * with the cases to run, `{log}` for the log file. Without `{cases}`, dEQP's
   * own two options are appended.
   */
  readonly command: readonly string[];
  /** The names of the cases. */
  readonly caseList: readonly string[];
  /** The number of processes at a time. Default: the number of processors. */
  readonly shards?: number;
  /** The most cases for one process. Default 500. */
  readonly groupSize?: number;
  /** The number of further runs, alone, of a case that fails unexpectedly. Default 1. */
  readonly retries?: number;
  /**
   * Milliseconds without output after which a process is ended, and its case
   * gets the status `Timeout`. Default 60000.
   */
  readonly timeout?: number;
  /** Cases that are known to fail, with their statuses. */
  readonly baseline?: ReadonlyMap<string, DeqpStatus>;
  /** Cases that may fail at times. */
  readonly flakes?: CaseMatcher;
  /** Cases that are not run. */
  readonly skips?: CaseMatcher;
  /** Variables to add to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The working folder of the program. Default: the current one. */
  readonly folder?: string;
  /** Called when a case begins, with its shard. */
  readonly onStart?: (name: string, shard: number) => void;
  /** Called with each final result. */
  readonly onResult?: (result: DeqpResult) => void;
  /** Ends the run. Cases that were not run are `Missing`. */
  readonly signal?: AbortSignal;
  /** Calls back after milliseconds. The returned function cancels that. Default: setTimeout(). */
  readonly alarm?: (callback: () => void, milliseconds: number) => () => void;
}

/** A program with its cases: all of a run, or a part of a suite. */
export interface DeqpPart extends Omit<DeqpOptions, "shards" | "retries" | "onStart" | "onResult" | "signal"> {
  /** Stands before the names of the cases in all results, baselines, flakes and skips. Default: nothing. */
  readonly prefix?: string;
}

/** Settings of a run of several parts, whose processes share the shards. */
export interface DeqpParts extends Pick<DeqpOptions, "shards" | "retries" | "onStart" | "onResult" | "signal"> {
  /** The parts. */
  readonly parts: readonly DeqpPart[];
}

/** The options of a run and their rules. */
export const DEQP_RULES: OptionRules<DeqpOptions> = {
  command: list("a list of a program and its arguments", typed("a text", "string")),
  caseList: list("a list of cases", typed("a name", "string")),
  shards: number,
  groupSize: number,
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
 * The meaning of a result: `passed`; `failed`; `crashed`: its process died; `timed out`: its process was ended;
 * `skipped`; `flaky`: the case failed and then passed, or is known to fail at times; `expected`: the case fails as the
 * baseline says; `fixed`: the baseline says that the case fails, and it passes; `missing`: there was no result.
 */
export type DeqpOutcome =
  | "passed"
  | "failed"
  | "crashed"
  | "timed out"
  | "skipped"
  | "flaky"
  | "expected"
  | "fixed"
  | "missing";

/** A case and its result. */
export interface DeqpResult {
  /** The name. */
  readonly name: string;
  /** The status of the last attempt. */
  readonly status: DeqpStatus;
  /** The meaning of the status. */
  readonly outcome: DeqpOutcome;
  /** The message of dEQP, or of the runner. */
  readonly message: string;
  /** Duration in seconds; 0 if the case did not begin. */
  readonly seconds: number;
  /** The status of each attempt. */
  readonly attempts: readonly DeqpStatus[];
}

/** The results of a run. */
export interface DeqpRun {
  /** The results, in the order of the list. */
  readonly results: readonly DeqpResult[];
  /** The number of results of each outcome. */
  readonly counts: Readonly<Record<DeqpOutcome, number>>;
  /** Whether no case failed, none is missing, and the baseline names no case that passes. */
  readonly isGood: boolean;
}
