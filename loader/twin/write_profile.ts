import type { StructObject } from "../codec/codec.ts";
import { layoutOf } from "../codec/layout/layout.ts";
import { isFeatures } from "../layers/shipped/limits/settings.ts";
import { shownValue } from "../requirements/profiles/enum_values.ts";
import type { Json, Profile } from "../requirements/profiles/profile.ts";
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
