import type { ComparedDriver } from "../sides/side.ts";
import { type Script, scriptOf, type ScriptSource } from "./script.ts";
import { type Trial, tryScript } from "./trial.ts";
import { Unscriptable } from "./unscriptable.ts";

/** The script of a recording, or why there is none. */
export type ScriptOutcome =
  /** The script's path. */
  | { readonly path: string }
  /** Why no script was written. */
  | { readonly missing: string };

/**
 * Writes a recording's script beside it: `small.ts` for `small.jsonl`. The test
 * is tried on both drivers before, so that a script that shows nothing is not
 * written. `tries` is how often the test may pass on the second driver before
 * that counts: flaky faults need several.
 */
export async function writeScript(
  recording: string,
  source: Omit<ScriptSource, "finding"> & Partial<ScriptSource>,
  { timeout, tries }: { readonly timeout: number; readonly tries: number },
): Promise<ScriptOutcome> {
  const { finding } = source;
  if (!finding) return { missing: "a test shows differences, crashes and hangs alone" };
  try {
    const script = await scriptOf({ ...source, finding });
    const [one, other] = source.drivers.map(({ identity: _, ...driver }) => driver);
    const before = await tryScript(script, one, timeout);
    if (before.outcome !== "passed") return { missing: `its test ${outcomeText(before)} on A` };
    if (!await failsOnce(script, other, timeout, tries)) return { missing: "its test passes on B, too" };
    const path = `${recording.replace(/\.jsonl$/, "")}.ts`;
    Deno.writeTextFileSync(path, script.text);
    return { path };
  } catch (error) {
    if (error instanceof Unscriptable) return { missing: error.message };
    throw error;
  }
}

/** Whether a test does not pass, tried so many times at most. */
async function failsOnce(script: Script, driver: ComparedDriver, timeout: number, tries: number): Promise<boolean> {
  for (let count = 0; count < tries; count++) {
    if ((await tryScript(script, driver, timeout)).outcome !== "passed") return true;
  }
  return false;
}

function outcomeText({ outcome, reason = "" }: Trial): string {
  return reason === "" ? outcome : `${outcome}: ${reason.split("\n")[0]}`;
}
