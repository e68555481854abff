import { peek64 } from "../../ffi/machine.ts";
import type { NativeCall } from "../command/compile.ts";
import type { Command } from "../command/table.ts";
import type { Layer } from "../layer.ts";

/** TypeScript layers that stand together before the commands of one instance or device. */
export interface ChainView {
  /** The layers in force, top to bottom; another array when they change. */
  layers(): readonly Layer[];
  /** What lies below all of them for a command, in raw form. */
  bottom(command: Command): NativeCall;
}

/** By dispatch key, which is the address of the dispatch table. */
const views = new Map<bigint, ChainView[]>();

/** Lets layers find their way by the dispatch key of an instance or device; the result forgets it again. */
export function openView(key: bigint, view: ChainView): () => void {
  const known = views.get(key) ?? [];
  views.set(key, [...known, view]);
  return () => {
    const left = views.get(key)!.filter((each) => each !== view);
    if (left.length > 0) views.set(key, left);
    else views.delete(key);
  };
}

/** Whether there is an instance or device with that dispatch key. */
export function isKey(key: bigint): boolean {
  return views.has(key);
}

/** The layers that stand together with a layer before the commands of a dispatchable handle. */
export function viewOf(layer: Layer, handle: bigint): ChainView | undefined {
  return views.get(peek64(handle))?.find((each) => each.layers().includes(layer));
}
