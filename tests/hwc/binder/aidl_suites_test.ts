/**
 * Android's suites against a composer behind its AIDL service, version 3.
 *
 * @module
 */
import { runHwc2Test, runVts } from "../suite/all_suites.ts";
import { binderFactory } from "./binder_subject.ts";

const factory = binderFactory({ as: "aidl", version: 3 });

runHwc2Test("AIDL v3", factory);
runVts("AIDL v3", factory);
