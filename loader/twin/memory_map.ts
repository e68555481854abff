import type { StructObject } from "../codec/codec.ts";
import {
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_MEMORY_PROPERTY_PROTECTED_BIT,
} from "../gen/enums_core_gen.js";

/** A type of memory. */
interface MemoryType {
  readonly propertyFlags: number;
  readonly heapIndex: number;
}

/** A heap. */
interface MemoryHeap {
  readonly size: bigint;
  readonly flags: number;
}

/** The properties without which memory cannot stand for other memory. */
const NEEDED = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
  VK_MEMORY_PROPERTY_PROTECTED_BIT;
/** The properties in which a stand-in is better alike. */
const ALIKE = NEEDED | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

/** The types and heaps of a twin, and the driver's type that stands for each. */
export class MemoryMap {
  /** VkPhysicalDeviceMemoryProperties of the twin. */
  readonly properties: StructObject;
  /** The twin's types. */
  readonly types: readonly MemoryType[];
  /** The twin's heaps. */
  readonly heaps: readonly MemoryHeap[];
  /** Clauses about memory that the driver's cannot stand for. */
  readonly missing: readonly string[];
  readonly #below: readonly number[];

  /** Chooses a stand-in for each type: the driver's with the same abilities and the fewest others. */
  constructor(twin: StructObject, driver: StructObject) {
    this.properties = counted(twin);
    this.types = typesOf(twin);
    this.heaps = heapsOf(twin);
    const types = typesOf(driver);
    this.#below = this.types.map(({ propertyFlags }) => standIn(propertyFlags, types));
    this.missing = [...missingTypes(this.types, this.#below), ...missingBytes(this.heaps, heapsOf(driver))];
  }

  /** The driver's index of a type of the twin; -1 if no type can stand for it. */
  below(type: number): number {
    return this.#below[type] ?? -1;
  }

  /** The bits of the twin's types for those of the driver's types. */
  bits(driver: number): number {
    return this.#below.reduce(
      (bits, below, type) => below >= 0 && driver >>> below & 1 ? bits | 1 << type : bits,
      0,
    ) >>> 0;
  }
}

/** Sources of all kinds write as many elements as there are. */
function counted(memory: StructObject): StructObject {
  const memoryTypes = typesOf(memory), memoryHeaps = heapsOf(memory);
  return { memoryTypeCount: memoryTypes.length, memoryTypes, memoryHeapCount: memoryHeaps.length, memoryHeaps };
}

function typesOf({ memoryTypes, memoryTypeCount }: StructObject): MemoryType[] {
  return (memoryTypes as MemoryType[] ?? []).slice(0, memoryTypeCount as number | undefined);
}

/** Returns the heaps of VkPhysicalDeviceMemoryProperties. */
export function heapsOf({ memoryHeaps, memoryHeapCount }: StructObject): MemoryHeap[] {
  return (memoryHeaps as MemoryHeap[] ?? []).slice(0, memoryHeapCount as number | undefined);
}

function standIn(wanted: number, types: readonly MemoryType[]): number {
  const able = types.map(({ propertyFlags }, index) => ({ propertyFlags, index }))
    .filter(({ propertyFlags }) => (wanted & NEEDED & ~propertyFlags) === 0);
  const distance = (flags: number) => bitCount((flags ^ wanted) & ALIKE);
  able.sort((one, other) => distance(one.propertyFlags) - distance(other.propertyFlags));
  return able[0]?.index ?? -1;
}

function bitCount(bits: number): number {
  return bits.toString(2).replace(/0/g, "").length;
}

function missingTypes(types: readonly MemoryType[], below: readonly number[]): string[] {
  return types.flatMap(({ propertyFlags }, index) =>
    below[index] < 0
      ? [`memory type ${index}: no type of the driver has VkMemoryPropertyFlags 0x${propertyFlags.toString(16)}`]
      : []
  );
}

function missingBytes(wanted: readonly MemoryHeap[], found: readonly MemoryHeap[]): string[] {
  const sum = (heaps: readonly MemoryHeap[]) => heaps.reduce((bytes, { size }) => bytes + size, 0n);
  return sum(wanted) > sum(found) ? [`memory heaps: wanted ${sum(wanted)} bytes, found ${sum(found)}`] : [];
}
