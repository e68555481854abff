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
    const pairs = this.elements(struct, json, isPair);
    return new Map(pairs.map(([key, value]) => [Number(key), this.struct(struct, value)]));
  }

  /** Reads a list of structs; `undefined` if there is none. */
  list(struct: string, json: unknown): StructObject[] | undefined {
    if (json === undefined) return undefined;
    const elements = this.elements(struct, json, isObject);
    return Array.isArray(json) ? elements.map((each) => this.struct(struct, each)) : undefined;
  }

  /** Returns the elements of a list that are as they should be, and notes the others. */
  elements<Element>(name: string, json: unknown, isGood: (value: unknown) => value is Element): Element[] {
    const list: unknown[] = Array.isArray(json) ? json : [];
    if (json !== undefined && !Array.isArray(json)) this.unread.push(`${name}: ${kindOf(json)} is no list`);
    list.forEach((each, index) => isGood(each) || this.unread.push(`${name}[${index}]`));
    return list.filter(isGood);
  }

  /** Reads VkPhysicalDeviceMemoryProperties; `undefined` for none, and for one whose types lie in no heap. */
  memory(json: unknown): StructObject | undefined {
    if (json === undefined) return undefined;
    const memory = this.struct(MEMORY, json), types = (memory.memoryTypes ?? []) as StructObject[];
    const heaps = ((memory.memoryHeaps ?? []) as StructObject[]).slice(0, memory.memoryHeapCount as number | undefined);
    const isWhole = types.length > 0 && heaps.length > 0 && heaps.every(({ size }) => size !== undefined);
    const wrong = types.slice(0, memory.memoryTypeCount as number | undefined).findIndex((
      { heapIndex, propertyFlags },
    ) => propertyFlags === undefined || !(Number(heapIndex) < heaps.length));
    if (isWhole && wrong < 0) return memory;
    this.unread.push(isWhole ? `${MEMORY}: memoryTypes[${wrong}] lies in none of ${heaps.length} heaps` : MEMORY);
    return undefined;
  }
}

const MEMORY = "VkPhysicalDeviceMemoryProperties";

function isPair(value: unknown): value is [number | string, object] {
  return Array.isArray(value) && value.length === 2 && Number.isInteger(Number(value[0])) && isObject(value[1]);
}

/** Returns the name of a JSON value's kind, with an article. */
function kindOf(value: unknown): string {
  return value === null
    ? "null"
    : Array.isArray(value)
    ? "a list"
    : typeof value === "object"
    ? "an object"
    : `a ${typeof value}`;
}

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads VkExtensionProperties. */
export function extensionsIn(facts: Facts, json: Json | undefined): Map<string, number> {
  const list = facts.elements("VkExtensionProperties", json, isExtension);
  return new Map(list.map(({ extensionName, specVersion }) => [extensionName, Number(specVersion ?? 1)]));
}

/** A name has up to 255 bytes of ASCII. */
function isExtension(value: unknown): value is { extensionName: string; specVersion?: unknown } {
  if (!isObject(value) || typeof value.extensionName !== "string") return false;
  const { extensionName, specVersion = 1 } = value;
  return /^[\x21-\x7e]{1,255}$/.test(extensionName) && Number(specVersion) >= 0 && Number(specVersion) < 2 ** 32;
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
    extensions: extensionsIn(facts, device.extensions),
    instanceVersion: typeof report.apiVersion === "number" ? report.apiVersion : undefined,
    instanceExtensions: extensionsIn(facts, report.extensions),
    formats: formatsIn(facts, device.formats),
    hasAllFormats: Array.isArray(device.formats),
    ...handleTypes(facts, device),
    queueFamilies: facts.list("VkQueueFamilyProperties", device.queues),
    memory: facts.memory(device.memory),
    unread: facts.unread,
  });
}

function handleTypes(facts: Facts, device: JsonObject): Pick<DeviceModel, "fences" | "semaphores"> {
  const { externalFenceProperties: fences, externalSemaphoreProperties: semaphores } = device;
  const known = (struct: string, json: Json | undefined) => {
    const found = facts.pairs(struct, json); // notes what is no list
    return Array.isArray(json) ? found : undefined;
  };
  return {
    fences: known("VkExternalFenceProperties", fences),
    semaphores: known("VkExternalSemaphoreProperties", semaphores),
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
