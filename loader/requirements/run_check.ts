import {
  checkOptions,
  either,
  list,
  number,
  object,
  oneOf,
  type OptionRules,
  record,
  text,
  typed,
  yesOrNo,
} from "../../ffi/check_options.ts";
import { VULKAN_RULES, vulkanOptionsOf } from "../api/options.ts";
import type { Vulkan } from "../api/vulkan.ts";
import type { VulkanOptions } from "../options.ts";
import { CLAIM_RULES, CONFORMANCE_RULE, DEQP_RULE } from "./claim_rules.ts";
import {
  checkRelease,
  type Conditions,
  DEFAULT_TIMEOUT,
  type DeviceConditions,
  loaderRelease,
  RELEASES,
} from "./conditions.ts";
import { CORE_1_1_RULES } from "./core_1_1_rules.ts";
import { CORE_1_2_RULES } from "./core_1_2_rules.ts";
import { CORE_1_3_RULES } from "./core_1_3_rules.ts";
import { encodeDeqpLevel } from "./deqp_level.ts";
import { BEST_DEVICE_RULE, DEVICE_RULES, HARDWARE_RULES } from "./hardware_rules.ts";
import { DriverSession, type Window } from "./driver_session.ts";
import { ENTRY_POINT_RULES } from "./entry_point_rules.ts";
import { EXTENSION_RULES } from "./extension_rules.ts";
import type { DeviceFacts } from "./facts.ts";
import { bestDevice, computeOf, hardwareVersionOf, levelOf } from "./hardware_level.ts";
import { evaluateProfile, profileRule, profileVerdict } from "./profiles/evaluate.ts";
import { knownProfiles, openProfiles } from "./profiles/profile_set.ts";
import type { ProfileReport } from "./profiles/report.ts";
import { QUALITY_RULES } from "./quality_rules.ts";
import { byNumber, type CheckProgress } from "./requirement.ts";
import type { VulkanDeviceReport, VulkanFeatures, VulkanReport } from "./report.ts";
import { type Circumstances, type DeviceRule, type DriverRule, judgeDevice, judgeDriver } from "./rule.ts";
import type { Verdict } from "./verdict.ts";
import { VERSION_RULES } from "./version_rules.ts";
import { VK_PHYSICAL_DEVICE_TYPE_CPU } from "../gen/native_gen.ts";

/** Options of `checkVulkan`: those of `loadVulkan`, and the facts about the phone. */
export interface VulkanCheckOptions extends Omit<VulkanOptions, "release">, DeviceConditions {
  /** Further profiles to compare with, besides Android's: paths of Vulkan Profiles files, or their contents. */
  readonly profiles?: readonly (string | object)[];
  /** Milliseconds that a driver may take for each trial before it counts as hanging. Default: 10000. */
  readonly timeout?: number;
  /** The rules to check: those whose names begin with one of these, such as `vulkan.1_1`. Default: all. */
  readonly only?: readonly string[];
  /** Called for each trial on the driver as it runs: see {@linkcode CheckProgress}. */
  readonly progress?: CheckProgress;
  /**
   * Whether the driver may end this process, so that dangerous trials run, too,
   * such as touching forbidden memory. Default: false.
   */
  readonly mayDie?: boolean;
  /** Rules and calls that are known to fail and are not tried again, with what was found. */
  readonly lost?: Readonly<Record<string, string>>;
}

const RULES: OptionRules<VulkanCheckOptions> = {
  ...VULKAN_RULES,
  release: number,
  launch: number,
  is64Bit: yesOrNo,
  lowMemory: yesOrNo,
  glesVersion: list("the major and the minor version", number),
  deqpLevel: text('a level, such as "2025-03-01"'),
  claims: object("what an image declares"),
  deviceType: oneOf("auto", "gpu", "cpu"),
  profiles: list("a list of profiles", either(text("a path"), object("a path, or what a profiles file holds"))),
  timeout: number,
  only: list("a list of beginnings of rules' names", text("a name")),
  progress: object("an object of begin, end, call and returned"),
  mayDie: yesOrNo,
  lost: record("an object of findings by rule", typed("a text", "string")),
};

/** The parts of a check besides the rules about any driver. */
export interface CheckParts {
  /** Opens the driver. */
  load(options: VulkanOptions): Vulkan;
  /** The window system around the driver. */
  readonly window: Window;
  /** Further rules about devices. */
  readonly rules: readonly DeviceRule[];
  /** Runs trials on a device, for the rules that `wants` accepts. */
  tryOut?(place: TrialPlace, wants: (rule: string) => boolean): Verdict[];
}

/** The device for trials. */
export interface TrialPlace {
  /** The options of `checkVulkan`. */
  readonly options: VulkanCheckOptions;
  /** The driver's library, as the loader found it. */
  readonly driver: string;
  /** Index of the physical device. */
  readonly index: number;
  /** Milliseconds that the driver may take for a trial. */
  readonly timeout: number;
}

/** The rules about the driver as a whole. */
export const DRIVER_RULES: readonly DriverRule[] = [...DEVICE_RULES, BEST_DEVICE_RULE, DEQP_RULE, CONFORMANCE_RULE];
/** The rules about each device, without the profiles. */
export const RULES_OF_DEVICES: readonly DeviceRule[] = [
  ...HARDWARE_RULES,
  ...CLAIM_RULES,
  ...ENTRY_POINT_RULES,
  ...EXTENSION_RULES,
  ...VERSION_RULES,
  ...CORE_1_3_RULES,
  ...CORE_1_2_RULES,
  ...CORE_1_1_RULES,
  ...QUALITY_RULES,
];

/** Runs every rule on a driver. See `checkVulkan`. */
export function runVulkanCheck(options: VulkanCheckOptions, parts: CheckParts): VulkanReport {
  checkOptions("checkVulkan()", options, RULES);
  const conditions = conditionsOf(options),
    profiles = openProfiles([...knownProfiles().keys(), ...options.profiles ?? []]);
  using vulkan = parts.load(loaderOptionsOf(options));
  using driver = new DriverSession(vulkan, parts.window, options);
  const around: Circumstances = { ...conditions, cpuOnly: isCpuOnly(conditions, driver.devices), driver };
  const run: Run = { options, parts, around, profiles, driver: vulkan.driver, wants: wanter(options) };
  const devices = driver.devices.map((device, index) => reportOn(device, index, run));
  const best = driver.devices.indexOf(bestDevice(driver.devices)!);
  const ofDriver = judgeDriver(DRIVER_RULES.filter(({ rule }) => run.wants(rule)), around);
  return {
    driver: vulkan.driver,
    release: around.release,
    launch: around.launch,
    cpuOnly: around.cpuOnly,
    devices,
    best,
    verdicts: byNumber([...ofDriver, ...devices[best]?.verdicts ?? []]),
    features: devices[best]?.features ?? { level: -1, version: undefined, compute: -1, deqpLevel: around.deqpLevel },
  };
}

/** Returns the options of `loadVulkan` with which a check opens the driver. */
export function loaderOptionsOf({ release = RELEASES[1], ...options }: VulkanCheckOptions): VulkanOptions {
  return { ...vulkanOptionsOf(options), release: loaderRelease(release) };
}

/** Data shared by the parts of one check. */
interface Run {
  readonly options: VulkanCheckOptions;
  readonly parts: CheckParts;
  readonly around: Circumstances;
  readonly profiles: ReturnType<typeof openProfiles>;
  /** The driver's library. */
  readonly driver: string;
  /** Whether a rule is requested. */
  wants(rule: string): boolean;
}

function wanter({ only }: VulkanCheckOptions): Run["wants"] {
  return (rule) => only === undefined || only.some((start) => rule.startsWith(start));
}

function isCpuOnly({ deviceType }: Conditions, devices: readonly DeviceFacts[]): boolean {
  if (deviceType !== "auto") return deviceType === "cpu";
  return devices.length > 0 && devices.every(({ type }) => type === VK_PHYSICAL_DEVICE_TYPE_CPU);
}

function reportOn(device: DeviceFacts, index: number, { options, parts, around, profiles, driver, wants }: Run) {
  const rules = [...RULES_OF_DEVICES, ...parts.rules].filter(({ rule }) => wants(rule));
  const reports = profiles.asked.filter(({ name }) => wants(profileRule(name)))
    .map((profile) => evaluateProfile(profile, device, profiles.find));
  const place = { options, driver, index, timeout: options.timeout ?? DEFAULT_TIMEOUT };
  const verdicts = [...judgeDevice(rules, device, around), ...parts.tryOut?.(place, wants) ?? []];
  return deviceReport(device, around, verdicts, reports);
}

function conditionsOf(options: VulkanCheckOptions): Conditions {
  const { is64Bit = true, lowMemory = false, glesVersion, deqpLevel, claims, deviceType = "auto" } = options;
  const release = checkRelease("Android", options.release ?? RELEASES[1]);
  const launch = checkRelease("a launch with Android", options.launch ?? release);
  if (launch > release) {
    throw new TypeError(
      `Cannot check Android ${release} for a device that launches with ${launch}: give a lower launch`,
    );
  }
  return {
    release,
    launch,
    is64Bit,
    lowMemory,
    glesVersion,
    claims,
    deviceType,
    deqpLevel: deqpLevel === undefined ? undefined : encodeDeqpLevel(deqpLevel),
  };
}

function deviceReport(
  device: DeviceFacts,
  around: Circumstances,
  verdicts: readonly Verdict[],
  profiles: readonly ProfileReport[],
): VulkanDeviceReport {
  const { name, type, apiVersion, driverVersion, vendorId, deviceId } = device;
  return {
    deviceName: name,
    deviceType: type,
    apiVersion,
    driverVersion,
    vendorID: vendorId,
    deviceID: deviceId,
    features: featuresOf(device, around),
    verdicts: byNumber([...verdicts, ...profiles.map((each) => profileVerdict(each, around))]),
    profiles,
  };
}

function featuresOf(device: DeviceFacts, { release, deqpLevel }: Circumstances): VulkanFeatures {
  return {
    level: levelOf(device),
    version: hardwareVersionOf(device.apiVersion, release),
    compute: computeOf(device),
    deqpLevel,
  };
}
