import { LongSet } from "../../../ffi/long_set.ts";
import { isMapped } from "../../../ffi/mapped.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { isUnadopted } from "../../chain/adopt.ts";
import type { Layer } from "../../layer.ts";
import { isKey } from "../chain_view.ts";

/** By layer, dispatch key of the instance or device, and type. */
const known = new WeakMap<Layer, Map<bigint, Map<string, LongSet>>>();
/** How often all handles of an instance or device were forgotten. */
let endings = 0;

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

  /** Asks for a layer's handles of a type. */
  constructor(layer: Layer, type: string) {
    this.#layer = layer;
    this.#type = type;
  }

  /** Those of the instance or device that a dispatchable handle belongs to. */
  of(owner: bigint): LongSet {
    if (owner === this.#owner[0] && endings === this.#endings) return this.#handles!;
    this.#owner[0] = owner;
    this.#endings = endings;
    return this.#handles = handlesAt(this.#layer, peek64(owner), this.#type);
  }
}

function handlesAt(layer: Layer, key: bigint, type: string): LongSet {
  let keys = known.get(layer);
  if (!keys) known.set(layer, keys = new Map());
  let types = keys.get(key);
  if (!types) keys.set(key, types = new Map());
  let handles = types.get(type);
  if (!handles) types.set(type, handles = new LongSet());
  return handles;
}

/** Forgets all handles that may have come from a pool of this type; of other types nothing. */
export function forgetPooled(layer: Layer, key: bigint, type: string): void {
  const types = known.get(layer)?.get(key);
  if (type === "VkCommandPool") types?.get("VkCommandBuffer")?.clear();
  if (type === "VkDescriptorPool") types?.get("VkDescriptorSet")?.clear();
}

/** Forgets all handles of an instance or device. */
export function forgetAll(layer: Layer, key: bigint): void {
  endings++;
  known.get(layer)?.delete(key);
}

/** Whether what lies below a layer has given it a handle. */
export function knowsHandle(layer: Layer, key: bigint, type: string, handle: bigint): boolean {
  return known.get(layer)?.get(key)?.get(type)?.has(handle) ?? false;
}

/** Whether a dispatchable handle is one: it begins with a dispatch key, or has none yet. */
export function isDispatchable(handle: bigint): boolean {
  if (handle % 8n !== 0n || !isMapped(handle, 8)) return false;
  const word = peek64(handle);
  return isKey(word) || isUnadopted(word);
}
