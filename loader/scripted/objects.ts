import { NativeBlock } from "../../ffi/block.ts";
import { DISPATCHABLE } from "../command/plan.ts";
import { allocateThrough, freeThrough } from "../driver/structs/allocator.ts";
import type { PhysicalDeviceSpec } from "./spec.ts";
import { poke64 } from "../../ffi/machine.ts";
import { LOADER_MAGIC } from "../driver/interface/probe.ts";

/** Bytes of a cell, and of a block of cells. */
const CELL = 16, BLOCK = 1 << 16;

/** Native memory for dispatchable objects. Their handles are its addresses. */
class HandleCells implements Disposable {
  readonly #blocks: NativeBlock[] = [];
  readonly #free: bigint[] = [];

  /** Maps the first block, because memory may not be mapped as freely later. */
  constructor() {
    this.#grow();
  }

  /** Returns a new handle. */
  take(): bigint {
    if (this.#free.length === 0) this.#grow();
    return stamped(this.#free.pop()!);
  }

  /** Takes a handle back. Its first word no longer belongs to a loader. */
  give(cell: bigint): void {
    poke64(cell, 0n);
    this.#free.push(cell);
  }

  /** Frees all cells. */
  close(): void {
    for (const block of this.#blocks.splice(0)) block.close();
    this.#free.length = 0;
  }

  /** Frees all cells at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #grow(): void {
    const block = new NativeBlock(BLOCK);
    this.#blocks.push(block);
    for (let at = BLOCK - CELL; at >= 0; at -= CELL) this.#free.push(block.address + BigInt(at));
  }
}

/** Makes a handle from memory for one. The loader may overwrite its first word. */
function stamped(memory: bigint): bigint {
  poke64(memory, LOADER_MAGIC);
  return memory;
}

/** Bytes that an object allocates from the application's allocator. */
const OBJECT_SIZE = 64;

/** A driver's data about one of its objects. */
export interface DriverObject {
  /** The handle type of the object. */
  readonly type: string;
  /** The handle of the owner with which the object ends, such as a command buffer's pool; 0n for none. */
  readonly owner: bigint;
  /** Address of the memory from the application's allocator; 0n for none. */
  readonly allocation: bigint;
  /**
   * Objects that end with this one, by the key with which they are requested:
   * queues, physical devices, command buffers, sets.
   */
  readonly parts: Map<unknown, bigint>;
  /** The physical device itself, or that of the device. */
  physicalDevice?: PhysicalDeviceSpec;
  /** A device's enabled extensions. */
  extensions?: readonly string[];
  /** Bytes of a buffer or of device memory. */
  size?: bigint;
  /** Device memory, after it was mapped. */
  memory?: NativeBlock;
}

/** Options for creating an object. */
export interface Making {
  /** The owner with which the object ends. */
  readonly owner?: bigint;
  /** The owner's key for the object. Default: its handle. */
  readonly key?: unknown;
  /** Address of the application's VkAllocationCallbacks, 0n for none. */
  readonly allocator?: bigint;
}

/** The objects of a driver, by handle. */
export class Objects implements Disposable {
  readonly #cells = new HandleCells();
  readonly #all = new Map<bigint, DriverObject>();
  readonly #counts = new Map<string, number>();
  readonly #allocates: boolean;
  #next = 0x1000n;

  /** Starts without objects. `allocates`: allocate each from the application's allocator. */
  constructor(allocates: boolean) {
    this.#allocates = allocates;
  }

  /** Creates an object; 0n if the application's allocator is out of memory. */
  make(type: string, { owner = 0n, key, allocator = 0n }: Making = {}): bigint {
    const asks = this.#allocates && allocator !== 0n;
    const allocation = asks ? allocateThrough(allocator, type, OBJECT_SIZE) : 0n;
    if (asks && allocation === 0n) return 0n;
    const handle = this.#handle(type, allocation);
    this.#all.set(handle, { type, owner, allocation, parts: new Map() });
    this.#all.get(owner)?.parts.set(key ?? handle, handle);
    this.#counts.set(type, this.live(type) + 1);
    return handle;
  }

  /** Returns the data of an object; `undefined` if the handle is not that of a live object. */
  get(handle: bigint): DriverObject | undefined {
    return this.#all.get(handle);
  }

  /** Destroys an object and everything that ends with it. Does nothing for other handles, such as 0n. */
  destroy(handle: bigint, allocator = 0n): void {
    const object = this.#all.get(handle);
    if (!object) return;
    this.destroyParts(handle);
    this.#all.delete(handle);
    this.#all.get(object.owner)?.parts.delete(handle);
    this.#counts.set(object.type, this.live(object.type) - 1);
    object.memory?.close();
    if (object.allocation === 0n && DISPATCHABLE.has(object.type)) this.#cells.give(handle);
    if (object.allocation !== 0n && allocator !== 0n) freeThrough(allocator, object.allocation);
  }

  /** Destroys everything that ends with an object. */
  destroyParts(handle: bigint): void {
    for (const part of [...this.#all.get(handle)?.parts.values() ?? []]) this.destroy(part);
    this.#all.get(handle)?.parts.clear();
  }

  /** Returns how many live objects of a type there are. */
  live(type: string): number {
    return this.#counts.get(type) ?? 0;
  }

  /** Frees what the driver owns. */
  close(): void {
    for (const { memory } of this.#all.values()) memory?.close();
    this.#all.clear();
    this.#counts.clear();
    this.#cells.close();
  }

  /** Frees what the driver owns at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #handle(type: string, allocation: bigint): bigint {
    if (!DISPATCHABLE.has(type)) return this.#next++;
    return allocation === 0n ? this.#cells.take() : stamped(allocation);
  }
}
