import type { StructObject } from "../codec/codec.ts";
import { layoutOf } from "../codec/layout/layout.ts";
import { type FormatFeatures, isFeatures } from "../layers/shipped/limits/settings.ts";
import { shownValue } from "../requirements/profiles/registry_names.ts";
import type { Json, Profile } from "../requirements/profiles/profile.ts";
import { versionText } from "../version.ts";
import type { Json as JsonValue, JsonObject } from "../vkjson/json_value.ts";
import { isOrdered, wordsOf } from "./combine.ts";
import { type DeviceModel, nameOf, versionOf } from "./model.ts";

/** The one capability of a model as a profile. */
const CAPABILITY = "device";

/**
 * Returns a model as a profile that demands all features that are true, all
 * extensions and formats, and all limits of which one value is better than
 * another.
 */
export function profileOf(model: DeviceModel): Profile {
  const features: Record<string, Json> = {}, properties: Record<string, Json> = {};
  for (const [name, values] of model.structs) {
    const wanted = isFeatures(name) ? trueMembers(values) : orderedMembers(name, values);
    if (Object.keys(wanted).length > 0) (isFeatures(name) ? features : properties)[name] = wanted;
  }
  const capability = {
    name: CAPABILITY,
    extensions: Object.fromEntries(model.extensions),
    features,
    properties,
    formats: Object.fromEntries(
      Array.from(
        model.formats,
        ([format, bits]) => [shownValue("VkFormat", format), { VkFormatProperties3: { ...bits } }],
      ),
    ),
    queueFamilies: (model.queueFamilies ?? []).map((family) => ({ VkQueueFamilyProperties: family })),
  };
  return {
    name: nameOf(model),
    version: 1,
    apiVersion: versionOf(model),
    requires: [],
    capabilities: [[capability]],
    optionals: [],
  };
}

function trueMembers(values: StructObject): Json {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value === true));
}

function orderedMembers(struct: string, values: StructObject): Json {
  const members = layoutOf(struct).fields.flatMap((field): [string, unknown][] => {
    const value = values[field.name];
    if (value === undefined) return [];
    if (field.kind === "struct" && field.dims.length === 0) {
      const inner = orderedMembers(field.type, value as StructObject);
      return Object.keys(inner).length > 0 ? [[field.name, inner]] : [];
    }
    return isOrdered(wordsOf(struct, field), field) ? [[field.name, value]] : [];
  });
  return Object.fromEntries(members);
}

/** The schema of Vulkan Profiles files that is followed. */
const SCHEMA = "https://schema.khronos.org/vulkan/profiles-0.8-latest.json#";

/** Returns a model as a Vulkan Profiles file: one profile with one capability, flags and enumerants by their names. */
export function profileFileOf(model: DeviceModel): JsonObject {
  const { name, apiVersion, capabilities: [[capability]] } = profileOf(model);
  const { extensions, features, properties, queueFamilies } = capability;
  const label = name.replace(/\W+/g, "_").replace(/^_|_$/g, "");
  return {
    $schema: SCHEMA,
    capabilities: {
      [CAPABILITY]: {
        extensions,
        features: features as JsonObject,
        properties: mapped(properties, (struct, values) => named(struct, values)),
        formats: Object.fromEntries(
          Array.from(model.formats, ([format, bits]) => [shownValue("VkFormat", format), formatJson(bits)]),
        ),
        queueFamiliesProperties: queueFamilies.map(({ VkQueueFamilyProperties: family }) => ({
          VkQueueFamilyProperties: named("VkQueueFamilyProperties", family as StructObject),
        })),
      },
    },
    profiles: {
      [`VP_${label}`]: {
        version: 1,
        "api-version": versionText(apiVersion),
        label: name,
        description: `Made from ${model.origin}.`,
        capabilities: [CAPABILITY],
      },
    },
  };
}

function mapped(
  values: Readonly<Record<string, Json>>,
  change: (name: string, values: StructObject) => JsonValue,
): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, each]) => [name, change(name, each as StructObject)]));
}

/** Returns the members of a struct with names for flags and enumerants. */
function named(struct: string, values: StructObject): JsonObject {
  const members = layoutOf(struct).fields.filter(({ name }) => values[name] !== undefined);
  return Object.fromEntries(members.map(({ name, type, kind }) => {
    const value = values[name];
    return [name, kind === "struct" ? named(type, value as StructObject) : valueJson(type, value)];
  }));
}

/** Bits without a name keep a number. 64-bit numbers are written in full. */
function valueJson(type: string, value: unknown): JsonValue {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    return Array.from(value as Iterable<unknown>, (each) => valueJson(type, each));
  }
  if (typeof value === "boolean") return value;
  const names = type.startsWith("Vk") ? shownValue(type, value).split(" | ") : [];
  if (names.length > 0 && names.every((name) => name.startsWith("VK_"))) return /Flags/.test(type) ? names : names[0];
  if (/Flags/.test(type) && Number(value) === 0) return [];
  return typeof value === "bigint" ? wholeJson(value) : value as number;
}

/** A number that JSON has in full, and JavaScript has not. */
function wholeJson(value: bigint): JsonValue {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  return (JSON as unknown as { rawJSON(text: string): JsonValue }).rawJSON(`${value}`);
}

/** The newer struct has more bits; the older one is known to more readers. */
function formatJson(bits: FormatFeatures): JsonObject {
  const isWide = Object.values(bits).some((each) => each >= 1n << 31n);
  const flags = isWide ? "VkFormatFeatureFlags2" : "VkFormatFeatureFlags";
  const members = Object.entries(bits).map(([name, each]) => [name, valueJson(flags, each)]);
  return { [isWide ? "VkFormatProperties3" : "VkFormatProperties"]: Object.fromEntries(members) };
}
