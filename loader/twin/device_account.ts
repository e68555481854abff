import type { MemoryMap } from "./memory_map.ts";

/** An allocation of memory. */
export interface Allocation {
  /** The twin's type. */
  readonly type: number;
  /** The twin's heap. */
  readonly heap: number;
  /** Bytes. */
  readonly size: bigint;
}

/** A pool of descriptors. */
export interface DescriptorPool {
  /** Sets that are left. */
  sets: number;
  /** Descriptors that are left, by type. */
  readonly left: Map<number, number>;
  /** The sets, with the descriptors that each has. */
  readonly taken: Map<bigint, ReadonlyMap<number, number>>;
}

/** A layout of descriptor sets. */
export interface SetLayout {
  /** VkDescriptorSetLayoutCreateFlags. */
  readonly flags: number;
  /** The bindings: VkDescriptorType, the number of descriptors, and VkShaderStageFlags. */
  readonly bindings: readonly { readonly type: number; readonly count: number; readonly stages: number }[];
  /** Descriptors by type. */
  readonly counts: ReadonlyMap<number, number>;
}

/** The objects and bytes of a device, as far as a twin counts them. */
export class DeviceAccount {
  /** The physical device. */
  readonly gpu: bigint;
  /** The types and heaps; `undefined` if they are the driver's. */
  readonly memory: MemoryMap | undefined;
  /** Memory by handle. */
  readonly allocations: Map<bigint, Allocation> = new Map();
  /** Bytes by heap. */
  readonly used: bigint[];
  /** The number of samplers. */
  samplers = 0;
  /** Layouts of sets by handle. */
  readonly layouts: Map<bigint, SetLayout> = new Map();
  /** Bytes of buffers by handle. */
  readonly buffers: Map<bigint, bigint> = new Map();
  /** Pools of descriptors by handle. */
  readonly pools: Map<bigint, DescriptorPool> = new Map();
  /** Code of shader modules by handle. */
  readonly modules: Map<bigint, Uint32Array> = new Map();

  /** Begins with nothing taken. */
  constructor(memory: MemoryMap | undefined, gpu: bigint) {
    this.memory = memory;
    this.gpu = gpu;
    this.used = (memory?.heaps ?? []).map(() => 0n);
  }

  /** Counts memory. */
  took(handle: bigint, allocation: Allocation): void {
    this.allocations.set(handle, allocation);
    this.#count(allocation.heap, allocation.size);
  }

  /** Gives memory back. */
  freed(handle: bigint): void {
    const allocation = this.allocations.get(handle);
    if (allocation) this.#count(allocation.heap, -allocation.size);
    this.allocations.delete(handle);
  }

  #count(heap: number, size: bigint): void {
    if (heap in this.used) this.used[heap] += size;
  }
}
