import type { VkPhysicalDevice } from "../types.ts";
import { VK_API_VERSION_MAJOR, VK_API_VERSION_MINOR } from "../version.ts";
import { type JsonObject, structJson } from "./json_value.ts";
import type { NamedStruct, Schema } from "./schema.ts";
import {
  VK_FORMAT_A1B5G5R5_UNORM_PACK16,
  VK_FORMAT_A4B4G4R4_UNORM_PACK16,
  VK_FORMAT_A4R4G4B4_UNORM_PACK16,
  VK_FORMAT_A8_UNORM,
  VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK,
  VK_FORMAT_ASTC_12x12_SRGB_BLOCK,
  VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK,
  VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM,
  VK_FORMAT_G16_B16R16_2PLANE_444_UNORM,
  VK_FORMAT_G8_B8R8_2PLANE_444_UNORM,
  VK_FORMAT_G8B8G8R8_422_UNORM,
  VK_FORMAT_R4G4_UNORM_PACK8,
} from "../gen/native_gen.ts";
import { codec } from "../codec/codec.ts";
import type { Field } from "../codec/layout/layout.ts";
import { arraysCountedBy } from "../codec/layout/form.ts";

type Members = Record<string, unknown>;
type Ask = (chain: Members[]) => { pNext: Members[] };

/**
 * Queries a physical device for one struct after the other, each once, and
 * alone in its chain, because some may not stand together.
 */
class DeviceStructs {
  readonly #gpu: VkPhysicalDevice;
  readonly #suffix: string;
  readonly #known = new Map<string, JsonObject>();

  /** `suffix` is `"KHR"` if only the extension has the queries. */
  constructor(gpu: VkPhysicalDevice, suffix: "" | "KHR" = "") {
    this.#gpu = gpu;
    this.#suffix = suffix;
  }

  /** A struct by its name in the tables, as vkjson writes it. */
  get(name: string): JsonObject {
    let found = this.#known.get(name);
    if (!found) this.#known.set(name, found = structJson(name, this.#ask(name)));
    return found;
  }

  #ask(name: string): Members {
    const { sType } = codec(name), first = this.#answer(name, { sType }), room = arraysToFill(name, first);
    return room ? this.#answer(name, { sType, ...room }) : first;
  }

  #answer(name: string, question: Members): Members {
    const what = name.includes("Features") ? "Features2" : "Properties2";
    const gpu = this.#gpu as unknown as Record<string, Ask>;
    return gpu[`vkGetPhysicalDevice${what}${this.#suffix}`]([question]).pNext[0];
  }
}

/**
 * Returns room for the arrays whose counts the driver has given, if a second
 * query is needed; `undefined` otherwise.
 */
function arraysToFill(name: string, answer: Members): Members | undefined {
  const { layout } = codec(name);
  const pairs = layout.fields.flatMap((counter) =>
    arraysCountedBy(layout, counter).filter(({ stars }) => stars > 0)
      .flatMap((array) => [[counter.name, answer[counter.name]], [array.name, room(array, answer[counter.name])]])
  );
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

function room({ kind }: Field, count: unknown): unknown[] {
  return Array.from({ length: Number(count) }, () => kind === "struct" ? {} : 0);
}

/** A run of VkFormat values, and the minor version that has them without an extension. */
interface Run {
  readonly first: number;
  readonly last: number;
  readonly minor: number;
}

const IN_VKJSON: readonly Run[] = [
  { first: VK_FORMAT_R4G4_UNORM_PACK8, last: VK_FORMAT_ASTC_12x12_SRGB_BLOCK, minor: 0 },
  { first: VK_FORMAT_G8B8G8R8_422_UNORM, last: VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM, minor: 1 },
];
const LATER: readonly Run[] = [
  { first: VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK, last: VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK, minor: 3 },
  { first: VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, last: VK_FORMAT_G16_B16R16_2PLANE_444_UNORM, minor: 3 },
  { first: VK_FORMAT_A4R4G4B4_UNORM_PACK16, last: VK_FORMAT_A4B4G4R4_UNORM_PACK16, minor: 3 },
  { first: VK_FORMAT_A1B5G5R5_UNORM_PACK16, last: VK_FORMAT_A8_UNORM, minor: 4 },
];

/**
 * Returns the usable formats of a device of 1.`minor` and their capabilities:
 * pairs, by rising number. AOSP's vkjson does not query those of 1.3 and later.
 */
function formatPairs(gpu: VkPhysicalDevice, minor: number, onlyAosp: boolean): [number, JsonObject][] {
  const runs = [...IN_VKJSON, ...onlyAosp ? [] : LATER].filter((run) => run.minor <= minor)
    .sort((a, b) => a.first - b.first);
  const pairs: [number, JsonObject][] = [];
  for (const { first, last } of runs) {
    for (let format = first; format <= last; format++) {
      const found = structJson("VkFormatProperties", gpu.vkGetPhysicalDeviceFormatProperties(format));
      if (Object.values(found).some((features) => features !== 0)) pairs.push([format, found]);
    }
  }
  return pairs;
}

/** Bits of VkExternalFenceHandleTypeFlagBits: opaque fd, two of Windows, sync fd. */
const FENCE_BITS = 4;
/** Bits of VkExternalSemaphoreHandleTypeFlagBits: the same with Direct3D 12's before the last. */
const SEMAPHORE_BITS = 5;

/**
 * Returns the handle types to which fences can be exported or from which they
 * can be imported, and how: pairs by bit.
 */
function externalFencePairs(gpu: VkPhysicalDevice): [number, JsonObject][] {
  return pairs(
    FENCE_BITS,
    (handleType) =>
      structJson("VkExternalFenceProperties", gpu.vkGetPhysicalDeviceExternalFenceProperties({ handleType })),
  );
}

/** Returns the same for semaphores. */
function externalSemaphorePairs(gpu: VkPhysicalDevice): [number, JsonObject][] {
  return pairs(
    SEMAPHORE_BITS,
    (handleType) =>
      structJson("VkExternalSemaphoreProperties", gpu.vkGetPhysicalDeviceExternalSemaphoreProperties({ handleType })),
  );
}

function pairs(bits: number, ask: (bit: number) => JsonObject): [number, JsonObject][] {
  const all = Array.from({ length: bits }, (_, index): [number, JsonObject] => [1 << index, ask(1 << index)]);
  return all.filter(([, found]) => Object.values(found).some((value) => value !== 0));
}

/** The circumstances of a query of devices. */
export interface Asking {
  /** The blocks to write. */
  readonly schema: Schema;
  /** Whether to repeat AOSP's mistakes. */
  readonly aosp: boolean;
  /** The minor version of the instance. */
  readonly minor: number;
  /** Whether the instance has VK_KHR_get_physical_device_properties2. */
  readonly hasProperties2: boolean;
  /** Whether the driver has a command. An unfinished driver may lack commands that its version requires. */
  has(command: string): boolean;
}

/** Returns a physical device as vkjson writes it; empty if the driver lacks the necessary query. */
export function deviceJson(gpu: VkPhysicalDevice, asking: Asking): JsonObject {
  const properties = gpu.vkGetPhysicalDeviceProperties(), minor = minorOf(properties.apiVersion, asking);
  const extensions = listed(
    asking,
    "EnumerateDeviceExtensionProperties",
    () => gpu.vkEnumerateDeviceExtensionProperties(null),
  );
  const structs = structsOf(gpu, minor, asking), names = extensions.map(({ extensionName }) => extensionName);
  return {
    ...structs && minor >= 1 ? versionBlocks(gpu, structs, minor, asking) : {},
    properties: structJson("VkPhysicalDeviceProperties", properties),
    ...coreBlocks(gpu, asking),
    extensions: extensions.map((each) => structJson("VkExtensionProperties", each)),
    layers: gpu.vkEnumerateDeviceLayerProperties().map((each) => structJson("VkLayerProperties", each)),
    formats: listed(asking, "GetPhysicalDeviceFormatProperties", () => formatPairs(gpu, minor, asking.aosp)),
    ...structs ? extensionBlocks(structs, names, asking.schema) : {},
  };
}

function coreBlocks(gpu: VkPhysicalDevice, { has }: Asking): JsonObject {
  const told = (command: string, struct: string, ask: () => object) =>
    has(`vkGetPhysicalDevice${command}`) ? structJson(struct, ask()) : {};
  return {
    features: told("Features", "VkPhysicalDeviceFeatures", () => gpu.vkGetPhysicalDeviceFeatures()),
    memory: told(
      "MemoryProperties",
      "VkPhysicalDeviceMemoryProperties",
      () => gpu.vkGetPhysicalDeviceMemoryProperties(),
    ),
    queues: gpu.vkGetPhysicalDeviceQueueFamilyProperties().map((each) => structJson("VkQueueFamilyProperties", each)),
  };
}

function listed<T>({ has }: Asking, command: string, ask: () => T[]): T[] {
  return has(`vk${command}`) ? ask() : [];
}

/** The usable minor version: the lower of the device's and the instance's. */
function minorOf(apiVersion: number, { minor }: Asking): number {
  const own = VK_API_VERSION_MAJOR(apiVersion) > 1 ? Infinity : VK_API_VERSION_MINOR(apiVersion);
  return Math.min(own, minor);
}

/** Returns `undefined` for a device of 1.0 that can be queried only for that version's structs. */
function structsOf(gpu: VkPhysicalDevice, minor: number, asking: Asking): DeviceStructs | undefined {
  const suffix = minor >= 1 ? "" : "KHR";
  if (minor < 1 && !asking.hasProperties2) return undefined;
  const has = ["Properties2", "Features2"].every((what) => asking.has(`vkGetPhysicalDevice${what}${suffix}`));
  return has ? new DeviceStructs(gpu, suffix) : undefined;
}

function versionBlocks(gpu: VkPhysicalDevice, structs: DeviceStructs, minor: number, asking: Asking): JsonObject {
  const { schema } = asking, cores = schema.cores.filter(({ from }) => from <= minor);
  return {
    ...Object.fromEntries(cores.map(({ minor }) => [`core${minor}`, {
      features: structs.get(`VkPhysicalDeviceVulkan${minor}Features`),
      properties: structs.get(`VkPhysicalDeviceVulkan${minor}Properties`),
    }])),
    ...blocks(structs, schema.since11),
    externalFenceProperties: listed(asking, "GetPhysicalDeviceExternalFenceProperties", () => externalFencePairs(gpu)),
    externalSemaphoreProperties: listed(
      asking,
      "GetPhysicalDeviceExternalSemaphoreProperties",
      () => externalSemaphorePairs(gpu),
    ),
  };
}

function extensionBlocks(structs: DeviceStructs, extensions: readonly string[], schema: Schema): JsonObject {
  const known = extensions.map((name) => [name, schema.structsOf(name)] as const);
  return Object.fromEntries(
    known.filter(([, named]) => named.length > 0).map(([name, named]) => [name, blocks(structs, named)]),
  );
}

function blocks(structs: DeviceStructs, named: readonly NamedStruct[]): JsonObject {
  return Object.fromEntries(named.map(([key, struct]) => [key, structs.get(struct)]));
}
