import { inFrame } from "../../../ffi/arena.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { codec, type StructObject, structsAt } from "../../../loader/codec/codec.ts";
import { nameOfSType } from "../../../loader/codec/layout/layout.ts";
import type { RawCommands } from "../../../loader/gen/raw_commands_gen.ts";
import type { Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import {
  VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
} from "../../../loader/gen/enums_core_gen.js";

/** Structs of features that have `bufferDeviceAddressCaptureReplay`, as Vulkan itself has it. */
const FEATURES = /^VkPhysicalDevice(Vulkan12|BufferDeviceAddress)Features$/;

/** The opaque addresses of a buffer and its memory, in decimal digits: with them both get the same addresses again. */
export interface OpaqueAddresses {
  readonly buffer: string;
  readonly memory: string;
}

/**
 * Has drivers with `bufferDeviceAddressCaptureReplay` give out addresses that a
 * replay on the same device can have again: the feature is enabled with
 * `bufferDeviceAddress`, and buffers and memory that have addresses are made
 * with the flag for it.
 */
export class CapturedAddresses {
  readonly #below: (handle: bigint) => RawCommands;
  readonly #devices = new Set<bigint>();
  /** The memory of buffers. */
  readonly #bindings = new Map<bigint, bigint>();

  /** `below` returns the commands below the layer. */
  constructor(below: (handle: bigint) => RawCommands) {
    this.#below = below;
  }

  /** Calls with the arguments with which a command is to be called, which is named without its suffix. */
  changed<T>(core: string, args: Arguments, call: (args: Arguments) => T): T {
    const change = CHANGES[core];
    if (!change || core !== "vkCreateDevice" && !this.#devices.has(args[0] as bigint)) return call(args);
    const [struct, apply] = change, [info] = structsAt(struct, args[1] as bigint, 1);
    const isWanted = core === "vkCreateDevice" ? this.#enable(args[0] as bigint, info) : apply(info);
    if (!isWanted) return call(args);
    const { size, encode } = codec(struct);
    return inFrame((memory) => {
      const at = memory.alloc(size);
      encode(info, at);
      return call(args.with(1, memory.address(at)) as Arguments);
    });
  }

  /** Notes a successful call, and returns what gives the same address again, if the call asked for a buffer's. */
  after(core: string, args: Arguments): OpaqueAddresses | undefined {
    const device = args[0] as bigint;
    if (core === "vkCreateDevice" && this.#isEnabled(args[1] as bigint)) this.#devices.add(peek64(args[3] as bigint));
    else if (!this.#devices.has(device)) return undefined;
    else if (core === "vkDestroyDevice") this.#devices.delete(device);
    else if (core === "vkDestroyBuffer") this.#bindings.delete(args[1] as bigint);
    else if (core === "vkBindBufferMemory") this.#bindings.set(args[1] as bigint, args[2] as bigint);
    else if (core === "vkBindBufferMemory2") {
      for (const { buffer, memory } of structsAt("VkBindBufferMemoryInfo", args[2] as bigint, args[1] as number)) {
        this.#bindings.set(buffer as bigint, memory as bigint);
      }
    } else if (core === "vkGetBufferDeviceAddress") return this.#opaque(device, args[1] as bigint);
  }

  #opaque(device: bigint, pInfo: bigint): OpaqueAddresses | undefined {
    const [{ buffer }] = structsAt("VkBufferDeviceAddressInfo", pInfo, 1),
      memory = this.#bindings.get(buffer as bigint);
    if (memory === undefined) return undefined;
    const below = this.#below(device);
    return inFrame((arena) => {
      const { size, encode } = codec("VkDeviceMemoryOpaqueCaptureAddressInfo"), at = arena.alloc(size);
      encode({ memory }, at);
      return {
        buffer: `${below.vkGetBufferOpaqueCaptureAddress(device, pInfo)}`,
        memory: `${below.vkGetDeviceMemoryOpaqueCaptureAddress(device, arena.address(at))}`,
      };
    });
  }

  /** Enables the feature where the program wants addresses and the device can give them again. Returns whether it does. */
  #enable(gpu: bigint, info: StructObject): boolean {
    const link = featuresIn(info);
    if (link?.bufferDeviceAddress !== true || link.bufferDeviceAddressCaptureReplay === true) return false;
    return link.bufferDeviceAddressCaptureReplay = this.#canCapture(gpu, link.sType as number);
  }

  #canCapture(gpu: bigint, sType: number): boolean {
    return inFrame((arena) => {
      const { size, encode, decode } = codec("VkPhysicalDeviceFeatures2"), at = arena.alloc(size);
      encode({ pNext: [{ sType }] }, at);
      try {
        this.#below(gpu).vkGetPhysicalDeviceFeatures2(gpu, arena.address(at));
      } catch {
        return false; // an instance of Vulkan 1.0 has the command under another name, or not at all
      }
      return featuresIn(decode(at))?.bufferDeviceAddressCaptureReplay === true;
    });
  }

  #isEnabled(pCreateInfo: bigint): boolean {
    return featuresIn(structsAt("VkDeviceCreateInfo", pCreateInfo, 1)[0])?.bufferDeviceAddressCaptureReplay === true;
  }
}

/** By command: the struct that may be changed, and the change. Returns whether there is one. */
const CHANGES: Readonly<Record<string, readonly [struct: string, apply: (info: StructObject) => boolean]>> = {
  vkCreateDevice: ["VkDeviceCreateInfo", () => false],
  vkCreateBuffer: ["VkBufferCreateInfo", (info) => {
    const isAddressed = [info, ...chainOf(info)].some(({ usage }) =>
      usage !== undefined && (Number(usage) & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) !== 0
    );
    if (isAddressed) info.flags = (info.flags as number) | VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    return isAddressed;
  }],
  vkAllocateMemory: ["VkMemoryAllocateInfo", (info) => {
    const link = chainOf(info).find(({ sType }) => nameOfSType(sType as number) === "VkMemoryAllocateFlagsInfo");
    const flags = link?.flags as number;
    if (!link || (flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) === 0) return false;
    link.flags = flags | VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    return true;
  }],
};

function chainOf({ pNext }: StructObject): StructObject[] {
  return pNext as StructObject[] | undefined ?? [];
}

/** Returns the struct of a chain that has the feature. */
export function featuresIn(info: StructObject): StructObject | undefined {
  return chainOf(info).find(({ sType }) =>
    FEATURES.test(typeof sType === "number" ? nameOfSType(sType) ?? "" : `${sType}`)
  );
}
