/**
 * Prints what comes of an EGL driver as the lines of a table in expected.ts:
 * whole answers, of which the table keeps what does not change from run to run.
 * The driver is named as in `loadEgl({ driver })`; without one, the one that is
 * found.
 *
 * @module
 */
import { checkEgl } from "../../../workbench/check/mod.ts";

if (import.meta.main) {
  const [driver = "auto"] = Deno.args;
  for (const { rule, status, own = "", found } of checkEgl({ driver, contexts: 8 }).verdicts) {
    const literal = found.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    console.log(`  "${rule}": ["${status}", "${own}", /^${literal}$/],`);
  }
}
