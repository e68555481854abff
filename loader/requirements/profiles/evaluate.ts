import { versionText } from "../../version.ts";
import type { DeviceFacts } from "../facts.ts";
import type { Capability, Profile } from "./profile.ts";
import type { FindProfile } from "./profile_set.ts";
import { formatDemands } from "./format_demands.ts";
import type { Demand, ProfileMiss, ProfileReport } from "./report.ts";
import { featureDemands, propertyDemands, queueFamilyDemands } from "./struct_demands.ts";

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
function chainOf(profile: Profile, find: FindProfile, seen = new Set<string>()): Profile[] {
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
