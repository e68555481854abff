import { versionText } from "../version.ts";
import type { Conditions } from "./conditions.ts";
import type { DeviceFacts, DriverFacts } from "./facts.ts";
import { type Outcome, type Rule, type Verdict, verdictOf } from "./verdict.ts";

/** What a rule goes by besides the device. */
export interface Circumstances extends Conditions {
  /** Whether CTS would find CPUs alone, of which it asks less. */
  readonly cpuOnly: boolean;
  /** All that the driver says. */
  readonly driver: DriverFacts;
}

/** A rule about each physical device. */
export interface DeviceRule extends Rule {
  /** The Android release since when it is demanded; before that its outcome is reported. */
  readonly since?: number;
  /** The Vulkan version of the device from which on it counts. */
  readonly version?: number;
  /** Whether CTS does not run the test for drivers that have CPUs alone. */
  readonly skipsCpu?: boolean;
  /** Judges a device. */
  check(device: DeviceFacts, circumstances: Circumstances): Outcome;
}

/** A rule about the driver as a whole. */
export interface DriverRule extends Rule {
  /** As of {@linkcode DeviceRule}. */
  readonly since?: number;
  /** As of {@linkcode DeviceRule}. */
  readonly skipsCpu?: boolean;
  /** Judges the driver. */
  checkDriver(circumstances: Circumstances): Outcome;
}

/** Judges one device by its rules. */
export function judgeDevice(rules: readonly DeviceRule[], device: DeviceFacts, around: Circumstances): Verdict[] {
  return rules.map((rule) => verdictOf(rule, deviceOutcome(rule, device, around)));
}

/** Judges the driver as a whole. */
export function judgeDriver(rules: readonly DriverRule[], around: Circumstances): Verdict[] {
  return rules.map((rule) => verdictOf(rule, eased(rule, rule.checkDriver(around), around)));
}

/** Pass or fail. */
export function demand(
  holds: boolean,
  found: string,
  advice: string,
  own: Verdict["own"] = holds ? "driver" : undefined,
): Outcome {
  return { status: holds ? "pass" : "fail", found, own, advice: holds ? "" : advice };
}

/** Whose an extension is. */
export function ownerOf(device: DeviceFacts, extension: string): Verdict["own"] {
  if (!device.extensions.has(extension)) return undefined;
  return device.isProvided(extension) ? "provided" : "driver";
}

function deviceOutcome(rule: DeviceRule, device: DeviceFacts, around: Circumstances): Outcome {
  if (rule.version !== undefined && device.apiVersion < rule.version) {
    const found = `asked of Vulkan ${versionText(rule.version).slice(0, 3)} and newer; the device has ${
      versionText(device.apiVersion)
    }`;
    return { status: "not-applicable", found };
  }
  return eased(rule, rule.check(device, around), around);
}

/** What fails where nothing is demanded is no failure. The values are told all the same. */
function eased({ since, skipsCpu }: DeviceRule | DriverRule, outcome: Outcome, around: Circumstances): Outcome {
  if (skipsCpu && around.cpuOnly) {
    return { ...outcome, status: "not-applicable", found: `${outcome.found}; CTS asks no driver that has CPUs alone` };
  }
  if (outcome.status !== "fail" || since === undefined || around.android >= since) return outcome;
  return { ...outcome, status: "report", found: `${outcome.found}; demanded since Android ${since}` };
}
