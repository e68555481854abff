import { scriptOf, type ScriptSource } from "./script.ts";
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
 * written.
 */
export async function writeScript(
  recording: string,
  source: Omit<ScriptSource, "finding"> & Partial<ScriptSource>,
  timeout: number,
): Promise<ScriptOutcome> {
  const { finding } = source;
  if (!finding) return { missing: "a test shows differences, crashes and hangs alone" };
  try {
    const script = await scriptOf({ ...source, finding });
    const [one, other] = await Promise.all(
      source.drivers.map(({ identity: _, ...driver }) => tryScript(script, driver, timeout)),
    );
    if (one.outcome !== "passed") return { missing: `its test ${outcomeText(one)} on A` };
    if (other.outcome === "passed") return { missing: "its test passes on B, too" };
    const path = `${recording.replace(/\.jsonl$/, "")}.ts`;
    Deno.writeTextFileSync(path, script.text);
    return { path };
  } catch (error) {
    if (error instanceof Unscriptable) return { missing: error.message };
    throw error;
  }
}

function outcomeText({ outcome, reason = "" }: Trial): string {
  return reason === "" ? outcome : `${outcome}: ${reason.split("\n")[0]}`;
}
