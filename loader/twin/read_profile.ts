import type { StructObject } from "../codec/codec.ts";
import { findExtension } from "../command/registry/extension.ts";
import type { FormatFeatures } from "../layers/shipped/limits/settings.ts";
import { numberOf, structName } from "../requirements/profiles/registry_names.ts";
import { chainOf } from "../requirements/profiles/evaluate.ts";
import type { Capability, Profile } from "../requirements/profiles/profile.ts";
import type { FindProfile } from "../requirements/profiles/profile_set.ts";
import { combineFormats, combineStruct } from "./combine.ts";
import { type DeviceModel, makeModel } from "./model.ts";
import { Facts, isObject, wideFeatures } from "./read_vkjson.ts";

/**
 * Returns the device that has exactly what a profile and the profiles that it
 * requires demand. Of capabilities that may stand for each other, `variants`
 * names the wanted ones; without a wanted one, the first counts.
 */
export function modelOfProfile(profile: Profile, find: FindProfile, variants: readonly string[]): DeviceModel {
  const facts = new Facts(), chain = chainOf(profile, find);
  const chosen = chain.flatMap(({ capabilities }) =>
    capabilities.map((choices) => choices.find(({ name }) => variants.includes(name)) ?? choices[0])
  );
  for (const each of chosen) addStructs(facts, each);
  const apiVersion = Math.max(...chain.map((each) => each.apiVersion));
  facts.add("VkPhysicalDeviceProperties", { apiVersion, deviceName: profile.name });
  const families = chosen.flatMap(({ queueFamilies }) => queueFamilies).map((each) => familyIn(facts, each));
  return makeModel({
    origin: `profile ${profile.name}`,
    structs: facts.structs,
    extensions: extensionsOf(chosen, "device"),
    instanceExtensions: extensionsOf(chosen, "instance"),
    formats: formatsOf(facts, chosen),
    queueFamilies: families.length > 0 ? families : undefined,
    unread: facts.unread,
  });
}

function addStructs(facts: Facts, { features, properties }: Capability): void {
  for (const [given, members] of [...Object.entries(features), ...Object.entries(properties)]) {
    const name = structName(given)?.replace(/^(VkPhysicalDevice(Features|Properties))2$/, "$1");
    if (name === undefined) {
      facts.unread.push(given);
      continue;
    }
    const wanted = facts.struct(name, members.features ?? members.properties ?? members);
    facts.structs.set(name, combineStruct(name, facts.structs.get(name) ?? {}, wanted, "either"));
  }
}

function familyIn(facts: Facts, entry: Readonly<Record<string, unknown>>): StructObject {
  const { VkQueueFamilyProperties2: outer, VkQueueFamilyProperties: own } = entry;
  const inner = isObject(outer) ? outer.queueFamilyProperties : undefined;
  return facts.struct("VkQueueFamilyProperties", own ?? inner ?? {});
}

function extensionsOf(capabilities: readonly Capability[], level: "instance" | "device"): Map<string, number> {
  const all = capabilities.flatMap(({ extensions }) => Object.entries(extensions));
  const own = all.filter(([name]) => ((findExtension(name)?.kind === "instance") === (level === "instance")));
  return new Map(own.sort(([, one], [, other]) => one - other)); // of several revisions, the newest
}

/** A format may be stated by any generation of the struct, and a key may have several names. */
function formatsOf(facts: Facts, capabilities: readonly Capability[]): Map<number, FormatFeatures> {
  const found = new Map<number, FormatFeatures>();
  for (const [names, structs] of capabilities.flatMap(({ formats }) => Object.entries(formats))) {
    for (const [struct, members] of Object.entries(structs)) {
      const generation = /3(KHR)?$/.test(struct) ? "VkFormatProperties3" : "VkFormatProperties";
      const features = wideFeatures(facts.struct(generation, members.formatProperties ?? members));
      for (const name of names.split(" ")) {
        const format = Number(numberOf("VkFormat", name)), before = found.get(format);
        found.set(format, before ? combineFormats(before, features, "either") : features);
      }
    }
  }
  return found;
}
