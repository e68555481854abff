import type { VkBuffer, VkDevice, VkDeviceMemory } from "../../../loader/gen/types_core_gen.ts";
import {
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import {
  VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
  VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
} from "../../../loader/gen/enums_stype_gen.js";
import { VulkanError } from "../../../loader/error.ts";
import { CompositionError } from "../backend.ts";
import type { ComposeDevice } from "./device.ts";

/** The usage of pixel buffers. */
export const STORAGE: number = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;

/** A buffer with memory of its own. */
export interface GpuBuffer {
  /** The buffer. */
  readonly buffer: VkBuffer;
  /** Bytes. */
  readonly size: number;
  /** Address for the host; 0n for memory that the host does not see. */
  readonly address: bigint;
  /** Destroys it. */
  close(): void;
}

const HANDLE_TYPE = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
const VISIBLE = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/** A buffer that the host sees, in memory that it reads quickly if there is such. Throws a `CompositionError` `device`. */
export function hostBuffer(on: ComposeDevice, size: number, usage: number): GpuBuffer {
  return makeBuffer(on, { size: BigInt(size), usage }, (buffer, made) => {
    const memory = allocate(on, buffer, [VISIBLE | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, VISIBLE], made);
    on.device.vkBindBufferMemory(buffer, memory, 0n);
    return on.device.vkMapMemory(memory, 0n, BigInt(size));
  });
}

/** A buffer in the device's own memory. Throws a `CompositionError` `device`. */
export function localBuffer(on: ComposeDevice, size: number): GpuBuffer {
  const usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  return makeBuffer(on, { size: BigInt(size), usage }, (buffer, made) => {
    on.device.vkBindBufferMemory(buffer, allocate(on, buffer, [VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0], made), 0n);
    return 0n;
  });
}

/** The host's memory as a buffer; `undefined` if the driver does not take it. */
export function importedBuffer(on: ComposeDevice, address: bigint, size: number): GpuBuffer | undefined {
  const { importAlignment } = on;
  if (importAlignment === 0 || size % importAlignment !== 0 || address % BigInt(importAlignment) !== 0n) {
    return undefined;
  }
  const external = { sType: VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, handleTypes: HANDLE_TYPE } as const;
  try {
    return makeBuffer(on, { pNext: [external], size: BigInt(size), usage: STORAGE }, (buffer, made) => {
      importMemory(on, buffer, { address, size }, made);
      return 0n;
    });
  } catch (error) {
    if (error instanceof VulkanError || error instanceof Untaken) return undefined; // not this kind of memory, or no more of it
    throw error;
  }
}

/** The driver does not take memory that it gets as a pointer. */
class Untaken extends Error {}

function importMemory(
  { device }: ComposeDevice,
  buffer: VkBuffer,
  { address, size }: { readonly address: bigint; readonly size: number },
  made: DisposableStack,
): void {
  const needs = device.vkGetBufferMemoryRequirements(buffer);
  const { memoryTypeBits } = device.vkGetMemoryHostPointerPropertiesEXT(HANDLE_TYPE, address);
  const types = needs.memoryTypeBits & memoryTypeBits;
  if (types === 0 || needs.size > BigInt(size)) throw new Untaken();
  const memory = device.vkAllocateMemory({
    pNext: [{
      sType: VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
      handleType: HANDLE_TYPE,
      pHostPointer: address,
    }],
    allocationSize: BigInt(size),
    memoryTypeIndex: 31 - Math.clz32(types & -types),
  });
  made.defer(() => device.vkFreeMemory(memory));
  device.vkBindBufferMemory(buffer, memory, 0n);
}

/** Allocates memory with the first of these properties that the device has. */
function allocate(
  { device, memoryTypes }: ComposeDevice,
  buffer: VkBuffer,
  wishes: readonly number[],
  made: DisposableStack,
): VkDeviceMemory {
  const { size, memoryTypeBits } = device.vkGetBufferMemoryRequirements(buffer);
  for (const wish of wishes) {
    const memoryTypeIndex = memoryTypes.findIndex(({ propertyFlags }, index) =>
      (memoryTypeBits >>> index & 1) === 1 && (propertyFlags & wish) === wish
    );
    if (memoryTypeIndex < 0) continue;
    return made.adopt(device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex }), (memory) => {
      device.vkFreeMemory(memory);
    });
  }
  throw new CompositionError("device", "Cannot compose with Vulkan: the device has no memory that the host sees");
}

/** Makes a buffer. `place` gives it memory, and returns its address for the host; where that fails, nothing is left. */
function makeBuffer(
  { device }: ComposeDevice,
  info: Parameters<VkDevice["vkCreateBuffer"]>[0] & { readonly size: bigint },
  place: (buffer: VkBuffer, made: DisposableStack) => bigint,
): GpuBuffer {
  using made = new DisposableStack();
  const buffer = made.adopt(device.vkCreateBuffer(info), (each) => device.vkDestroyBuffer(each));
  const address = place(buffer, made), owned = made.move();
  return { buffer, size: Number(info.size), address, close: () => owned.dispose() };
}
