import type { LongList } from "../../../ffi/long_at.ts";
import { LongSet } from "../../../ffi/long_set.ts";
import { isMapped } from "../../../ffi/mapped.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { isUnadopted } from "../../chain/object/magic.ts";
import type { Layer } from "../../layer.ts";
import { isKey } from "../hooks/chain_view.ts";

/** The handles of an instance or device, as one layer knows them. */
interface HandleBook {
  /** By type. */
  readonly single: Map<string, LongSet>;
  /** Of types that come from pools: by type, then by pool, for they go with it. */
  readonly pooled: Map<string, Map<bigint, LongSet>>;
}

/** The types that come from pools, by the pools' types. */
const POOLED: Readonly<Record<string, string>> = {
  VkCommandPool: "VkCommandBuffer",
  VkDescriptorPool: "VkDescriptorSet",
};

/** By layer and dispatch key of the instance or device. */
const known = new WeakMap<Layer, Map<bigint, HandleBook>>();
/** How often all handles of an instance or device were forgotten. */
let endings = 0;

/** The type of what comes from pools of a type; `undefined` for what is no such pool. */
export function pooledType(pool: string): string | undefined {
  return POOLED[pool];
}

/**
 * The handles of one type that what lies below a layer has given it, for a
 * command that asks again and again about the same instance or device.
 */
export class KnownHandles {
  readonly #layer: Layer;
  readonly #type: string;
  /** The handle that was asked for last; in an array it is compared without making a bigint. */
  readonly #owner = new BigUint64Array(1);
  #endings = -1;
  #handles: LongSet | undefined;

  readonly #isPooled: boolean;

  /** Asks for a layer's handles of a type. */
  constructor(layer: Layer, type: string) {
    this.#layer = layer;
    this.#type = type;
    this.#isPooled = Object.values(POOLED).includes(type);
  }

  /** Those of the instance or device that a dispatchable handle belongs to, of a type that comes from no pool. */
  of(owner: bigint): LongSet {
    if (owner === this.#owner[0] && endings === this.#endings) return this.#handles!;
    this.#owner[0] = owner;
    this.#endings = endings;
    return this.#handles = entryOf(bookOf(this.#layer, peek64(owner)).single, this.#type, newSet);
  }

  /** Those that came from a pool. */
  from(owner: bigint, pool: bigint): LongSet {
    return entryOf(this.#pools(owner), pool, newSet);
  }

  /** Whether the handle at an index of a list is known, wherever it came from. */
  has(owner: bigint, list: LongList, index: number): boolean {
    if (!this.#isPooled) return this.of(owner).hasFrom(list, index);
    for (const handles of this.#pools(owner).values()) if (handles.hasFrom(list, index)) return true;
    return false;
  }

  /** Forgets a handle, wherever it came from. */
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

/** Forgets all handles that came from a pool of this type. */
export function forgetPooled(layer: Layer, key: bigint, type: string, pool: bigint): void {
  known.get(layer)?.get(key)?.pooled.get(POOLED[type])?.delete(pool);
}

/** Forgets all handles of an instance or device. */
export function forgetAll(layer: Layer, key: bigint): void {
  endings++;
  known.get(layer)?.delete(key);
}

/** Whether what lies below a layer has given it a handle. */
export function knowsHandle(layer: Layer, key: bigint, type: string, handle: bigint): boolean {
  const book = known.get(layer)?.get(key);
  if (book?.single.get(type)?.has(handle)) return true;
  for (const handles of book?.pooled.get(type)?.values() ?? []) if (handles.has(handle)) return true;
  return false;
}

/** How many handles of a type a layer knows, and how many pools they came from. */
export function countKnown(layer: Layer, key: bigint, type: string): { handles: number; pools: number } {
  const book = known.get(layer)?.get(key), pools = [...book?.pooled.get(type)?.values() ?? []];
  const handles = pools.reduce((sum, { size }) => sum + size, book?.single.get(type)?.size ?? 0);
  return { handles, pools: pools.length };
}

/** Whether a dispatchable handle is one: it begins with a dispatch key, or has none yet. */
export function isDispatchable(handle: bigint): boolean {
  if (handle % 8n !== 0n || !isMapped(handle, 8)) return false;
  const word = peek64(handle);
  return isKey(word) || isUnadopted(word);
}
