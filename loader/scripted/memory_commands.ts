import { NativeBlock } from "../../ffi/block.ts";
import { peek64, poke64 } from "../../ffi/machine.ts";
import type { NativeCall } from "../command/compile.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import { writeStruct } from "./answer.ts";
import { DEFAULT_MEMORY } from "./physical_device_commands.ts";
import type { DriverState } from "./state.ts";
import {
  VK_ERROR_MEMORY_MAP_FAILED,
  VkBufferCreateInfo,
  VkMemoryAllocateInfo,
  VkMemoryMapInfo,
  VkMemoryRequirements2,
} from "../gen/native_gen.ts";

/** Offset of the resource, and of the older query's struct, in those of every query that ends in 2. */
const INNER = VkMemoryRequirements2.memoryRequirements;
/** The memory size of every image, and the alignment of resources. */
const IMAGE_SIZE = 1n << 16n, ALIGNMENT = 256n;

/** The commands on device memory, which can be mapped, and on the memory requirements of buffers and images. */
export function memoryCommands(state: DriverState, generic: (name: string) => NativeCall): Partial<RawCommands> {
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
