import { type Arena, inFrame } from "../../../ffi/arena.ts";
import { codec, structAt, type StructObject, structsAt } from "../../../loader/codec/codec.ts";
import {
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_SUCCESS,
} from "../../../loader/gen/enums_core_gen.js";
import { type Below, newObject } from "../../timeline/vulkan/gpu/below.ts";

/** A live device, seen from the layer: its handle, and the commands below. */
export interface LiveDevice {
  readonly device: bigint;
  readonly gpu: bigint;
  readonly below: Below;
  /** The commands below the layer of the physical device. */
  readonly belowGpu: Below;
}

/** A buffer that the host sees, mapped. */
export interface HostBuffer {
  readonly buffer: bigint;
  readonly memory: bigint;
  readonly address: bigint;
}

const WANTED = [
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
];
const WHOLE = 2n ** 64n - 1n;

/** Makes a mapped buffer; `undefined` if the driver refuses. */
export function hostBuffer({ device, gpu, below, belowGpu }: LiveDevice, size: number): HostBuffer | undefined {
  const made = new DisposableStack();
  const buffer = newObject(
    "VkBufferCreateInfo",
    { size: BigInt(size), usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT },
    (info, out) => below.vkCreateBuffer(device, info, 0n, out),
  );
  if (buffer === undefined) return undefined;
  made.defer(() => below.vkDestroyBuffer(device, buffer, 0n));
  const { size: allocationSize, memoryTypeBits } = answer(
    "VkMemoryRequirements",
    (out) => below.vkGetBufferMemoryRequirements(device, buffer, out),
  ) as { size: bigint; memoryTypeBits: number };
  const types = answer(
    "VkPhysicalDeviceMemoryProperties",
    (out) => belowGpu.vkGetPhysicalDeviceMemoryProperties(gpu, out),
  ).memoryTypes as { propertyFlags: number }[];
  const fits = (wanted: number) =>
    types.findIndex(({ propertyFlags }, index) =>
      (memoryTypeBits >>> index & 1) === 1 && (propertyFlags & wanted) === wanted
    );
  const memoryTypeIndex = WANTED.map(fits).find((index) => index >= 0);
  const memory = memoryTypeIndex === undefined ? undefined : newObject(
    "VkMemoryAllocateInfo",
    { allocationSize, memoryTypeIndex },
    (info, out) => below.vkAllocateMemory(device, info, 0n, out),
  );
  if (memory !== undefined) made.defer(() => below.vkFreeMemory(device, memory, 0n));
  const isBound = memory !== undefined && below.vkBindBufferMemory(device, buffer, memory, 0n) === VK_SUCCESS;
  const address = isBound ? mapped(below, device, memory) : 0n;
  if (address === 0n) made.dispose();
  return address === 0n ? undefined : { buffer, memory: memory!, address };
}

function mapped(below: Below, device: bigint, memory: bigint): bigint {
  return inFrame((arena) => {
    const out = arena.alloc(8);
    const result = below.vkMapMemory(device, memory, 0n, WHOLE, 0, arena.address(out));
    return result === VK_SUCCESS ? arena.view.getBigUint64(out, true) : 0n;
  });
}

/** Frees a mapped buffer. */
export function freeHostBuffer({ device, below }: LiveDevice, { buffer, memory }: HostBuffer): void {
  below.vkDestroyBuffer(device, buffer, 0n);
  below.vkFreeMemory(device, memory, 0n);
}

/** Asks for a struct. */
export function answer(struct: string, ask: (out: bigint) => unknown): StructObject {
  return inFrame((arena) => {
    const at = arena.alloc(codec(struct).size), address = arena.address(at);
    codec(struct).encode({}, at);
    ask(address);
    return structAt(struct, address);
  });
}

/** Encodes structs behind each other, and returns their address; 0 for none. */
export function structs(memory: Arena, name: string, values: readonly StructObject[]): bigint {
  if (values.length === 0) return 0n;
  const { size, encode } = codec(name), at = memory.alloc(size * values.length);
  values.forEach((value, index) => encode(value, at + size * index));
  return memory.address(at);
}

/** Records a vkCmdPipelineBarrier. */
export function barrier(
  below: Below,
  commands: bigint,
  from: number,
  to: number,
  memories: readonly StructObject[],
  images: readonly StructObject[] = [],
): void {
  inFrame((memory) => {
    const [all, turned] = [
      structs(memory, "VkMemoryBarrier", memories),
      structs(memory, "VkImageMemoryBarrier", images),
    ];
    below.vkCmdPipelineBarrier(commands, from, to, 0, memories.length, all, 0, 0n, images.length, turned);
  });
}

/** Returns the VkQueueFlags of a physical device's queue families. */
export function queueFlags(gpu: bigint, belowGpu: Below): number[] {
  return inFrame((memory) => {
    const count = memory.alloc(8), { view } = memory;
    view.setUint32(count, 0, true);
    belowGpu.vkGetPhysicalDeviceQueueFamilyProperties(gpu, memory.address(count), 0n);
    const length = view.getUint32(count, true);
    const list = structs(memory, "VkQueueFamilyProperties", Array.from({ length }, () => ({})));
    belowGpu.vkGetPhysicalDeviceQueueFamilyProperties(gpu, memory.address(count), list);
    return structsAt("VkQueueFamilyProperties", list, length).map((each) => each.queueFlags as number);
  });
}
