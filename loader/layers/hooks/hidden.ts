import { readCString } from "../../../ffi/cstring.ts";
import type { Hook, Layer } from "../../layer.ts";

/** The names of the commands that layers keep from native code above them. */
export function hiddenBy(layers: readonly Layer[]): string[] {
  return layers.flatMap(({ hides = [] }) => hides);
}

/** The hooks that keep commands from scripts above a layer, too. */
export function hidingHooks(names: readonly string[]): NonNullable<Layer["commands"]> {
  const answer = hidingHook(() => names);
  return { vkGetInstanceProcAddr: answer, vkGetDeviceProcAddr: answer };
}

/** The hook of vkGetInstanceProcAddr and vkGetDeviceProcAddr that has no address of these commands; asked for anew each time. */
export function hidingHook(names: () => readonly string[]): Hook<"vkGetDeviceProcAddr"> {
  return (next, handle, name) => name !== 0n && names().includes(readCString(name)) ? 0n : next(handle, name);
}
