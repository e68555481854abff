/**
 * Android's suites against a composer behind its AIDL service, version 3.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { SUITES } from "../suite/all_suites.ts";
import { runCases } from "../suite/run.ts";
import { binderFactory } from "./binder_subject.ts";
import { NOT_IN_AIDL } from "./not_in_aidl.ts";

const factory = binderFactory({ as: "aidl", version: 3 });

for (const [suite, cases] of Object.entries(SUITES)) {
  const left = Object.entries(cases).filter(([name]) => !NOT_IN_AIDL[suite]?.includes(name));
  runCases("AIDL v3", suite, Object.fromEntries(left), factory);
}

Deno.test("the cases that AIDL has no words for are cases", () => {
  const known = (suite: string, name: string) => name in (SUITES[suite] ?? {});
  const unknown = Object.entries(NOT_IN_AIDL).flatMap(([suite, names]) => names.filter((name) => !known(suite, name)));
  assertEquals(unknown, []);
});
