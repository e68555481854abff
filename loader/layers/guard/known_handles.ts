import { isMapped } from "../../../ffi/mapped.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { isUnadopted } from "../../chain/adopt.ts";
import type { Layer } from "../../layer.ts";
import { isKey } from "../chain_view.ts";

/** By layer, dispatch key of the instance or device, and type. */
const known = new WeakMap<Layer, Map<bigint, Map<string, Set<bigint>>>>();

/** Notes handles that what lies below a layer has given it. */
export function learnHandles(layer: Layer, key: bigint, type: string, handles: readonly bigint[]): void {
  let keys = known.get(layer);
  if (!keys) known.set(layer, keys = new Map());
  let types = keys.get(key);
  if (!types) keys.set(key, types = new Map());
  const set = types.get(type);
  if (set) handles.forEach((handle) => set.add(handle));
  else types.set(type, new Set(handles));
}

/** Forgets handles of objects that are gone; with a pool, all of what may have come from one. */
export function forgetHandles(layer: Layer, key: bigint, type: string, handles: readonly bigint[]): void {
  const types = known.get(layer)?.get(key);
  handles.forEach((handle) => types?.get(type)?.delete(handle));
  if (type === "VkCommandPool") types?.delete("VkCommandBuffer");
  if (type === "VkDescriptorPool") types?.delete("VkDescriptorSet");
}

/** Forgets all handles of an instance or device. */
export function forgetAll(layer: Layer, key: bigint): void {
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
