/**
 * Lets a test say which part of the machine it needs. On a developer's machine
 * such a test is skipped by name; where everything must be there, a missing
 * part is an error.
 *
 * @module
 */
import { noteMissing } from "../../tools/test/watch.ts";
import { requirePreload } from "./preloaded.ts";

/**
 * Options for `Deno.test`: the test is ignored unless the part was found.
 * With `PUMICE_REQUIRE_ALL=1` a missing part throws an `Error` that names it. A process of tests that has not run
 * `preload.ts` throws an `Error` that says how to run it.
 *
 * @example A test that needs a driver
 * ```ts ignore
 * import { lavapipePath } from "../../tools/setup/parts.ts";
 *
 * const driver = lavapipePath();
 * Deno.test("loadVulkan() opens lavapipe", needs("Mesa lavapipe", driver), () => {});
 * ```
 */
export function needs(part: string, available: unknown): { ignore: boolean } {
  requirePreload();
  const found = available !== undefined && available !== null && available !== false;
  if (!found && Deno.env.get("PUMICE_REQUIRE_ALL") === "1") {
    throw new Error(
      `Cannot test without "${part}": not found; run \`deno task setup\`, which says what it could not do`,
    );
  }
  return {
    /** Read once for each test that is defined with these options. */
    get ignore() {
      if (!found) noteMissing(part);
      return !found;
    },
  };
}
