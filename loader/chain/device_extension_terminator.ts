import { readCString } from "../../ffi/cstring.ts";
import { createThunk, type Thunk } from "../../ffi/thunk.ts";
import { mergeExtensions, writeExtensionList } from "../driver/extension_list.ts";
import { deviceExtensions } from "./driver_instance.ts";
import type { ChainElement } from "./element.ts";

/**
 * vkEnumerateDeviceExtensionProperties below the lowest native layer: without a
 * layer's name the driver's extensions and those of the layers that are there
 * by themselves, with one that layer's. Other threads get the driver's own.
 */
export function deviceExtensionTerminator(enumerate: bigint, elements: readonly ChainElement[]): Thunk {
  const listOf = (gpu: bigint, layer: string) => {
    if (layer !== "") return elements.find(({ name }) => name === layer)?.deviceExtensions ?? [];
    const implicit = elements.filter(({ byItself }) => byItself).map((element) => element.deviceExtensions ?? []);
    return mergeExtensions(deviceExtensions(enumerate, gpu), ...implicit);
  };
  const answer = (...[gpu, layer, count, out]: unknown[]) =>
    writeExtensionList(listOf(gpu as bigint, readCString(layer as bigint)), count as bigint, out as bigint);
  return createThunk("s:qqqq", answer, { next: enumerate });
}
