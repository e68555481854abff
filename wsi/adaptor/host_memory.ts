import { HOST_ALLOCATION, RESULT, STYPE } from "./constants.ts";
import type { DriverDevice } from "./driver_device.ts";
import type { MemoryRequirements } from "./driver_layout.ts";
import { filled, made, scratch, type StructObject, write } from "./struct.ts";
import { VK_SHARING_MODE_EXCLUSIVE } from "../../loader/gen/native_gen.ts";

/** Memory of this process, by the kinds that drivers can import. */
export interface HostMemory {
  readonly address: bigint;
  readonly size: number;
}

/** Imports memory of this process for an image or buffer. Returns the VkDeviceMemory, or a VkResult on failure. */
export function importHost(device: DriverDevice, memory: HostMemory, needs: MemoryRequirements): bigint | number {
  const alignment = BigInt(device.gpu.hostAlignment), { address } = memory;
  const size = (needs.size + alignment - 1n) / alignment * alignment;
  if (address % alignment !== 0n || size > BigInt(memory.size)) return RESULT.ERROR_INVALID_EXTERNAL_HANDLE;
  const types = hostTypes(device, address) & needs.memoryTypeBits;
  if (types === 0) return RESULT.ERROR_INVALID_EXTERNAL_HANDLE;
  return allocate(device, size, lowestBit(types), {
    sType: STYPE.IMPORT_MEMORY_HOST_POINTER_INFO,
    handleType: HOST_ALLOCATION,
    pHostPointer: address,
  });
}

/** Allocates memory of the driver's own, of a type that has these VkMemoryPropertyFlags if there is one. */
export function allocateOwn(device: DriverDevice, needs: MemoryRequirements, wanted: number): bigint | number {
  const { memoryTypes } = memoryProperties(device);
  const fitting = memoryTypes.map((_, index) => index).filter((index) => needs.memoryTypeBits >>> index & 1);
  const best = fitting.find((index) => (memoryTypes[index].propertyFlags & wanted) === wanted) ?? fitting[0];
  return allocate(device, needs.size, best);
}

function memoryProperties({ instance, gpu }: DriverDevice): { memoryTypes: { propertyFlags: number }[] } {
  const ask = (out: bigint) => instance.commands.vkGetPhysicalDeviceMemoryProperties(gpu.handle, out);
  return filled("VkPhysicalDeviceMemoryProperties", ask) as unknown as { memoryTypes: { propertyFlags: number }[] };
}

function allocate({ commands, handle }: DriverDevice, size: bigint, type: number, chained?: object): bigint | number {
  return scratch(() => {
    const pNext = chained ? [chained] : [];
    const info = write("VkMemoryAllocateInfo", { allocationSize: size, memoryTypeIndex: type, pNext });
    return made((out) => commands.vkAllocateMemory(handle, info, 0n, out));
  });
}

/** The memory types as which memory at an address can be imported. */
function hostTypes({ commands, handle }: DriverDevice, address: bigint): number {
  let result = 0;
  const found = filled("VkMemoryHostPointerPropertiesEXT", (out) => {
    result = commands.vkGetMemoryHostPointerPropertiesEXT(handle, HOST_ALLOCATION, address, out);
  });
  return result === 0 ? found.memoryTypeBits as number : 0;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** The chain of a VkBufferCreateInfo for a buffer in host memory. */
export const HOST_BUFFER: readonly StructObject[] = [
  { sType: STYPE.EXTERNAL_MEMORY_BUFFER_CREATE_INFO, handleTypes: HOST_ALLOCATION },
];

/** A VkBuffer with memory of its own, and the function that destroys both. */
interface BoundBuffer {
  readonly buffer: bigint;
  close(): void;
}

/** Makes a VkBuffer in memory from `allocate`. Returns a VkResult on failure. */
export function boundBuffer(
  device: DriverDevice,
  size: number,
  usage: number,
  pNext: readonly StructObject[],
  allocate: (needs: MemoryRequirements) => bigint | number,
): BoundBuffer | number {
  const { commands, handle } = device;
  const buffer = scratch(() => {
    const info = write("VkBufferCreateInfo", {
      size: BigInt(size),
      usage,
      sharingMode: VK_SHARING_MODE_EXCLUSIVE,
      pNext,
    });
    return made((out) => commands.vkCreateBuffer(handle, info, 0n, out));
  });
  if (typeof buffer === "number") return buffer;
  const needs = filled("VkMemoryRequirements", (out) => commands.vkGetBufferMemoryRequirements(handle, buffer, out));
  const memory = allocate(needs as unknown as MemoryRequirements);
  const result = typeof memory === "number" ? memory : commands.vkBindBufferMemory(handle, buffer, memory, 0n);
  const close = () => {
    commands.vkDestroyBuffer(handle, buffer, 0n);
    if (typeof memory === "bigint") commands.vkFreeMemory(handle, memory, 0n);
  };
  if (result >= 0) return { buffer, close };
  close();
  return result;
}
