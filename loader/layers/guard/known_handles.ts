import { type LongList, LongSet } from "../../../ffi/long.ts";
import { isMapped } from "../../../ffi/mapped.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { isUnadopted } from "../../driver/interface/probe.ts";
import type { Layer } from "../../layer.ts";
import { isKey } from "../hooks/chain_view.ts";

/** The handles of an instance or device that one layer knows. */
interface HandleBook {
  /** Handles of types without pools, by type. */
  readonly single: Map<string, LongSet>;
  /** Handles of types with pools, by type and by pool. They end with the pool. */
  readonly pooled: Map<string, Map<bigint, LongSet>>;
}

/** The type of the objects of each pool type. */
const POOLED: Readonly<Record<string, string>> = {
  VkCommandPool: "VkCommandBuffer",
  VkDescriptorPool: "VkDescriptorSet",
};

/** Books by layer and by the dispatch key of the instance or device. */
const known = new WeakMap<Layer, Map<bigint, HandleBook>>();
/** The number of times that all handles of an instance or device were forgotten. */
let endings = 0;

/** Returns the type of a pool's objects; `undefined` for other types. */
export function pooledType(pool: string): string | undefined {
  return POOLED[pool];
}

/**
 * The handles of one type that a layer has got from below, for commands that
 * ask many times about the same instance or device.
 */
export class KnownHandles {
  readonly #layer: Layer;
  readonly #type: string;
  /** The owner of the last question. An array element is compared without making a bigint. */
  readonly #owner = new BigUint64Array(1);
  #endings = -1;
  #handles: LongSet | undefined;

  readonly #isPooled: boolean;

  /** Selects a layer and a type. */
  constructor(layer: Layer, type: string) {
    this.#layer = layer;
    this.#type = type;
    this.#isPooled = Object.values(POOLED).includes(type);
  }

  /** The handles of the instance or device of a dispatchable handle, for a type without pools. */
  of(owner: bigint): LongSet {
    return owner === this.#owner[0] && endings === this.#endings ? this.#handles! : this.#find(owner);
  }

  #find(owner: bigint): LongSet {
    this.#owner[0] = owner;
    this.#endings = endings;
    return this.#handles = entryOf(bookOf(this.#layer, peek64(owner)).single, this.#type, newSet);
  }

  /** The handles of a pool. */
  from(owner: bigint, pool: bigint): LongSet {
    return entryOf(this.#pools(owner), pool, newSet);
  }

  /** Whether the handle at an index of a list is known, in any pool. */
  has(owner: bigint, list: LongList, index: number): boolean {
    if (!this.#isPooled) return this.of(owner).hasFrom(list, index);
    for (const handles of this.#pools(owner).values()) if (handles.hasFrom(list, index)) return true;
    return false;
  }

  /** Forgets a handle, in any pool. */
  forget(owner: bigint, handle: bigint): void {
    if (!this.#isPooled) return this.of(owner).delete(handle);
    for (const handles of this.#pools(owner).values()) handles.delete(handle);
  }

  #pools(owner: bigint): Map<bigint, LongSet> {
    return entryOf(bookOf(this.#layer, peek64(owner)).pooled, this.#type, newMap);
  }
}

const newSet = () => new LongSet(), newMap = () => new Map<bigint, LongSet>();
const newBook = (): HandleBook => ({ single: new Map(), pooled: new Map() });

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, value = make());
  return value;
}

function bookOf(layer: Layer, key: bigint): HandleBook {
  let books = known.get(layer);
  if (!books) known.set(layer, books = new Map());
  return entryOf(books, key, newBook);
}

/** Forgets all handles of a pool of this type. */
export function forgetPooled(layer: Layer, key: bigint, type: string, pool: bigint): void {
  known.get(layer)?.get(key)?.pooled.get(POOLED[type])?.delete(pool);
}

/** Forgets all handles of an instance or device. */
export function forgetAll(layer: Layer, key: bigint): void {
  endings++;
  known.get(layer)?.delete(key);
}

/** Whether a layer has got a handle from below. */
export function knowsHandle(layer: Layer, key: bigint, type: string, handle: bigint): boolean {
  const book = known.get(layer)?.get(key);
  if (book?.single.get(type)?.has(handle)) return true;
  for (const handles of book?.pooled.get(type)?.values() ?? []) if (handles.has(handle)) return true;
  return false;
}

/** Counts the handles of a type that a layer knows, and the pools among their owners. */
export function countKnown(layer: Layer, key: bigint, type: string): { handles: number; pools: number } {
  const book = known.get(layer)?.get(key), pools = [...book?.pooled.get(type)?.values() ?? []];
  const handles = pools.reduce((sum, { size }) => sum + size, book?.single.get(type)?.size ?? 0);
  return { handles, pools: pools.length };
}

/** Whether a value is a dispatchable handle: it begins with a dispatch key, or has none yet. */
export function isDispatchable(handle: bigint): boolean {
  if (handle % 8n !== 0n || !isMapped(handle, 8)) return false;
  const word = peek64(handle);
  return isKey(word) || isUnadopted(word);
}
