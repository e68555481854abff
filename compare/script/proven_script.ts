import type { ComparedDriver } from "../sides/side.ts";
import { type Script, scriptOf, type ScriptSource } from "./script.ts";
import { type Trial, tryScript } from "./trial.ts";
import { Unscriptable } from "./unscriptable.ts";

/** How a script is tried. */
interface TrialOptions {
  /** Milliseconds that the test may take. */
  readonly timeout: number;
  /** How often the test may pass on the second driver before that counts: flaky faults need several. */
  readonly tries: number;
  /** Ends the trial. */
  readonly signal?: AbortSignal;
}

/**
 * Returns the text of a recording's script, whose test was tried on both
 * drivers; or why there is none. Throws the reason of an abort.
 */
export async function provenScript(
  source: Omit<ScriptSource, "finding"> & Partial<ScriptSource>,
  { timeout, tries, signal }: TrialOptions,
): Promise<{ readonly text: string } | { readonly missing: string }> {
  const { finding } = source;
  if (!finding) return { missing: "a test shows differences, crashes and hangs alone" };
  try {
    const script = await scriptOf({ ...source, finding });
    const [one, other] = source.drivers.map(({ identity: _, ...driver }) => driver);
    const before = await tryScript(script, one, timeout, signal);
    if (before.outcome !== "passed") return { missing: `its test ${outcomeText(before)} on A` };
    if (!await failsOnce(script, other, { timeout, tries, signal })) return { missing: "its test passes on B, too" };
    return { text: script.text };
  } catch (error) {
    if (error instanceof Unscriptable) return { missing: error.message };
    throw error;
  }
}

/** Whether a test does not pass, tried so many times at most. */
async function failsOnce(
  script: Script,
  driver: ComparedDriver,
  { timeout, tries, signal }: TrialOptions,
): Promise<boolean> {
  for (let count = 0; count < tries; count++) {
    if ((await tryScript(script, driver, timeout, signal)).outcome !== "passed") return true;
  }
  return false;
}

function outcomeText({ outcome, reason = "" }: Trial): string {
  return reason === "" ? outcome : `${outcome}: ${reason.split("\n")[0]}`;
}
