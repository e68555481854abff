/**
 * A driver that has every feature, extension and format of the registry and accepts every object, so that what is lower
 * or refused under a twin is the twin's doing.
 *
 * @module
 */
import { copyFromArena, poke32 } from "../../../ffi/machine.ts";
import { inFrame } from "../../../ffi/arena.ts";
import { codec, structNames, type StructObject } from "../../../loader/codec/codec.ts";
import { layoutOf, nameOfSType } from "../../../loader/codec/layout/layout.ts";
import { allExtensions } from "../../../loader/command/registry/extension.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { isFeatures } from "../../../loader/layers/shipped/limits/settings.ts";
import { loadVulkan, VulkanError } from "../../../loader/mod.ts";
import { type DeviceTwin, twinOf } from "../../../loader/twin/device_twin.ts";
import { type DeviceModel, makeModel } from "../../../loader/twin/model.ts";
import type { VkInstance, VkPhysicalDevice } from "../../../loader/types.ts";
import * as vk from "../../../loader/vk.ts";
import { count } from "../../support/counts.ts";

export type Structs = Map<string, StructObject>;
// deno-lint-ignore no-explicit-any -- all queries of a kind are called alike
export type Ask = (...args: any[]) => any;

export const QUEUES = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];
export const FEATURES = "VkPhysicalDeviceFeatures", PROPERTIES = "VkPhysicalDeviceProperties";
export const DEVICE_EXTENSIONS = allExtensions().filter(({ kind }) => kind === "device");
/** All structs that a device of the newest version with all extensions answers. */
export const STRUCTS = [
  ...new Set([
    ...structNames().filter((name) =>
      /^VkPhysicalDevice(Vulkan1\d|ProtectedMemory|Subgroup)(Features|Properties)$/.test(name)
    ),
    ...allExtensions().flatMap(({ structs }) => structs.map(({ sType }) => nameOfSType(sType)!)),
  ]),
].filter((name) => /Features|Properties/.test(name) && !ofOtherQueries(name));

/** Structs of extensions that belong to other queries than those for features and properties. */
function ofOtherQueries(name: string): boolean {
  return /MemoryBudget|ExternalMemoryHost$|ToolProp|FormatProp|^VkQueue|SparseImage|^Vk(?!PhysicalDevice)/.test(name);
}

/** A number that can be lowered and raised, whichever is worse. */
export const SOME = 64;

/** A struct in which every feature is true, and every number 64. */
export function fullStruct(name: string): StructObject {
  const values: StructObject = {};
  for (const { name: member, kind, type, dims, stars } of layoutOf(name).fields) {
    if (stars > 0 || member === "sType" || member === "pNext" || kind === "str") continue;
    const one = kind === "struct"
      ? fullStruct(type)
      : kind === "bool"
      ? true
      : kind.includes("64") || kind === "usize"
      ? BigInt(SOME)
      : SOME;
    values[member] = dims.reduceRight<unknown>((value, length) => Array(length).fill(value), one);
  }
  return values;
}

function fullStructs(): Structs {
  return new Map([FEATURES, PROPERTIES, ...STRUCTS].map((name) => [name, fullStruct(name)]));
}

/** The device of the newest version with all extensions and features. */
export function fullModel(change: (structs: Structs) => void = () => {}): DeviceModel {
  const structs = fullStructs();
  structs.set(PROPERTIES, { ...structs.get(PROPERTIES), apiVersion: vk.VK_API_VERSION_1_4 });
  change(structs);
  return makeModel({
    origin: "the whole registry",
    structs,
    extensions: new Map(DEVICE_EXTENSIONS.map(({ name, specVersion }) => [name, specVersion])),
  });
}

/** Some of a list, evenly spread: more in continuous integration, and before a release, after a new registry, all. */
export function some<T>(all: readonly T[]): T[] {
  const step = Math.ceil(all.length / count(24, 100, all.length));
  return all.filter((_, index) => index % step === 0);
}

/** A physical device that has everything, under a twin. */
export class Whole implements Disposable {
  readonly #driver = defineDriver({
    name: "everything",
    apiVersion: vk.VK_API_VERSION_1_4,
    instanceExtensions: ["VK_KHR_get_physical_device_properties2"],
    physicalDevices: [{
      properties: { ...fullStruct(PROPERTIES), apiVersion: vk.VK_API_VERSION_1_4 } as never,
      features: fullStruct(FEATURES) as never,
      extensions: DEVICE_EXTENSIONS.map(({ name }) => name),
      chain: STRUCTS.map((name) => ({ sType: layoutOf(name).sType, ...fullStruct(name) })) as never,
    }],
    commands: formatCommands(),
  });
  readonly #vulkan = loadVulkan({ driver: this.#driver });
  readonly #instance: VkInstance = this.#vulkan.vkCreateInstance({
    pApplicationInfo: { apiVersion: vk.VK_API_VERSION_1_4 },
    ppEnabledExtensionNames: ["VK_KHR_get_physical_device_properties2"],
  });
  readonly gpu: VkPhysicalDevice = this.#instance.vkEnumeratePhysicalDevices()[0];

  /** Runs something with a twin above. */
  under(model: DeviceModel, use: (twin: DeviceTwin) => void): void {
    const twin = twinOf(model, { strictness: "used", log: () => {} });
    this.#instance.attach(twin.layer);
    use(twin);
    this.#instance.detach(twin.layer);
  }

  /** A struct as a chain of each of the two spellings of a query tells it. */
  structs(name: string): StructObject[] {
    const what = isFeatures(name) ? "Features2" : "Properties2", gpu = this.gpu as unknown as Record<string, Ask>;
    const inner = what === "Features2" ? "features" : "properties";
    const [one, two] = ["", "KHR"].map((suffix) =>
      gpu[`vkGetPhysicalDevice${what}${suffix}`](
        name === FEATURES || name === PROPERTIES ? [] : [{ sType: layoutOf(name).sType }],
      )
    );
    if (name !== FEATURES && name !== PROPERTIES) return [one.pNext[0], two.pNext[0]];
    return [one[inner], two[inner], gpu[`vkGetPhysicalDevice${what.slice(0, -1)}`]()];
  }

  /** The result of creating a device. */
  create(info: object): number {
    try {
      this.gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES, ...info } as never).close();
      return 0;
    } catch (error) {
      if (error instanceof VulkanError) return error.code;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#instance.close();
    this.#vulkan.close();
    this.#driver.close();
  }
}

/** Every format has all features, and every image of them is possible. */
function formatCommands() {
  const fill = (struct: string, to: bigint) =>
    inFrame((memory) => {
      const { size } = codec(struct), at = memory.alloc(size);
      memory.bytes.fill(0xff, at, at + size);
      copyFromArena(to, at, size);
    });
  const two: Ask = (_next, _gpu, _format, out) => fill("VkFormatProperties", out + 16n);
  const images2: Ask = (_next, _gpu, _info, out) => (fill("VkImageFormatProperties", out + 16n), 0);
  return {
    vkGetPhysicalDeviceFormatProperties: (_next: unknown, _gpu: bigint, _format: number, out: bigint) =>
      fill("VkFormatProperties", out),
    vkGetPhysicalDeviceFormatProperties2: two,
    vkGetPhysicalDeviceFormatProperties2KHR: two,
    vkGetPhysicalDeviceImageFormatProperties:
      ((...args: bigint[]) => (fill("VkImageFormatProperties", args.at(-1)!), 0)) as never,
    vkGetPhysicalDeviceImageFormatProperties2: images2,
    vkGetPhysicalDeviceImageFormatProperties2KHR: images2,
    vkGetPhysicalDeviceSparseImageFormatProperties: ((...args: bigint[]) => poke32(args.at(-2)!, 1)) as never,
  };
}
