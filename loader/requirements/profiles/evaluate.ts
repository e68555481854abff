import { versionText } from "../../version.ts";
import type { DeviceFacts } from "../facts.ts";
import type { Capability, Profile } from "./profile.ts";
import type { FindProfile } from "./profile_set.ts";
import { formatDemands } from "./format_demands.ts";
import { type Demand, missText, type ProfileMiss, type ProfileReport } from "./report.ts";
import { featureDemands, propertyDemands, queueFamilyDemands } from "./struct_demands.ts";
import type { Circumstances } from "../rule.ts";
import { type Outcome, type Verdict, verdictOf } from "../verdict.ts";

/** A demand and its origin. */
type Placed = Demand & Pick<ProfileMiss, "profile" | "capability" | "alternatives">;

/**
 * Compares a device with a profile and those that the profile requires. Throws
 * a `TypeError` if a struct, member or format of the profile does not exist.
 */
export function evaluateProfile(profile: Profile, device: DeviceFacts, find: FindProfile): ProfileReport {
  const all = chainOf(profile, find).flatMap((each) => demandsOf(each, device));
  const misses = all.filter(({ met }) => !met).map(({ met: _, ...miss }) => miss);
  const optionals = profile.optionals.flat().map((capability) => ({
    capability: capability.name,
    supported: capabilityDemands(capability, device, false).every(({ met }) => met),
  }));
  const { name, version } = profile;
  return { name, version, supported: misses.length === 0, asked: all.length, misses, optionals };
}

/** Returns a profile and all that it requires, each once, required ones first. */
export function chainOf(profile: Profile, find: FindProfile, seen = new Set<string>()): Profile[] {
  if (seen.has(profile.name)) return [];
  seen.add(profile.name);
  return [...profile.requires.flatMap((name) => chainOf(find(name), find, seen)), profile];
}

function demandsOf(profile: Profile, device: DeviceFacts): Placed[] {
  const version = place(profile, "", [], [versionDemand(profile, device)]);
  return [...version, ...profile.capabilities.flatMap((choices) => bestChoice(profile, choices, device))];
}

/** One of several capabilities is enough. The one with the fewest misses counts. */
function bestChoice(profile: Profile, choices: readonly Capability[], device: DeviceFacts): Placed[] {
  const tried = choices.map((each) => ({ each, demands: capabilityDemands(each, device, choices.length > 1) }));
  const missing = ({ demands }: typeof tried[number]) => demands.filter(({ met }) => !met).length;
  const best = tried.reduce((one, other) => missing(other) < missing(one) ? other : one);
  const others = choices.filter((each) => each !== best.each).map(({ name }) => name);
  return place(profile, best.each.name, others, best.demands);
}

function place(
  { name: profile }: Profile,
  capability: string,
  alternatives: readonly string[],
  demands: readonly Demand[],
): Placed[] {
  return demands.map((demand) => ({ ...demand, profile, capability, alternatives }));
}

/** Profiles compare major and minor. */
function versionDemand({ apiVersion }: Profile, device: DeviceFacts): Demand {
  const met = device.apiVersion >>> 12 >= apiVersion >>> 12;
  return {
    kind: "version",
    name: "apiVersion",
    met,
    wanted: versionText(apiVersion),
    found: versionText(device.apiVersion),
  };
}

function capabilityDemands(capability: Capability, device: DeviceFacts, isChoice: boolean): Demand[] {
  return [
    ...Object.entries(capability.extensions).map(([name, revision]) => extensionDemand(name, revision, device)),
    ...featureDemands(capability.features, device, isChoice),
    ...propertyDemands(capability.properties, device),
    ...formatDemands(capability.formats, device),
    ...queueFamilyDemands(capability.queueFamilies, device),
  ];
}

function extensionDemand(name: string, revision: number, { extensions }: DeviceFacts): Demand {
  const found = extensions.get(name);
  return {
    kind: "extension",
    name,
    met: found !== undefined && found >= revision,
    wanted: `revision ${revision}`,
    found: found === undefined ? "none" : `revision ${found}`,
  };
}

/** The releases from which a profile is required. */
interface Demanded {
  /** Required for every device with Vulkan that runs this release or a newer one. */
  readonly release?: number;
  /** Required for devices that launch with this release or a newer one. */
  readonly launch?: number;
}

const GUIDE = "Android's implementation guide for Vulkan, profiles";
/** The profiles that releases require. Other profiles are recommended, or requested by the caller. */
const DEMANDED: Readonly<Record<string, Demanded>> = {
  VP_ANDROID_baseline_2021: { release: 14 },
  VP_ANDROID_vulkan_profile_2021: { release: 14 },
  VP_ANDROID_15_minimums: { launch: 15 },
  VP_ANDROID_15_requirements: { launch: 15 },
  VP_ANDROID_16_minimums: { launch: 16 },
  VP_ANDROID_16_requirements: { launch: 16 },
  VP_ANDROID_17_requirements: { launch: 17 },
};
/** The tests that compare a device with a profile. */
const TESTS: Readonly<Record<string, string>> = {
  VP_ANDROID_baseline_2021: "CDD 7.1.4.2/C-1-13; CTS VulkanFeaturesTest#testAndroidBaselineProfile2021Support",
};
/** The extensions that the shorter variant of the profile of 2021 lacks. CTS uses that variant for CPUs. */
const NOT_FOR_CPUS: ReadonlySet<string> = new Set([
  "VK_GOOGLE_display_timing",
  "VK_KHR_external_fence_fd",
  "VK_KHR_variable_pointers",
]);

/** Returns why a device need not have a profile; `undefined` if it must. */
function whyNotDemanded(profile: string, { release, launch }: Circumstances): string | undefined {
  const demanded = DEMANDED[profile];
  if (!demanded) return "recommended, not demanded";
  if (demanded.release !== undefined && release < demanded.release) return `demanded since Android ${demanded.release}`;
  if (demanded.launch !== undefined && launch < demanded.launch) {
    return `demanded of devices that launch with Android ${demanded.launch}`;
  }
  return undefined;
}

/** Returns the document that requires the profile. */
function sourceOf(profile: string): string {
  return TESTS[profile] ?? `${GUIDE}; ${profile}`;
}

/** The most misses in a sentence. The report has all of them. */
const TOLD = 8;

/** VK23: returns the verdict of comparing a device with a profile. */
export function profileVerdict(report: ProfileReport, around: Circumstances): Verdict {
  const { name } = report;
  const rule = {
    id: "VK23",
    rule: profileRule(name),
    requirement: `A device has everything of the profile ${name}.`,
    source: sourceOf(name),
  };
  return verdictOf(rule, outcomeOf(report, around));
}

/** Returns the rule name of a profile's check. */
export function profileRule(profile: string): string {
  return `vulkan.profile.${profile}`;
}

function outcomeOf({ name, asked, misses, supported }: ProfileReport, around: Circumstances): Outcome {
  if (supported) return { status: "pass", found: `all ${asked}`, own: "driver" };
  const found = `${misses.length} of ${asked} missing: ${told(misses)}`, excuse = whyNotDemanded(name, around);
  if (excuse !== undefined) return { status: "report", found: `${excuse}; ${found}` };
  if (around.cpuOnly) return ofCpus(found, misses);
  return { status: "fail", found, advice: "the driver must bring every one of them" };
}

/** CTS compares CPUs with a variant of which only the extensions are known here. */
function ofCpus(found: string, misses: readonly ProfileMiss[]): Outcome {
  if (misses.every(({ kind, name }) => kind === "extension" && NOT_FOR_CPUS.has(name))) {
    return { status: "pass", found: `${found}, which CTS does not ask of drivers that have CPUs alone`, own: "driver" };
  }
  return { status: "report", found: `${found}; CTS asks less of drivers that have CPUs alone` };
}

function told(misses: readonly ProfileMiss[]): string {
  const texts = misses.slice(0, TOLD).map(missText);
  return misses.length > TOLD ? `${texts.join("; ")}; and ${misses.length - TOLD} more` : texts.join("; ");
}
