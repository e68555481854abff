import { hwc2TestCases } from "./hwc2_test/mod.ts";
import { runCases } from "./run.ts";
import type { Cases, Factory } from "./stage.ts";
import * as aidl from "./vts/aidl.ts";
import * as hidl from "./vts/hidl.ts";

/** Every suite by its name, as {@linkcode ORIGINALS} has them. */
export const SUITES: Readonly<Record<string, Cases>> = {
  Hwc2Test: hwc2TestCases,
  "HIDL 2.1": hidl.hidl21Cases,
  "HIDL 2.2": hidl.hidl22Cases,
  "HIDL 2.2 readback": hidl.hidl22ReadbackCases,
  "HIDL 2.3": hidl.hidl23Cases,
  "HIDL 2.4": hidl.hidl24Cases,
  "AIDL": aidl.aidlCases,
  "AIDL V2": aidl.aidlV2Cases,
  "AIDL V3": aidl.aidlV3Cases,
  "AIDL command": aidl.aidlCommandCases,
  "AIDL command V2": aidl.aidlCommandV2Cases,
  "AIDL readback": aidl.aidlReadbackCases,
};

/** Registers all suites but Hwc2Test: those that came with the HAL as a service. */
export function runVts(subject: string, factory: Factory): void {
  for (const [name, cases] of Object.entries(SUITES)) {
    if (name !== "Hwc2Test") runCases(subject, name, cases, factory);
  }
}

/** Registers Hwc2Test. */
export function runHwc2Test(subject: string, factory: Factory): void {
  runCases(subject, "Hwc2Test", SUITES.Hwc2Test, factory);
}
