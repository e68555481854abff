import type { NativeCall } from "../command/compile.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import type { AnyHook } from "../layer.ts";
import { genericCommand, isIdle } from "./generic.ts";
import { instanceCommands } from "./instance_commands.ts";
import { DEFAULT_MEMORY, physicalDeviceCommands } from "./physical_device_commands.ts";
import { type DriverState, extensionNames } from "./state.ts";
import { peek32, peek64, poke64 } from "../../ffi/machine.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import { stringsAt, writeStruct } from "./answer.ts";
import {
  VK_ERROR_EXTENSION_NOT_PRESENT,
  VK_ERROR_MEMORY_MAP_FAILED,
  VK_ERROR_OUT_OF_HOST_MEMORY,
  VkBufferCreateInfo,
  VkDeviceCreateInfo,
  VkDeviceQueueInfo2,
  VkMemoryAllocateInfo,
  VkMemoryMapInfo,
  VkMemoryRequirements2,
} from "../gen/native_gen.ts";
import { NativeBlock } from "../../ffi/block.ts";

/** Offset of the resource, and of the older query's struct, in those of every query that ends in 2. */
const INNER = VkMemoryRequirements2.memoryRequirements;
/** The memory size of every image, and the alignment of resources. */
const IMAGE_SIZE = 1n << 16n, ALIGNMENT = 256n;

/** The commands on device memory, which can be mapped, and on the memory requirements of buffers and images. */
function memoryCommands(state: DriverState, generic: (name: string) => NativeCall): Partial<RawCommands> {
  const { objects } = state;
  const sized = (name: string, at: bigint): NativeCall => {
    const create = generic(name);
    return (device: bigint, info: bigint, allocator: bigint, out: bigint) => {
      const result = create(device, info, allocator, out) as number;
      if (result === 0) objects.get(peek64(out))!.size = peek64(info + at);
      return result;
    };
  };
  const map = (memory: bigint, offset: bigint, out: bigint) => {
    const object = objects.get(memory);
    if (!object?.size) return VK_ERROR_MEMORY_MAP_FAILED;
    object.memory ??= new NativeBlock(Number(object.size));
    poke64(out, object.memory.address + offset);
    return 0;
  };
  const need = (device: bigint, resource: bigint, out: bigint) => {
    const size = (objects.get(resource)?.size ?? IMAGE_SIZE) + ALIGNMENT - 1n;
    writeStruct("VkMemoryRequirements", {
      size: size / ALIGNMENT * ALIGNMENT,
      alignment: ALIGNMENT,
      memoryTypeBits: memoryTypes(state, device),
    }, out);
  };
  const need2 = (device: bigint, info: bigint, out: bigint) => need(device, peek64(info + INNER), out + INNER);
  return {
    vkAllocateMemory: sized("vkAllocateMemory", VkMemoryAllocateInfo.allocationSize) as RawCommands["vkAllocateMemory"],
    vkCreateBuffer: sized("vkCreateBuffer", VkBufferCreateInfo.size) as RawCommands["vkCreateBuffer"],
    vkMapMemory: (_device, memory, offset, _size, _flags, out) => map(memory, offset, out),
    vkMapMemory2: (_device, info, out) =>
      map(peek64(info + VkMemoryMapInfo.memory), peek64(info + VkMemoryMapInfo.offset), out),
    vkGetBufferMemoryRequirements: need,
    vkGetBufferMemoryRequirements2: need2,
    vkGetImageMemoryRequirements: need,
    vkGetImageMemoryRequirements2: need2,
  };
}

/** Returns a bit for each memory type of a device. */
function memoryTypes({ objects }: DriverState, device: bigint): number {
  const { memoryTypes } = objects.get(device)?.physicalDevice?.memoryProperties ?? DEFAULT_MEMORY;
  return 2 ** (memoryTypes?.length ?? 0) - 1;
}

const INFO = VkDeviceCreateInfo, QUEUE_INFO = VkDeviceQueueInfo2;

/** The commands on devices and their queues. Layers named for a device are ignored. */
function deviceCommands({ objects }: DriverState): Partial<RawCommands> {
  const queue = (device: bigint, key: string) =>
    objects.get(device)?.parts.get(key) ?? objects.make("VkQueue", { owner: device, key });
  return {
    vkCreateDevice(gpu, info, allocator, out) {
      const physicalDevice = objects.get(gpu)?.physicalDevice;
      const extensions = stringsAt(
        peek32(info + INFO.enabledExtensionCount),
        peek64(info + INFO.ppEnabledExtensionNames),
      );
      const known = extensionNames(physicalDevice?.extensions);
      if (!extensions.every((name) => known.includes(name))) return VK_ERROR_EXTENSION_NOT_PRESENT;
      const device = objects.make("VkDevice", { allocator });
      poke64(out, device);
      if (device === 0n) return VK_ERROR_OUT_OF_HOST_MEMORY;
      Object.assign(objects.get(device)!, { physicalDevice, extensions });
      return 0;
    },
    vkDestroyDevice: (device, allocator) => objects.destroy(device, allocator),
    vkGetDeviceQueue: (device, family, index, out) => poke64(out, queue(device, `0 ${family} ${index}`)),
    vkGetDeviceQueue2(device, info, out) {
      const [flags, family, index] = [QUEUE_INFO.flags, QUEUE_INFO.queueFamilyIndex, QUEUE_INFO.queueIndex].map((at) =>
        peek32(info + at)
      );
      poke64(out, queue(device, `${flags} ${family} ${index}`));
    },
    vkResetDescriptorPool(_device, pool) {
      objects.destroyParts(pool);
      return 0;
    },
  };
}

/** The implementation of a driver's commands. */
export class Behaviour {
  readonly #state: DriverState;
  readonly #own: Readonly<Record<string, NativeCall | undefined>>;

  /** Starts with the built-in commands. */
  constructor(state: DriverState) {
    this.#state = state;
    const generic = (name: string) => genericCommand(findCommand(name)!, state.objects);
    this.#own = {
      ...instanceCommands(state),
      ...physicalDeviceCommands(state),
      ...deviceCommands(state),
      ...memoryCommands(state, generic),
    } as Record<string, NativeCall>;
  }

  /** Returns the function of a command, with the author's hook first. A later name of a command uses the core one. */
  of(command: Command): NativeCall {
    const { name } = command, { spec, objects } = this.#state;
    const own = this.#own[name] ?? this.#own[coreName(name)] ?? genericCommand(command, objects);
    const hook = spec.commands?.[name as keyof typeof spec.commands] as AnyHook | undefined;
    return hook ? (...args) => hook(own, ...args) : own;
  }

  /** Whether a command does nothing except succeed, so that it may run on any thread. */
  isIdle(command: Command): boolean {
    const { name } = command, hooked = this.#state.spec.commands?.[name as "vkCreateInstance"] !== undefined;
    return !hooked && !this.#own[name] && !this.#own[coreName(name)] && isIdle(command);
  }
}

function coreName(name: string): string {
  return name.replace(/(KHR|EXT)$/, "");
}
