/**
 * Android's suites against a composer that goes out through hwcomposer2.h and
 * comes in through it again.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { SUITES } from "../suite/all_suites.ts";
import { runCases } from "../suite/run.ts";
import { NOT_IN_C } from "./not_in_c.ts";
import { roundTripSubject } from "./round_trip.ts";

for (const [suite, cases] of Object.entries(SUITES)) {
  const left = Object.entries(cases).filter(([name]) => !NOT_IN_C[suite]?.includes(name));
  runCases("round trip", suite, Object.fromEntries(left), roundTripSubject);
}

Deno.test("the cases that cannot come through hwcomposer2.h are cases", () => {
  const known = (suite: string, name: string) => name in (SUITES[suite] ?? {});
  const unknown = Object.entries(NOT_IN_C).flatMap(([suite, names]) => names.filter((name) => !known(suite, name)));
  assertEquals(unknown, []);
});
