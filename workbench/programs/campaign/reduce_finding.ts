import type { ComparedDriver } from "../../recordings/compare/driver_process/side.ts";
import { compareDrivers } from "../../recordings/compare/compare_drivers.ts";
import type { DriverDifference } from "../../recordings/compare/finding.ts";
import { findingPage } from "../../recordings/compare/report/page.ts";
import { reduceRecording } from "../../recordings/reduce/reduce_recording.ts";
import { RecordingError } from "../../recordings/replay/error.ts";
import { isSystemError, WrongUse } from "../../process/exit_code.ts";
import { writeReport } from "../../process/files.ts";
import type { FuzzFinding } from "./findings.ts";

/** The files of a smaller program that shows a finding. */
export interface ReducedFinding {
  /** The recording. */
  readonly file: string;
  /** The test, or why there is none. */
  readonly script: string;
  /** The page, or why there is none; nothing for a reduction that was stopped. */
  readonly page?: string;
  /** Commands before and after. */
  readonly commands: readonly [before: number, after: number];
  /** Whether the drivers part only sometimes. */
  readonly isFlaky: boolean;
  /** Whether the reduction was ended before it was through. */
  readonly isStopped: boolean;
}

/** Options for reducing findings. */
export interface FindingReduction {
  /** Milliseconds that a driver may take for a submission. */
  readonly timeout: number;
  /** A validation layer, by its name or manifest; `false` for none. */
  readonly validation?: string | false;
  /** Milliseconds that all reductions of a run may take together. */
  readonly budget: number;
  /** Ends the reduction. */
  readonly signal?: AbortSignal;
}

const WORDS = {
  differs: "differs",
  unrepeatable: "differs",
  crashed: "crashes",
  "timed out": "hangs",
  lost: "lost",
  failed: "fails",
} as const;

/**
 * Makes the program of a finding as small as it can be, beside the program's
 * file: recording, script and page. Returns why that is not possible, as text.
 */
export async function reduceFinding(
  { file, steps, difference }: FuzzFinding,
  drivers: readonly [ComparedDriver, ComparedDriver],
  { timeout, validation, signal }: Omit<FindingReduction, "budget">,
): Promise<ReducedFinding | string> {
  const base = file!.replace(/\.jsonl$/, ".small"), small = `${base}.jsonl`, page = `${base}.html`;
  try {
    const { script, commands, isFlaky, isStopped } = await reduceRecording(file!, drivers, small, {
      while: conditionOf(difference),
      steps,
      timeout,
      validation,
      signal,
    });
    const written = "path" in script ? script.path : script.missing;
    const reduced = { file: small, script: written, commands, isFlaky, isStopped };
    if (isStopped) return reduced;
    const comparison = await compareDrivers(small, drivers, { steps, timeout, signal });
    return { ...reduced, page: pageAt(page, findingPage(comparison, { recording: small })) };
  } catch (error) {
    if (signal?.aborted) return "the reduction was stopped";
    if (error instanceof TypeError || error instanceof RecordingError || isSystemError(error)) return error.message;
    throw error;
  }
}

/** Writes a page. Returns the path, or why that is not possible. */
function pageAt(path: string, text: string): string {
  try {
    writeReport("--out", path, text);
    return path;
  } catch (error) {
    if (error instanceof WrongUse) return error.message;
    throw error;
  }
}

function conditionOf({ kind, side }: DriverDifference): string {
  return side === undefined ? WORDS[kind] : `${WORDS[kind]} && ${"AB"[side]}`;
}
