import { type ComparedDriver, isOneDriver } from "../compare/driver_process/side.ts";
import { type Script, scriptOf, type ScriptSource, type ScriptStyle } from "./script.ts";
import { type Trial, tryScript } from "./trial.ts";
import { Unscriptable } from "./node.ts";

/** The options of trying a script. */
interface TrialOptions {
  /** Milliseconds that the test may take. */
  readonly timeout: number;
  /** The most runs of the test on the second driver, of which one must fail: flaky faults need several. */
  readonly tries: number;
  /** Ends the trial. */
  readonly signal?: AbortSignal;
}

/** The shortest script first. The others have the barriers of the recording, and in the end every call as it was. */
const STYLES: readonly ScriptStyle[] = [
  { isCondensed: true, isWide: true },
  { isCondensed: true, isWide: false },
  { isCondensed: false, isWide: false },
];

/**
 * Returns the text of a recording's script, whose test was tried on both
 * drivers; or why there is none. Throws the reason of an abort.
 */
export async function provenScript(
  source: Omit<ScriptSource, "finding"> & Partial<ScriptSource>,
  options: TrialOptions,
): Promise<{ readonly text: string } | { readonly missing: string }> {
  const { finding } = source;
  if (!finding) return { missing: "a test shows differences, crashes and hangs alone" };
  const tried = new Set<string>();
  let missing = "";
  try {
    for (const style of STYLES) {
      const script = await scriptOf({ ...source, finding }, style);
      if (tried.has(script.text)) continue;
      tried.add(script.text);
      const reason = await reasonAgainst(script, source.drivers, options);
      if (reason === undefined) return { text: script.text };
      missing ||= reason;
    }
    return { missing };
  } catch (error) {
    if (error instanceof Unscriptable) return { missing: error.message };
    throw error;
  }
}

/** Returns why a script does not show what it should; `undefined` if it does. */
async function reasonAgainst(
  script: Script,
  drivers: ScriptSource["drivers"],
  options: TrialOptions,
): Promise<string | undefined> {
  const [one, other] = drivers.map(({ identity: _, ...driver }) => driver);
  if (isOneDriver(drivers)) return await failsOnce(script, one, options) ? undefined : "its test passes";
  const before = await tryScript(script, one, options.timeout, options.signal);
  if (before.outcome !== "passed") return `its test ${outcomeText(before)} on driver A`;
  return await failsOnce(script, other, options) ? undefined : "its test passes on driver B, too";
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
