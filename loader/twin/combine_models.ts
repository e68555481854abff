import type { StructObject } from "../codec/codec.ts";
import type { FormatFeatures } from "../layers/shipped/limits/settings.ts";
import { type Combination, combineFormats, combineStruct } from "./combine.ts";
import { type DeviceModel, makeModel, versionOf } from "./model.ts";

const PROPERTIES = "VkPhysicalDeviceProperties";
const NO_FEATURES: FormatFeatures = { linearTilingFeatures: 0n, optimalTilingFeatures: 0n, bufferFeatures: 0n };

/**
 * Returns the device that has what all devices have in common, or what any of
 * them has. Memory, surfaces and handle types have no common measure, and are
 * left out.
 *
 * @throws {TypeError} if there are no devices.
 */
export function combineModels(models: readonly DeviceModel[], how: Combination): DeviceModel {
  if (models.length === 0) throw new TypeError("Cannot combine no devices: give at least one");
  const combined = models.reduce((one, other) => combineTwo(one, other, how));
  const words = how === "common" ? "what all have in common" : "what any of them has";
  const origin = models.length === 1 ? combined.origin : `${models.length} devices, ${words}`;
  const structs = new Map(combined.structs);
  if (models.length > 1) structs.set(PROPERTIES, { ...structs.get(PROPERTIES), deviceName: origin });
  return makeModel({ ...combined, structs, origin });
}

function combineTwo(one: DeviceModel, other: DeviceModel, how: Combination): DeviceModel {
  return makeModel({
    origin: one.origin,
    structs: structsOf(one, other, how),
    extensions: revisions(one.extensions, other.extensions, how),
    instanceExtensions: revisions(one.instanceExtensions, other.instanceExtensions, how),
    formats: formatsOf(one, other, how),
    hasAllFormats: one.hasAllFormats && other.hasAllFormats,
    queueFamilies: families(one.queueFamilies, other.queueFamilies, how),
    unread: [...one.unread, ...other.unread],
  });
}

function structsOf(one: DeviceModel, other: DeviceModel, how: Combination): Map<string, StructObject> {
  const names = how === "common" ? [...one.structs.keys()].filter((name) => other.structs.has(name)) : [
    ...new Set([...one.structs.keys(), ...other.structs.keys()]),
  ];
  const structs = new Map(
    names.map((name) => [name, combineStruct(name, one.structs.get(name) ?? {}, other.structs.get(name) ?? {}, how)]),
  );
  const versions = [versionOf(one), versionOf(other)];
  const apiVersion = how === "common" ? Math.min(...versions) : Math.max(...versions);
  return structs.set(PROPERTIES, { ...structs.get(PROPERTIES), apiVersion });
}

function revisions(
  one: ReadonlyMap<string, number>,
  other: ReadonlyMap<string, number>,
  how: Combination,
): Map<string, number> {
  const both = [...one].filter(([name]) => other.has(name)), choose = how === "common" ? Math.min : Math.max;
  const chosen = new Map(both.map(([name, revision]) => [name, choose(revision, other.get(name)!)]));
  return how === "common" ? chosen : new Map([...one, ...other, ...chosen]);
}

/** A format that one device does not tell of has no features there, unless the device tells of some formats only. */
function formatsOf(one: DeviceModel, other: DeviceModel, how: Combination): Map<number, FormatFeatures> {
  const combined = new Map<number, FormatFeatures>();
  for (const format of new Set([...one.formats.keys(), ...other.formats.keys()])) {
    const [first, second] = [one, other].map(({ formats, hasAllFormats }) =>
      formats.get(format) ?? (hasAllFormats || how === "either" ? NO_FEATURES : undefined)
    );
    const features = first && second ? combineFormats(first, second, how) : first ?? second!;
    if (Object.values(features).some((bits) => bits !== 0n)) combined.set(format, features);
  }
  return combined;
}

/** Families are compared by their indices. */
function families(
  one: readonly StructObject[] | undefined,
  other: readonly StructObject[] | undefined,
  how: Combination,
): readonly StructObject[] | undefined {
  if (!one || !other) return one ?? other;
  const count = how === "common" ? Math.min(one.length, other.length) : Math.max(one.length, other.length);
  return Array.from({ length: count }, (_, index) => {
    const [first, second] = [one[index], other[index]];
    return first && second ? combineStruct("VkQueueFamilyProperties", first, second, how) : first ?? second;
  });
}
