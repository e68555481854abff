import type { DriverDevice } from "./driver_device.ts";
import { HOST_ALLOCATION, STYPE } from "./constants.ts";
import type { MemoryRequirements } from "./driver_layout.ts";
import { filled, made, scratch, type StructObject, write } from "./struct.ts";

/** The chain of a VkBufferCreateInfo for a buffer in host memory. */
export const HOST_BUFFER: readonly StructObject[] = [
  { sType: STYPE.EXTERNAL_MEMORY_BUFFER_CREATE_INFO, handleTypes: HOST_ALLOCATION },
];

/** A VkBuffer with memory of its own, and the function that destroys both. */
export interface BoundBuffer {
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
    const info = write("VkBufferCreateInfo", { size: BigInt(size), usage, sharingMode: 0, pNext });
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
