import { VK_MAKE_API_VERSION } from "../../version.ts";

/** An object in a JSON file. */
export type Json = Record<string, unknown>;

/** A set of demands, all of which a device must meet. */
export interface Capability {
  /** The name in the file. */
  readonly name: string;
  /** Extensions with their lowest revisions. */
  readonly extensions: Readonly<Record<string, number>>;
  /** Members of features structs. */
  readonly features: Readonly<Record<string, Json>>;
  /** Members of properties structs. */
  readonly properties: Readonly<Record<string, Json>>;
  /** The required capabilities of formats. */
  readonly formats: Readonly<Record<string, Record<string, Json>>>;
  /** Required queue families: for each entry one must exist. */
  readonly queueFamilies: readonly Record<string, Json>[];
}

/** A profile from a Vulkan Profiles file. */
export interface Profile {
  /** The name. */
  readonly name: string;
  /** The version of the profile. */
  readonly version: number;
  /** The lowest Vulkan version, packed. */
  readonly apiVersion: number;
  /** Names of the profiles that this profile includes. */
  readonly requires: readonly string[];
  /** For each entry, one of its capabilities is required. */
  readonly capabilities: readonly (readonly Capability[])[];
  /** Optional capabilities. */
  readonly optionals: readonly (readonly Capability[])[];
}

/** Finds a capability that a shortened file references. */
export type Borrow = (place: string) => Capability | undefined;

/** Reads the profiles of a Vulkan Profiles file. Throws a `TypeError` that names `source` if the file is not one. */
export function readProfiles(file: unknown, source: string, borrow: Borrow = () => undefined): Profile[] {
  if (!isObject(file) || !isObject(file.profiles) || !isObject(file.capabilities)) {
    throw unreadable(source, 'it has no "profiles" and "capabilities"');
  }
  const capabilities = new Map(
    Object.entries(file.capabilities).map(([name, value]) => [name, readCapability(name, value, source, borrow)]),
  );
  return Object.entries(file.profiles).map(([name, value]) => readProfile(name, value, source, capabilities));
}

function readProfile(name: string, value: unknown, source: string, known: ReadonlyMap<string, Capability>): Profile {
  if (!isObject(value)) throw unreadable(source, `profile ${name} is no object`);
  const { version = 1, "api-version": apiVersion, capabilities, optionals = [], profiles = [] } = value;
  const parts = /^(\d+)\.(\d+)(?:\.(\d+))?$/.exec(String(apiVersion))?.slice(1).map((part) => Number(part ?? 0));
  if (!parts) throw unreadable(source, `profile ${name} has "api-version" ${JSON.stringify(apiVersion)}`);
  if (!Array.isArray(capabilities)) throw unreadable(source, `profile ${name} lists no "capabilities"`);
  if (!Array.isArray(optionals) || !Array.isArray(profiles)) {
    throw unreadable(source, `"optionals" or "profiles" of profile ${name} is no list`);
  }
  const pick = (entry: unknown) => {
    const names = [entry].flat();
    if (names.length === 0) throw unreadable(source, `profile ${name} has a choice of no capability`);
    return names.map((each) => {
      const found = known.get(String(each));
      if (!found) throw unreadable(source, `profile ${name} names capability "${each}", which is not there`);
      return found;
    });
  };
  return {
    name,
    version: Number(version),
    apiVersion: VK_MAKE_API_VERSION(0, parts[0], parts[1], parts[2]),
    requires: profiles.map(String),
    capabilities: capabilities.map(pick),
    optionals: optionals.map(pick),
  };
}

function readCapability(name: string, value: unknown, source: string, borrow: Borrow): Capability {
  const borrowed = typeof value === "string" ? borrow(value) : undefined;
  if (borrowed) return { ...borrowed, name };
  if (!isObject(value)) throw unreadable(source, `capability ${name} is no object`);
  const { extensions = {}, features = {}, properties = {}, formats = {}, queueFamiliesProperties = [] } = value;
  if (![extensions, features, properties, formats].every(isObject) || !Array.isArray(queueFamiliesProperties)) {
    throw unreadable(source, `a part of capability ${name} is no object`);
  }
  const parts = [features, properties, formats].flatMap((part) => Object.values(part as Json));
  const structs = [...parts, ...Object.values(formats as Json).flatMap((each) => Object.values(each ?? {}))];
  if (!Object.values(extensions as Json).every((revision) => typeof revision === "number")) {
    throw unreadable(source, `capability ${name} has an extension whose revision is no number`);
  }
  if (![...structs, ...queueFamiliesProperties].every(isObject)) {
    throw unreadable(source, `a struct of capability ${name} is no object`);
  }
  return {
    name,
    extensions: extensions as Capability["extensions"],
    features: features as Capability["features"],
    properties: properties as Capability["properties"],
    formats: formats as Capability["formats"],
    queueFamilies: queueFamiliesProperties,
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unreadable(source: string, problem: string): TypeError {
  return new TypeError(`Cannot read the Vulkan Profiles file ${source}: ${problem}; give one of the Khronos schema`);
}
