import { type RequirementStatus, type Rule, type Verdict, verdictOf } from "../../loader/requirements/verdict.ts";
import { WsiError } from "../../wsi/error.ts";
import { HwcError } from "../hwc_error.ts";
import type { ComposerSession } from "./session.ts";

/** Where most of what a composer must do is written. */
export const GUIDE = "Android's guide Implementing the Hardware Composer HAL";
/** The tests of the interface. */
export const VTS = "VTS VtsHalGraphicsComposer3_TargetTest";

/** What came of a probe. */
export interface ProbeResult {
  /** What came of it. */
  readonly status: RequirementStatus;
  /** What was found. */
  readonly found: string;
}

/** A rule, and how it is tried on a composer. */
export interface Probe {
  /** What is asked for. */
  readonly rule: Rule;
  /** What to change where it fails, or where it could be better. */
  readonly advice: string;
  /** Tries it. What a composer refuses with an {@linkcode HwcError} fails it. */
  run(session: ComposerSession): ProbeResult | Promise<ProbeResult>;
}

/** It is as it shall be. */
export function passed(found: string): ProbeResult {
  return { status: "pass", found };
}

/** It is not. */
export function failed(found: string): ProbeResult {
  return { status: "fail", found };
}

/** Nothing is demanded, or nothing can be told by asking. */
export function reported(found: string): ProbeResult {
  return { status: "report", found };
}

/** The composer has nothing that it could be asked of. */
export function inapplicable(found: string): ProbeResult {
  return { status: "not-applicable", found };
}

/** Passes what went wrong nowhere, else fails with it. */
export function unless(wrong: string | undefined, found: string): ProbeResult {
  return wrong ? failed(wrong) : passed(found);
}

/** Runs a probe. What it left in the display is taken away. */
export async function verdictOfProbe(
  { rule, advice, run }: Probe,
  session: ComposerSession,
  own: Verdict["own"],
): Promise<Verdict> {
  const { status, found } = await resultOf(run, session);
  const isAdvised = status === "fail" || status === "report";
  return verdictOf(rule, { status, found, own, advice: isAdvised ? advice : "" });
}

async function resultOf(run: Probe["run"], session: ComposerSession): Promise<ProbeResult> {
  try {
    return await run(session);
  } catch (error) {
    if (error instanceof HwcError || error instanceof WsiError) return failed(error.message);
    throw error;
  } finally {
    await session.clear();
  }
}
