import { isMapped } from "../../../ffi/mapped.ts";
import { peek64 } from "../../../ffi/machine.ts";
import type { Layer } from "../../layer.ts";
import { isKey } from "../chain_view.ts";

/** What drivers leave in word 0 of a dispatchable handle until the loader replaces it. */
const LOADER_MAGIC = 0x01cdc0den;

const known = new WeakMap<Layer, Map<string, Set<bigint>>>();

/** Notes handles that what lies below a layer has given it. */
export function learnHandles(layer: Layer, type: string, handles: readonly bigint[]): void {
  let types = known.get(layer);
  if (!types) known.set(layer, types = new Map());
  const set = types.get(type);
  if (set) handles.forEach((handle) => set.add(handle));
  else types.set(type, new Set(handles));
}

/** Whether what lies below a layer has given it a handle. */
export function knowsHandle(layer: Layer, type: string, handle: bigint): boolean {
  return known.get(layer)?.get(type)?.has(handle) ?? false;
}

/** Whether a dispatchable handle is one: it begins with a dispatch key, or has none yet. */
export function isDispatchable(handle: bigint): boolean {
  if (handle % 8n !== 0n || !isMapped(handle, 8)) return false;
  const word = peek64(handle);
  return isKey(word) || (word & 0xffff_ffffn) === LOADER_MAGIC;
}
