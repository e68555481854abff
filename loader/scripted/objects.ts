import type { NativeBlock } from "../../ffi/block.ts";
import { DISPATCHABLE } from "../command/registry/kind.ts";
import { allocateThrough, freeThrough } from "../driver/structs/allocator.ts";
import { HandleCells, stamped } from "./handle_cells.ts";
import type { PhysicalDeviceSpec } from "./spec.ts";

/** Bytes that an object asks of the application's allocator. */
const OBJECT_SIZE = 64;

/** What a driver knows of one of its objects. */
export interface DriverObject {
  /** Its handle type. */
  readonly type: string;
  /** The handle of the object that it goes with, such as a command buffer's pool; 0n for none. */
  readonly owner: bigint;
  /** What the application's allocator gave for it; 0n for nothing. */
  readonly allocation: bigint;
  /** Objects that go with it, by what they are asked for with: queues, physical devices, command buffers, sets. */
  readonly parts: Map<unknown, bigint>;
  /** The device it is, or was made of. */
  physicalDevice?: PhysicalDeviceSpec;
  /** A device's enabled extensions. */
  extensions?: readonly string[];
  /** Bytes of a buffer or of device memory. */
  size?: bigint;
  /** Device memory, once it is mapped. */
  memory?: NativeBlock;
}

/** How an object is made. */
export interface Making {
  /** The object that it goes with. */
  readonly owner?: bigint;
  /** What its owner knows it by; its handle when left out. */
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

  /** No objects yet. `allocates`: ask the application's allocator for each. */
  constructor(allocates: boolean) {
    this.#allocates = allocates;
  }

  /** Makes an object; 0n when the application's allocator has no memory. */
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

  /** What is known of an object; `undefined` for no live one. */
  get(handle: bigint): DriverObject | undefined {
    return this.#all.get(handle);
  }

  /** Destroys an object with all that goes with it. Nothing happens for a handle of no live object, such as 0n. */
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

  /** Destroys what goes with an object. */
  destroyParts(handle: bigint): void {
    for (const part of [...this.#all.get(handle)?.parts.values() ?? []]) this.destroy(part);
    this.#all.get(handle)?.parts.clear();
  }

  /** How many objects of a type there are. */
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
