import { readCString } from "../../ffi/cstring.ts";
import type { Layer } from "../layer.ts";

/** The names of the commands that layers keep from native code above them. */
export function hiddenBy(layers: readonly Layer[]): string[] {
  return layers.flatMap(({ hides = [] }) => hides);
}

/** The hooks that keep commands from scripts above a layer, too. */
export function hidingHooks(names: readonly string[]): NonNullable<Layer["commands"]> {
  const answer = (next: (handle: bigint, name: bigint) => bigint, handle: bigint, name: bigint) =>
    name !== 0n && names.includes(readCString(name)) ? 0n : next(handle, name);
  return { vkGetInstanceProcAddr: answer, vkGetDeviceProcAddr: answer };
}
