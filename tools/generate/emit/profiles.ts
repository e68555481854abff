import { type EnumType, type Registry, resolveType } from "../registry/model.ts";
import { header, textConstant } from "./header.ts";

/** A part of a Vulkan Profiles file, as JSON has it. */
type Json = Record<string, unknown>;

/** Enums of the bits that format properties name. */
const FORMAT_BITS = ["VkFormatFeatureFlagBits", "VkFormatFeatureFlagBits2"];
/** Members of a profile that describe it and have no effect. */
const PROSE: ReadonlySet<string> = new Set(["description", "contributors", "history", "label"]);

/**
 * Writes `profiles_gen.js` out of Vulkan Profiles files: without prose, formats
 * of the same properties together, their bits as numbers, and a capability that
 * an earlier profile has word for word by its place there.
 */
export function emitProfiles(registry: Registry, files: readonly Json[]): string {
  const seen = new Map<string, string>();
  const lines = files.map((file) => JSON.stringify(compact(file, bitsOf(registry), seen)));
  return header(registry.version) + textConstant(
    "PROFILES",
    "One line per Vulkan Profiles file, shortened: a format's key may be several names, flags may be a number, and a capability that is a text is the one of that name in an earlier profile.",
    lines,
  );
}

function compact(file: Json, bits: ReadonlyMap<string, bigint>, seen: Map<string, string>): Json {
  const [profile] = Object.keys(file.profiles as Json);
  const capabilities = Object.entries(file.capabilities as Record<string, Json>).map(([name, capability]) => {
    const shortened = {
      ...capability,
      ...capability.formats ? { formats: grouped(capability.formats as Json, bits) } : {},
    };
    const text = JSON.stringify(sorted(shortened)), place = seen.get(text);
    if (place === undefined) seen.set(text, `${profile}/${name}`);
    return [name, place ?? shortened];
  });
  const profiles = Object.entries(file.profiles as Record<string, Json>).map((
    [name, each],
  ) => [name, Object.fromEntries(Object.entries(each).filter(([key]) => !PROSE.has(key)))]);
  return { capabilities: Object.fromEntries(capabilities), profiles: Object.fromEntries(profiles) };
}

/** Formats of the same properties under one key. */
function grouped(formats: Json, bits: ReadonlyMap<string, bigint>): Json {
  const groups = new Map<string, string[]>();
  for (const [name, properties] of Object.entries(formats)) {
    const text = JSON.stringify(properties, (_key, value) => Array.isArray(value) ? numberOf(value, bits) : value);
    groups.set(text, [...groups.get(text) ?? [], name]);
  }
  return Object.fromEntries([...groups].map(([text, names]) => [names.join(" "), JSON.parse(text)]));
}

function numberOf(names: readonly string[], bits: ReadonlyMap<string, bigint>): number {
  return Number(names.reduce((sum, name) => {
    const bit = bits.get(name);
    if (bit === undefined) throw new Error(`Cannot read a profile: the registry has no ${name}; take a newer one`);
    return sum | bit;
  }, 0n));
}

function bitsOf({ types }: Registry): Map<string, bigint> {
  const values = FORMAT_BITS.flatMap((name) => (resolveType(types, name) as EnumType).values);
  return new Map(values.map(({ name, value }) => [name, BigInt(value)]));
}

/** The same value with keys and lists of names sorted. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.every((each) => typeof each === "string") ? value.toSorted() : value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort().map(([key, each]) => [key, sorted(each)]));
}
