import { outcomeText, statusText } from "./judge.ts";
import { type JUnitCase, junitXml } from "../../../loader/junit.ts";
import type { DeqpResult, DeqpRun } from "./options.ts";

/**
 * Formats a run as JUnit's XML. The groups are its classes.
 *
 * @example
 * ```ts ignore
 * import { deqpJunit, runDeqp } from "@pumice/gfx/check";
 *
 * const run = await runDeqp({ command: ["./deqp-vk"], caseList: ["dEQP-VK.api.smoke.triangle"] });
 * Deno.writeTextFileSync("results.xml", deqpJunit(run, "deqp-vk"));
 * ```
 */
export function deqpJunit({ results }: DeqpRun, name = "dEQP"): string {
  return junitXml([{ name, cases: results.map(caseOf) }]);
}

/** A result as a case of JUnit. */
export function caseOf({ name, status, outcome, message, seconds, attempts }: DeqpResult): JUnitCase {
  const dot = name.lastIndexOf("."),
    word = outcomeText({ outcome, status }),
    about = message ? `${word}: ${message}` : word;
  const base = { name: name.slice(dot + 1), classname: dot < 0 ? "" : name.slice(0, dot), seconds };
  if (outcome === "skipped" || status === "NotSupported") return { ...base, skipped: about };
  if (outcome === "expected") return { ...base, skipped: `${about}; as the baseline says` };
  if (outcome === "fixed") {
    return {
      ...base,
      failure: { message: "the baseline says that it fails", text: `${about}; take it out of the baseline` },
    };
  }
  if (outcome === "passed") return base;
  const text = `${about}\nAttempts: ${attempts.map(statusText).join(", ")}`;
  return outcome === "flaky" ? { ...base, output: text } : { ...base, failure: { message: about, text } };
}
