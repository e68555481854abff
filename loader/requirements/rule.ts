import { versionText } from "../version.ts";
import type { Conditions } from "./conditions.ts";
import type { DeviceFacts, DriverFacts } from "./facts.ts";
import { inapplicable, judge, type Requirement } from "./requirement.ts";
import type { Outcome, Verdict } from "./verdict.ts";

/** The input of a rule besides the device. */
export interface Circumstances extends Conditions {
  /** Whether CTS would find only CPUs, which have fewer requirements. */
  readonly cpuOnly: boolean;
  /** The driver's answers. */
  readonly driver: DriverFacts;
}

/** The conditions under which a rule counts. */
interface Condition {
  /** The Android release from which the rule is required. Before, its outcome is only reported. */
  readonly since?: number;
  /** The device's Vulkan version from which the rule counts. */
  readonly version?: number;
  /** Whether CTS skips the test for drivers that only have CPUs. */
  readonly skipsCpu?: boolean;
}

/** A rule about each physical device. */
export interface DeviceRule extends Requirement<[device: DeviceFacts, around: Circumstances]>, Condition {}

/** A rule about the driver as a whole. */
export interface DriverRule extends Requirement<[around: Circumstances]>, Omit<Condition, "version"> {}

/** Judges one device by its rules. */
export function judgeDevice(rules: readonly DeviceRule[], device: DeviceFacts, around: Circumstances): Verdict[] {
  return judge(rules, [device, around], {
    attempt: (rule, check) => tooOld(rule, device) ?? eased(rule, check(), around),
  });
}

/** Judges the driver as a whole. */
export function judgeDriver(rules: readonly DriverRule[], around: Circumstances): Verdict[] {
  return judge(rules, [around], { attempt: (rule, check) => eased(rule, check(), around) });
}

/** Returns the owner of an extension. */
export function ownerOf(device: DeviceFacts, extension: string): Verdict["own"] {
  if (!device.extensions.has(extension)) return undefined;
  return device.isProvided(extension) ? "provided" : "driver";
}

/** Returns the outcome of a rule about newer versions. */
function tooOld({ version }: Condition, { apiVersion }: DeviceFacts): Outcome | undefined {
  if (version === undefined || apiVersion >= version) return undefined;
  const asked = versionText(version).slice(0, 3);
  return inapplicable(`required from Vulkan ${asked} on; the device has ${versionText(apiVersion)}`);
}

/** A failure is only reported where nothing is required. The values are reported as well. */
function eased({ since, skipsCpu }: Condition, outcome: Outcome, around: Circumstances): Outcome {
  if (skipsCpu && around.cpuOnly) {
    return {
      ...outcome,
      status: "not-applicable",
      found: `${outcome.found}; CTS does not test drivers that have only CPUs`,
    };
  }
  if (outcome.status !== "fail" || since === undefined || around.release >= since) return outcome;
  return { ...outcome, status: "report", found: `${outcome.found}; demanded since Android ${since}` };
}
