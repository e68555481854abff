import { inFrame } from "../../ffi/arena.ts";
import { codec, type StructObject } from "../codec/codec.ts";
import { readExtensionList } from "../driver/interface/extension_list.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { DeviceFacts, FormatFacts } from "../requirements/facts.ts";
import { structKind } from "../requirements/profiles/registry_names.ts";
import { VK_API_VERSION_MINOR } from "../version.ts";
import { VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3 } from "../gen/native_gen.ts";

/** A query of the chain that fills the struct at an address. */
type Query = (gpu: bigint, out: bigint) => void;

/** The answers of a physical device below a layer. */
export class FactsBelow implements DeviceFacts {
  readonly name: string;
  readonly type: number;
  readonly apiVersion: number;
  readonly driverVersion: number;
  readonly vendorId: number;
  readonly deviceId: number;
  readonly extensions: ReadonlyMap<string, number>;
  readonly deviceExtensions: readonly string[];
  readonly #gpu: bigint;
  readonly #suffix: "" | "KHR" | undefined;
  readonly #below: RawCommands;

  /** Queries the properties and extensions. `suffix` ends the names of queries with chains, if there are any. */
  constructor(gpu: bigint, below: RawCommands, suffix: "" | "KHR" | undefined) {
    this.#gpu = gpu;
    this.#suffix = suffix;
    this.#below = below;
    const properties = this.#one("VkPhysicalDeviceProperties", below.vkGetPhysicalDeviceProperties);
    this.name = properties.deviceName as string;
    this.type = properties.deviceType as number;
    this.apiVersion = properties.apiVersion as number;
    this.driverVersion = properties.driverVersion as number;
    this.vendorId = properties.vendorID as number;
    this.deviceId = properties.deviceID as number;
    const listed = readExtensionList((count, out) => below.vkEnumerateDeviceExtensionProperties(gpu, 0n, count, out));
    const own = typeof listed === "number" ? [] : listed;
    this.extensions = new Map(own.map(({ extensionName, specVersion }) => [extensionName, specVersion]));
    this.deviceExtensions = [...this.extensions.keys()];
  }

  /** Whether structs in chains can be asked for; a program of 1.0 cannot use what they tell either. */
  get hasChains(): boolean {
    return this.#suffix === "KHR" || this.#suffix === "" && VK_API_VERSION_MINOR(this.apiVersion) >= 1;
  }

  /** VkPhysicalDeviceMemoryProperties. */
  get memory(): StructObject {
    return this.#one("VkPhysicalDeviceMemoryProperties", this.#below.vkGetPhysicalDeviceMemoryProperties);
  }

  get queueFamilies(): readonly StructObject[] {
    const { size, decode } = codec("VkQueueFamilyProperties"),
      query = this.#below.vkGetPhysicalDeviceQueueFamilyProperties;
    return inFrame((memory) => {
      const count = memory.alloc(8);
      query(this.#gpu, memory.address(count), 0n);
      const length = memory.view.getUint32(count, true), list = memory.alloc(size * length || 1);
      query(this.#gpu, memory.address(count), memory.address(list));
      return Array.from({ length }, (_, index) => decode(list + size * index));
    });
  }

  isProvided(): boolean {
    return false;
  }

  struct(name: string): StructObject | undefined {
    if (name === "VkPhysicalDeviceProperties") return this.#one(name, this.#below.vkGetPhysicalDeviceProperties);
    if (name === "VkPhysicalDeviceFeatures") return this.#one(name, this.#below.vkGetPhysicalDeviceFeatures);
    if (!this.hasChains) return undefined;
    const kind = structKind(name), { sType } = codec(name);
    const query = this.#below[`vkGetPhysicalDevice${kind}2${this.#suffix as "" | "KHR"}`];
    const root = this.#one(`VkPhysicalDevice${kind}2`, query, { pNext: [{ sType }] });
    return (root.pNext as StructObject[])[0];
  }

  format(format: number): FormatFacts {
    const below = this.#below, query: Query = (gpu, out) => below.vkGetPhysicalDeviceFormatProperties(gpu, format, out);
    const narrow = this.#one("VkFormatProperties", query), wide = this.#wideFormat(format);
    const bits = (name: string) => BigInt((wide?.[name] || narrow[name]) as number | bigint);
    return {
      linearTilingFeatures: bits("linearTilingFeatures"),
      optimalTilingFeatures: bits("optimalTilingFeatures"),
      bufferFeatures: bits("bufferFeatures"),
    };
  }

  semaphoreFeatures(): number {
    return 0;
  }

  fenceFeatures(): number {
    return 0;
  }

  unresolved(): { commands: readonly string[] } {
    return { commands: [] };
  }

  /** VkFormatProperties3; `undefined` for a device of 1.0. Zeros, if the device does not know the struct. */
  #wideFormat(format: number): StructObject | undefined {
    if (!this.hasChains) return undefined;
    const command = `vkGetPhysicalDeviceFormatProperties2${this.#suffix as "" | "KHR"}` as const;
    const query: Query = (gpu, out) => this.#below[command](gpu, format, out);
    const pNext = [{ sType: VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3 }];
    return (this.#one("VkFormatProperties2", query, { pNext }).pNext as StructObject[])[0];
  }

  #one(struct: string, query: Query, ask: StructObject = {}): StructObject {
    const { size, encodeOut, decode } = codec(struct);
    return inFrame((memory) => {
      const at = memory.alloc(size);
      encodeOut(ask, at);
      query(this.#gpu, memory.address(at));
      return decode(at);
    });
  }
}
