import { layoutOf, nameOfSType } from "../codec/layout/layout.ts";
import { findExtension } from "../command/registry/extension.ts";
import type { Json, JsonObject } from "../vkjson/json_value.ts";
import { type DeviceModel, makeModel, type SurfaceFacts } from "./model.ts";
import { addCore, extensionsIn, Facts, formatsIn, isObject } from "./read_vkjson.ts";

/** Members that reports add to VkPhysicalDeviceProperties, for people. */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  "apiVersionText",
  "deviceTypeText",
  "displayName",
  "driverVersionText",
  "subgroupProperties",
  "headerversion",
  "productModel",
  "productManufacturer",
]);

/** Whether JSON is a report of the public hardware database. */
export function isReport(json: JsonObject): boolean {
  return isObject(json.properties) && isObject(json.features) && ("environment" in json || "extended" in json);
}

/** Reads a report as the public hardware database keeps them. */
export function modelOfReport(json: JsonObject, origin: string): DeviceModel {
  const facts = new Facts(), instance = isObject(json.instance) ? json.instance : {};
  facts.add("VkPhysicalDeviceProperties", withoutTexts(json.properties as JsonObject));
  facts.add("VkPhysicalDeviceFeatures", json.features);
  facts.add("VkPhysicalDeviceSubgroupProperties", subgroupsIn(json.properties as JsonObject));
  for (const [key, block] of Object.entries(json)) {
    if (/^core1\d$/.test(key) && isObject(block)) addCore(facts, key, block);
  }
  if (isObject(json.extended)) addExtended(facts, json.extended);
  const { memory, queues } = json;
  return makeModel({
    origin,
    structs: facts.structs,
    extensions: extensionsIn(facts, json.extensions),
    instanceExtensions: extensionsIn(facts, instance.extensions as Json | undefined),
    formats: formatsIn(facts, withoutSupported(json.formats)),
    hasAllFormats: Array.isArray(json.formats),
    queueFamilies: facts.list("VkQueueFamilyProperties", Array.isArray(queues) ? queues.map(familyOf) : queues),
    memory: facts.memory(memory),
    surface: surfaceIn(facts, json.surfacecapabilities ?? json.surfacecapabilites), // the database's own spelling
    unread: facts.unread,
  });
}

function withoutTexts(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !FOR_PEOPLE.has(name)));
}

function subgroupsIn({ subgroupProperties }: JsonObject): JsonObject | undefined {
  if (!isObject(subgroupProperties)) return undefined;
  const known = new Set(layoutOf("VkPhysicalDeviceSubgroupProperties").fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(subgroupProperties).filter(([name]) => known.has(name)));
}

/** Besides its members, a queue family tells whether it presents, and a format whether it is supported. */
function familyOf(family: Json): Json {
  if (!isObject(family)) return family;
  const { supportsPresent: _, ...members } = family;
  return members;
}

function withoutSupported(formats: Json | undefined): Json | undefined {
  if (!Array.isArray(formats)) return formats;
  return formats.map((pair) => {
    if (!Array.isArray(pair) || !isObject(pair[1])) return pair;
    const { supported: _, ...members } = pair[1];
    return [pair[0], members];
  });
}

/** Features and properties of extensions are lists of members without their structs. */
function addExtended(facts: Facts, { devicefeatures2: features, deviceproperties2: properties }: JsonObject): void {
  for (const [kind, list] of [["Features", features], ["Properties", properties]] as const) {
    for (const entry of facts.elements(`extended.${kind}`, list, isObject)) addMember(facts, kind, entry);
  }
}

function addMember(facts: Facts, kind: "Features" | "Properties", entry: JsonObject): void {
  const name = String(entry.name), value = kind === "Features" ? entry.supported : entry.value;
  const struct = structWith(String(entry.extension), kind, name);
  if (struct === undefined) facts.unread.push(`${entry.extension}.${name}`);
  else facts.add(struct, { [name]: value });
}

function structWith(extension: string, kind: string, member: string): string | undefined {
  const names = (findExtension(extension)?.structs ?? []).map(({ sType }) => nameOfSType(sType)!);
  return names.find((name) => name.includes(kind) && layoutOf(name).fields.some((field) => field.name === member));
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function surfaceIn(facts: Facts, json: Json | undefined): SurfaceFacts | undefined {
  if (!isObject(json) || json.validSurface === false) return undefined;
  const { validSurface: _v, surfaceExtension: _e, presentmodes, surfaceformats, ...capabilities } = json;
  return {
    capabilities: facts.struct("VkSurfaceCapabilitiesKHR", capabilities),
    formats: facts.list("VkSurfaceFormatKHR", surfaceformats),
    presentModes: presentmodes === undefined ? undefined : facts.elements("presentmodes", presentmodes, isNumber),
  };
}
