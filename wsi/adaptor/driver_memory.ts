import { closeDescriptor, duplicate } from "../../ffi/file/file_descriptor.ts";
import { DMA_BUF, HOST_ALLOCATION, RESULT, STYPE } from "./constants.ts";
import type { DriverDevice } from "./driver_device.ts";
import type { MemoryRequirements } from "./driver_layout.ts";
import { chained, filled, made, scratch, type StructObject, write } from "./struct.ts";
import {
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_SHARING_MODE_EXCLUSIVE,
} from "../../loader/gen/native_gen.ts";

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
  return allocate(device, size, lowestBit(types), [{
    sType: STYPE.IMPORT_MEMORY_HOST_POINTER_INFO,
    handleType: HOST_ALLOCATION,
    pHostPointer: address,
  }]);
}

/** Imports a dma-buf of so many bytes for one image. Returns the VkDeviceMemory, or a VkResult on failure. */
export function importDmaBuf(
  device: DriverDevice,
  { fd, size }: { readonly fd: number; readonly size: number },
  image: bigint,
): bigint | number {
  const { needs, isDedicated } = needsOf(device, image), types = fileTypes(device, fd) & needs.memoryTypeBits;
  if (types === 0 || needs.size > BigInt(size)) return RESULT.ERROR_INVALID_EXTERNAL_HANDLE;
  const copy = duplicate(fd);
  if (copy < 0) return RESULT.ERROR_OUT_OF_HOST_MEMORY;
  const dedicated = isDedicated ? [{ sType: STYPE.MEMORY_DEDICATED_ALLOCATE_INFO, image }] : [];
  const imported = { sType: STYPE.IMPORT_MEMORY_FD_INFO, handleType: DMA_BUF, fd: copy };
  const memory = allocate(device, needs.size, lowestBit(types), [imported, ...dedicated]);
  if (typeof memory === "number") closeDescriptor(copy); // the driver owns it only if it has taken it
  return memory;
}

/** Returns the needs of an image on its memory, and whether the memory has to be the image's alone, or should be. */
function needsOf({ commands, handle }: DriverDevice, image: bigint) {
  const found = scratch(() => {
    const info = write("VkImageMemoryRequirementsInfo2", { image });
    const ask = (out: bigint) => commands.vkGetImageMemoryRequirements2(handle, info, out);
    return filled("VkMemoryRequirements2", ask, [STYPE.MEMORY_DEDICATED_REQUIREMENTS]);
  });
  const dedicated = chained(found, STYPE.MEMORY_DEDICATED_REQUIREMENTS);
  return {
    needs: found.memoryRequirements as { size: bigint; memoryTypeBits: number },
    isDedicated: dedicated?.requiresDedicatedAllocation === true || dedicated?.prefersDedicatedAllocation === true,
  };
}

/** The memory types as which a dma-buf can be imported. */
function fileTypes({ commands, handle }: DriverDevice, fd: number): number {
  let result = 0;
  const found = filled("VkMemoryFdPropertiesKHR", (out) => {
    result = commands.vkGetMemoryFdPropertiesKHR(handle, DMA_BUF, fd, out);
  });
  return result === 0 ? found.memoryTypeBits as number : 0;
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

function allocate(
  { commands, handle }: DriverDevice,
  size: bigint,
  type: number,
  pNext: readonly StructObject[] = [],
): bigint | number {
  return scratch(() => {
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

/** The memory where the host's copies of a driver's own buffers are best. */
const HOST_COHERENT = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/** Makes a VkBuffer in the driver's own memory, mapped at `address` until it is closed. Returns a VkResult on failure. */
export function mappedBuffer(
  device: DriverDevice,
  size: number,
  usage: number,
): BoundBuffer & { readonly address: bigint } | number {
  let memory = 0n;
  const bound = boundBuffer(device, size, usage, [], (needs) => {
    const own = allocateOwn(device, needs, HOST_COHERENT);
    if (typeof own !== "number") memory = own;
    return own;
  });
  if (typeof bound === "number") return bound;
  const { commands, handle } = device;
  const address = made((out) => commands.vkMapMemory(handle, memory, 0n, BigInt(size), 0, out));
  if (typeof address !== "number") return { ...bound, address };
  bound.close();
  return address;
}
