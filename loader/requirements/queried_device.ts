import { codec, type StructObject } from "../codec/codec.ts";
import type { VkDevice, VkInstance, VkPhysicalDevice } from "../gen/types_core_gen.ts";
import { findCommand } from "../command/registry/table.ts";
import type { DeviceFacts, FormatFacts, UnresolvedCommands } from "./facts.ts";
import { risk, type Risks } from "./requirement.ts";
import { structKind } from "./profiles/registry_names.ts";
import { V1_1, V1_3 } from "../version.ts";
import { VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3 } from "../gen/native_gen.ts";

/** The instance of a physical device. */
export interface Surroundings {
  /** The instance. */
  readonly instance: VkInstance;
  /** The packed version of the instance's creation. */
  readonly apiVersion: number;
  /** The extensions of the instance's creation. */
  readonly enabled: ReadonlySet<string>;
  /** The available instance extensions and their revisions. */
  readonly extensions: ReadonlyMap<string, number>;
  /** Extensions that the loader's window system provides. */
  readonly provided: ReadonlySet<string>;
  /** Calls that the driver might not survive. */
  readonly risks: Risks;
}

/** The method of a command whose parameters are not known here. */
// deno-lint-ignore no-explicit-any -- the core command or the one of an extension, which take the same
type Method = (...args: any[]) => any;

const QUERIES = "VK_KHR_get_physical_device_properties2", FORMAT_FLAGS = "VK_KHR_format_feature_flags2";
/**
 * Pairs that must not be enabled together, the older one first
 * (VUID-VkDeviceCreateInfo-ppEnabledExtensionNames-03328 and -00374).
 */
const RIVALS: readonly (readonly [older: string, newer: string])[] = [
  ["VK_EXT_buffer_device_address", "VK_KHR_buffer_device_address"],
  ["VK_AMD_negative_viewport_height", "VK_KHR_maintenance1"],
];

/** A physical device of a live instance. Each answer is queried once. */
export class QueriedDevice implements DeviceFacts, Disposable {
  readonly name: string;
  readonly type: number;
  readonly apiVersion: number;
  readonly driverVersion: number;
  readonly vendorId: number;
  readonly deviceId: number;
  readonly extensions: ReadonlyMap<string, number>;
  readonly deviceExtensions: readonly string[];
  readonly #gpu: VkPhysicalDevice;
  readonly #around: Surroundings;
  readonly #structs = new Map<string, StructObject | undefined>();
  /** Devices that were created to query commands, by their extensions. */
  readonly #devices = new Map<string, VkDevice>();

  /** Queries the properties and extensions. */
  constructor(gpu: VkPhysicalDevice, around: Surroundings) {
    const properties = gpu.vkGetPhysicalDeviceProperties(), listed = gpu.vkEnumerateDeviceExtensionProperties();
    const own = listed.map(({ extensionName, specVersion }) => [extensionName, specVersion] as const);
    this.#gpu = gpu;
    this.#around = around;
    this.#structs.set("VkPhysicalDeviceProperties", properties as unknown as StructObject);
    this.name = properties.deviceName;
    this.type = properties.deviceType;
    this.apiVersion = properties.apiVersion;
    this.driverVersion = properties.driverVersion;
    this.vendorId = properties.vendorID;
    this.deviceId = properties.deviceID;
    this.deviceExtensions = own.map(([name]) => name);
    this.extensions = new Map([...around.extensions, ...own]);
  }

  get queueFamilies(): readonly StructObject[] {
    return this.#gpu.vkGetPhysicalDeviceQueueFamilyProperties() as unknown as StructObject[];
  }

  isProvided(extension: string): boolean {
    return this.#around.provided.has(extension);
  }

  struct(name: string): StructObject | undefined {
    if (!this.#structs.has(name)) this.#structs.set(name, this.#ask(name));
    return this.#structs.get(name);
  }

  format(format: number): FormatFacts {
    const query = this.#method("vkGetPhysicalDeviceFormatProperties2", QUERIES);
    if (query && (this.#version >= V1_3 || this.extensions.has(FORMAT_FLAGS))) {
      return query(format, [{ sType: VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3 }]).pNext[0];
    }
    const { linearTilingFeatures, optimalTilingFeatures, bufferFeatures } = this.#gpu
      .vkGetPhysicalDeviceFormatProperties(format as never);
    return {
      linearTilingFeatures: BigInt(linearTilingFeatures >>> 0),
      optimalTilingFeatures: BigInt(optimalTilingFeatures >>> 0),
      bufferFeatures: BigInt(bufferFeatures >>> 0),
    };
  }

  semaphoreFeatures(handleType: number): number {
    const query = this.#method(
      "vkGetPhysicalDeviceExternalSemaphoreProperties",
      "VK_KHR_external_semaphore_capabilities",
    );
    return query?.({ handleType }).externalSemaphoreFeatures ?? 0;
  }

  fenceFeatures(handleType: number): number {
    const query = this.#method("vkGetPhysicalDeviceExternalFenceProperties", "VK_KHR_external_fence_capabilities");
    return query?.({ handleType }).externalFenceFeatures ?? 0;
  }

  unresolved(commands: readonly string[], extensions: readonly string[] = []): UnresolvedCommands {
    try {
      return { commands: commands.filter((name) => !this.#resolves(name, extensions)) };
    } catch (error) {
      return { commands: [], problem: (error as Error).message };
    }
  }

  /** Destroys the devices that were created to query commands. */
  [Symbol.dispose](): void {
    for (const device of this.#devices.values()) device.close();
    this.#devices.clear();
  }

  /** The version whose commands may be called. */
  get #version(): number {
    return Math.min(this.apiVersion, this.#around.apiVersion);
  }

  #ask(name: string): StructObject | undefined {
    const kind = structKind(name), gpu = this.#gpu;
    if (name === "VkPhysicalDeviceFeatures") return gpu.vkGetPhysicalDeviceFeatures() as unknown as StructObject;
    const query = this.#method(`vkGetPhysicalDevice${kind}2`, QUERIES);
    if (name === `VkPhysicalDevice${kind}2`) return query?.([]);
    return query?.([{ sType: codec(name).sType }]).pNext[0];
  }

  /** Returns the bound method of a query of 1.1, or of the extension that had it before. */
  #method(name: string, extension: string): Method | undefined {
    const gpu = this.#gpu as unknown as Record<string, Method>;
    if (this.#version >= V1_1) return (...args) => gpu[name](...args);
    return this.#around.enabled.has(extension) ? (...args) => gpu[`${name}KHR`](...args) : undefined;
  }

  #resolves(name: string, extensions: readonly string[]): boolean {
    const level = findCommand(name)?.level ?? "device";
    if (level === "global") return true;
    if (level === "instance") return this.#around.instance.vkGetInstanceProcAddr(name) !== 0n;
    return companies(extensions).some((each) => this.#deviceWith(each).vkGetDeviceProcAddr(name) !== 0n);
  }

  #deviceWith(extensions: readonly string[]): VkDevice {
    const key = extensions.join(" ");
    let device = this.#devices.get(key);
    if (!device) this.#devices.set(key, device = this.#makeDevice(extensions));
    return device;
  }

  #makeDevice(extensions: readonly string[]): VkDevice {
    const info = {
      pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
      ppEnabledExtensionNames: [...extensions],
    };
    return risk("vkCreateDevice", this.#around.risks, () => this.#gpu.vkCreateDevice(info));
  }
}

/** Returns the extensions that one device can have, and a set with each older rival for a device of its own. */
function companies(extensions: readonly string[]): (readonly string[])[] {
  const older = RIVALS.filter((pair) => pair.every((name) => extensions.includes(name))).map(([name]) => name);
  return [extensions.filter((name) => !older.includes(name)), ...older.map((name) => [name])];
}
