import { PROFILES } from "../gen/profiles_gen.js";
import { type Capability, type Profile, readProfiles } from "./profile.ts";

let known: ReadonlyMap<string, Profile> | undefined;

/** Returns the profiles that come with this package, by name: Android's. */
export function knownProfiles(): ReadonlyMap<string, Profile> {
  return known ??= readKnown();
}

function readKnown(): Map<string, Profile> {
  const all = new Map<string, Profile>(), capabilities = new Map<string, Capability>();
  for (const line of PROFILES.trim().split("\n")) {
    for (const profile of readProfiles(JSON.parse(line), "of this package", (place) => capabilities.get(place))) {
      all.set(profile.name, profile);
      for (const each of profile.capabilities.flat()) capabilities.set(`${profile.name}/${each.name}`, each);
    }
  }
  return all;
}

/**
 * Opens the requested profiles: a name of a known one, the path of a Vulkan
 * Profiles file, or the contents of such a file. Profiles that they require are
 * searched among them and the known ones.
 *
 * @throws {TypeError} if one cannot be read or found.
 */
export function openProfiles(wanted: readonly (string | object)[]): { asked: Profile[]; find: FindProfile } {
  const asked = wanted.flatMap((each) =>
    typeof each === "string" ? byName(each) : readProfiles(each, "that was given")
  );
  const given = new Map(asked.map((profile) => [profile.name, profile]));
  return {
    asked,
    find(name) {
      const found = given.get(name) ?? knownProfiles().get(name);
      if (found) return found;
      throw new TypeError(`Cannot find profile ${name}, which another one requires: give its file, too`);
    },
  };
}

/** Finds a profile that another one requires. Throws a `TypeError` if there is none. */
export type FindProfile = (name: string) => Profile;

function byName(wanted: string): Profile[] {
  const found = knownProfiles().get(wanted);
  if (found) return [found];
  if (!wanted.includes("/") && !wanted.endsWith(".json")) {
    const names = [...knownProfiles().keys()].join(", ");
    throw new TypeError(`Cannot find profile "${wanted}": give a path, or one of ${names}`);
  }
  return readProfiles(readJson(wanted), `"${wanted}"`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(Deno.readTextFileSync(path));
  } catch (cause) {
    const problem = (cause as Error).message;
    throw new TypeError(`Cannot read the Vulkan Profiles file "${path}": ${problem}; check the path`, { cause });
  }
}
