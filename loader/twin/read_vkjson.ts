import type { StructObject } from "../codec/codec.ts";
import type { FormatFeatures } from "../layers/shipped/limits/settings.ts";
import type { Json, JsonObject } from "../vkjson/json_value.ts";
import { Schema } from "../vkjson/schema.ts";
import { type DeviceModel, makeModel } from "./model.ts";
import { structFromJson } from "./struct_json.ts";

/** Collects what a source says. */
export class Facts {
  /** Structs by their names in the tables. */
  readonly structs = new Map<string, StructObject>();
  /** Members that were not understood. */
  readonly unread: string[] = [];

  /** Returns a struct from JSON and notes what was not understood. */
  struct(name: string, json: unknown): StructObject {
    if (isObject(json)) return structFromJson(name, json, (member) => this.unread.push(member));
    this.unread.push(name);
    return {};
  }

  /** Adds a struct of features or properties. Of a fact that is told twice, the first counts. */
  add(name: string, json: unknown): void {
    if (json === undefined) return;
    this.structs.set(name, { ...this.struct(name, json), ...this.structs.get(name) });
  }

  /** Reads `[number, {…}]` pairs. */
  pairs(struct: string, json: unknown): Map<number, StructObject> {
    const pairs = (Array.isArray(json) ? json : []) as unknown[];
    return new Map(pairs.filter(isPair).map(([key, value]) => [Number(key), this.struct(struct, value)]));
  }

  /** Reads a list of structs; `undefined` if there is none. */
  list(struct: string, json: unknown): StructObject[] | undefined {
    return Array.isArray(json) ? json.map((each) => this.struct(struct, each)) : undefined;
  }
}

function isPair(value: unknown): value is [unknown, object] {
  return Array.isArray(value) && value.length === 2 && isObject(value[1]);
}

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads VkExtensionProperties. */
export function extensionsIn(json: Json | undefined): Map<string, number> {
  const list = (Array.isArray(json) ? json : []).filter(isObject);
  return new Map(list.map(({ extensionName, specVersion }) => [String(extensionName), Number(specVersion ?? 1)]));
}

/** Reads the capabilities of formats in VkFormatProperties. */
export function formatsIn(facts: Facts, json: Json | undefined): Map<number, FormatFeatures> {
  const all = [...facts.pairs("VkFormatProperties", json)].map(([format, values]) =>
    [format, wideFeatures(values)] as const
  );
  return new Map(all.filter(([, features]) => Object.values(features).some((bits) => bits !== 0n)));
}

/** VkFormatProperties with 64 bits. */
export function wideFeatures(values: StructObject): FormatFeatures {
  const bits = (name: string) => BigInt.asUintN(64, BigInt((values[name] ?? 0) as number | bigint));
  return {
    linearTilingFeatures: bits("linearTilingFeatures"),
    optimalTilingFeatures: bits("optimalTilingFeatures"),
    bufferFeatures: bits("bufferFeatures"),
  };
}

/** Blocks that are no structs of features or properties. */
const OTHERS = ["extensions", "layers", "formats", "queues", "memory", "externalFenceProperties"];

/** Reads a device of vkjson: Android's of any release, or ours. */
export function modelOfVkjson(device: JsonObject, report: JsonObject, origin: string): DeviceModel {
  const facts = new Facts(), known = versionBlocks();
  facts.add("VkPhysicalDeviceProperties", device.properties);
  facts.add("VkPhysicalDeviceFeatures", device.features);
  for (const [key, block] of Object.entries(device)) {
    const struct = known.get(key);
    if (struct !== undefined) facts.add(struct, block);
    else if (/^core1\d$/.test(key) && isObject(block)) addCore(facts, key, block);
    else if (key.startsWith("VK_") && isObject(block)) addExtension(facts, key, block);
    else if (![...OTHERS, "properties", "features", "externalSemaphoreProperties"].includes(key)) {
      facts.unread.push(key);
    }
  }
  return makeModel({
    origin,
    structs: facts.structs,
    extensions: extensionsIn(device.extensions),
    instanceVersion: typeof report.apiVersion === "number" ? report.apiVersion : undefined,
    instanceExtensions: extensionsIn(report.extensions),
    formats: formatsIn(facts, device.formats),
    hasAllFormats: "formats" in device,
    ...handleTypes(facts, device),
    queueFamilies: facts.list("VkQueueFamilyProperties", device.queues),
    memory: isObject(device.memory) ? facts.struct("VkPhysicalDeviceMemoryProperties", device.memory) : undefined,
    unread: facts.unread,
  });
}

function handleTypes(facts: Facts, device: JsonObject): Pick<DeviceModel, "fences" | "semaphores"> {
  const { externalFenceProperties: fences, externalSemaphoreProperties: semaphores } = device;
  return {
    fences: fences === undefined ? undefined : facts.pairs("VkExternalFenceProperties", fences),
    semaphores: semaphores === undefined ? undefined : facts.pairs("VkExternalSemaphoreProperties", semaphores),
  };
}

/** The structs of Vulkan 1.1 by the names of all releases. */
function versionBlocks(): Map<string, string> {
  return new Map([...new Schema(undefined).since11, ...new Schema(17).since11]);
}

/** Adds `core12` and its like. */
export function addCore(facts: Facts, key: string, { features, properties }: JsonObject): void {
  const version = `VkPhysicalDeviceVulkan${key.slice("core".length)}`;
  facts.add(`${version}Features`, features);
  facts.add(`${version}Properties`, properties);
}

function addExtension(facts: Facts, extension: string, blocks: JsonObject): void {
  const named = new Map(new Schema(undefined).structsOf(extension));
  for (const [key, block] of Object.entries(blocks)) {
    const struct = named.get(key);
    if (struct !== undefined) facts.add(struct, block);
    else facts.unread.push(`${extension}.${key}`);
  }
}
