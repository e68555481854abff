/**
 * Android's suites against a composer behind its HIDL service, version 2.4. HIDL has no words for what
 * hwcomposer2.h has no functions for.
 *
 * @module
 */
import { SUITES } from "../suite/all_suites.ts";
import { runCases } from "../suite/run.ts";
import { NOT_IN_C } from "../hwc2/not_in_c.ts";
import { binderFactory } from "./binder_subject.ts";

/** The one that a service has, and hwcomposer2.h has not. */
const IN_HIDL = "SetClientTargetSlotCount";

const factory = binderFactory({ as: "hidl", version: 2.4 });

for (const [suite, cases] of Object.entries(SUITES)) {
  const left = Object.entries(cases).filter(([name]) => !NOT_IN_C[suite]?.includes(name) || name === IN_HIDL);
  runCases("HIDL 2.4", suite, Object.fromEntries(left), factory);
}
