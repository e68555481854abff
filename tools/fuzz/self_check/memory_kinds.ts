import { libcAddress } from "../../../ffi/libc.ts";
import { bytesAt } from "../../../ffi/arena.ts";
import { copyMemory, invokeAddress, peek32, peek64, poke32, poke64, poke8 } from "../../../ffi/machine.ts";
import type { RawCommands } from "../../../loader/gen/raw_commands_gen.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";
import {
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
} from "../../../loader/vk.ts";

const VISIBLE = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, COHERENT = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
const CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT, WHOLE_SIZE = 2n ** 64n - 1n;

/** The properties of each memory type that {@linkcode memoryKinds} makes of the only one of a software driver. */
export const KINDS: readonly number[] = [
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VISIBLE | COHERENT,
  VISIBLE | CACHED,
  VISIBLE | COHERENT | CACHED,
];
/** The types that the host can see, and the one among them that needs flushes. */
export const VISIBLE_KINDS: readonly number[] = [1, 2, 3], NON_COHERENT = 2;

/** Bytes of a VkPhysicalDeviceMemoryProperties. */
const PROPERTIES_SIZE = 520n;

/** A mapping of memory that is not coherent: a copy, which flushes and invalidations bring up to date. */
interface Copy {
  readonly copy: bigint;
  /** The copy as it was when the range was last brought up to date, so that only what the host wrote is flushed. */
  readonly clean: Uint8Array<ArrayBuffer>;
  readonly real: bigint;
  /** The range of the memory that is mapped. */
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * A layer that gives each device with one memory type four of them. Memory that
 * is not coherent is mapped as a copy, so that a missing flush or invalidation
 * shows.
 */
export function memoryKinds(): Layer {
  const calloc = libcAddress("calloc"), free = libcAddress("free");
  const devices = new Set<bigint>();
  const sizes = new Map<bigint, bigint>(), copies = new Map<bigint, Copy>();
  const hasOneType = (gpu: bigint, below: Pick<RawCommands, "vkGetPhysicalDeviceMemoryProperties">) => {
    const properties = invokeAddress(calloc, "q:qq", [1n, PROPERTIES_SIZE]) as bigint;
    below.vkGetPhysicalDeviceMemoryProperties(gpu, properties);
    const types = peek32(properties);
    invokeAddress(free, "v:q", [properties]);
    return types === 1;
  };
  const forget = (memory: bigint) => {
    const known = copies.get(memory);
    if (known && copies.delete(memory)) invokeAddress(free, "v:q", [known.copy]);
  };
  const each = (count: number, ranges: bigint, use: (known: Copy, start: bigint, size: bigint) => void) => {
    for (let at = ranges; at < ranges + 40n * BigInt(count); at += 40n) {
      const known = copies.get(peek64(at + 16n)), start = peek64(at + 24n), size = peek64(at + 32n);
      if (known) use(known, start - known.start, size === WHOLE_SIZE ? known.end - start : size);
    }
  };
  return defineLayer({
    name: "VK_LAYER_PUMICE_memory_kinds",
    commands: {
      vkGetPhysicalDeviceMemoryProperties(next, gpu, properties) {
        next(gpu, properties);
        split(properties);
      },
      vkGetPhysicalDeviceMemoryProperties2(next, gpu, properties) {
        next(gpu, properties);
        split(properties + 16n);
      },
      vkCreateDevice(next, gpu, info, allocator, device) {
        const result = next(gpu, info, allocator, device);
        if (result === 0 && hasOneType(gpu, this.below(gpu))) devices.add(peek64(device));
        return result;
      },
      vkDestroyDevice(next, device, allocator) {
        devices.delete(device);
        next(device, allocator);
      },
      vkGetBufferMemoryRequirements(next, device, buffer, requirements) {
        next(device, buffer, requirements);
        if (devices.has(device)) poke32(requirements + 16n, (1 << KINDS.length) - 1);
      },
      vkGetBufferMemoryRequirements2(next, device, info, requirements) {
        next(device, info, requirements);
        if (devices.has(device)) poke32(requirements + 32n, (1 << KINDS.length) - 1);
      },
      vkAllocateMemory(next, device, info, allocator, memory) {
        const type = peek32(info + 24n);
        if (devices.has(device)) poke32(info + 24n, 0);
        const result = next(device, info, allocator, memory);
        poke32(info + 24n, type);
        if (result === 0 && devices.has(device) && type === NON_COHERENT) sizes.set(peek64(memory), peek64(info + 16n));
        return result;
      },
      vkFreeMemory(next, device, memory, allocator) {
        forget(memory);
        sizes.delete(memory);
        next(device, memory, allocator);
      },
      vkMapMemory(next, device, memory, offset, size, flags, place) {
        const result = next(device, memory, offset, size, flags, place), whole = sizes.get(memory);
        if (result !== 0 || whole === undefined) return result;
        const real = peek64(place), end = size === WHOLE_SIZE ? whole : offset + size;
        const copy = invokeAddress(calloc, "q:qq", [1n, end - offset]) as bigint; // void *calloc(size_t, size_t)
        copyMemory(copy, real, Number(end - offset));
        copies.set(memory, { copy, clean: bytesAt(copy, Number(end - offset)), real, start: offset, end });
        poke64(place, copy);
        return result;
      },
      vkUnmapMemory(next, device, memory) {
        forget(memory);
        next(device, memory);
      },
      vkFlushMappedMemoryRanges(next, device, count, ranges) {
        each(count, ranges, flush);
        return next(device, count, ranges);
      },
      vkInvalidateMappedMemoryRanges(next, device, count, ranges) {
        each(count, ranges, invalidate);
        return next(device, count, ranges);
      },
    },
  });
}

/** Copies the bytes that the host has changed, as a cache writes back. */
function flush({ copy, clean, real }: Copy, at: bigint, size: bigint): void {
  const start = Number(at), bytes = bytesAt(copy + at, Number(size));
  for (const [index, byte] of bytes.entries()) {
    if (byte !== clean[start + index]) poke8(real + at + BigInt(index), byte);
  }
  clean.set(bytes, start);
}

function invalidate({ copy, clean, real }: Copy, at: bigint, size: bigint): void {
  copyMemory(copy + at, real + at, Number(size));
  clean.set(bytesAt(copy + at, Number(size)), Number(at));
}

/** Writes the types into a VkPhysicalDeviceMemoryProperties that has one. */
function split(properties: bigint): void {
  if (peek32(properties) !== 1) return;
  poke32(properties, KINDS.length);
  for (const [index, flags] of KINDS.entries()) {
    poke32(properties + BigInt(4 + 8 * index), flags);
    poke32(properties + BigInt(8 + 8 * index), 0);
  }
}
