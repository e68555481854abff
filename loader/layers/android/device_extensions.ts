import { readCString } from "../../../ffi/cstring.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import type { DispatchTable } from "../../chain/table/dispatch_table.ts";
import { findCommand } from "../../command/registry/table.ts";
import { mergeExtensions, readExtensionList, writeExtensionList } from "../../driver/interface/extension_list.ts";
import type { LayerExtension } from "../../layer.ts";
import { VK_ERROR_LAYER_NOT_PRESENT } from "../../gen/native_gen.ts";

const COMMAND = "vkEnumerateDeviceExtensionProperties", SIGNATURE = "s:qqqq";
/** VK_MAX_EXTENSION_NAME_SIZE, with the NUL. */
const MOST_BYTES = 256;

/** A layer and the device extensions that it provides. */
export interface DeviceExtensions {
  /** The layer's name. */
  readonly name: string;
  /** The extensions; absent if they are unknown. */
  readonly deviceExtensions?: readonly LayerExtension[];
}

/**
 * Puts the loader's own vkEnumerateDeviceExtensionProperties above the chain of
 * a new instance. For a layer's name, the command answers for all `layers`,
 * whether they are in the chain or not. Without a name, the extensions of
 * `first` come before those that the chain lists; of several extensions with
 * one name, the first counts. On other threads the chain answers. Close the
 * returned object when the instance is gone.
 */
export function answerDeviceExtensions(
  table: DispatchTable,
  layers: readonly DeviceExtensions[],
  first: readonly DeviceExtensions[],
): Disposable {
  const { slot } = findCommand(COMMAND)!, next = table.get(slot);
  const chained = (gpu: bigint) =>
    readExtensionList((count, out) => invokeAddress(next, SIGNATURE, [gpu, 0n, count, out]) as number);
  const listOf = (gpu: bigint, layer: bigint): readonly LayerExtension[] | number => {
    if (layer !== 0n) return named(layers, readCString(layer, MOST_BYTES)) ?? VK_ERROR_LAYER_NOT_PRESENT;
    const own = chained(gpu);
    return typeof own === "number" ? own : mergeExtensions(...first.map(extensionsOf), own);
  };
  const thunk = createThunk(SIGNATURE, (...args) => {
    const [gpu, layer, count, out] = args as bigint[], list = listOf(gpu, layer);
    return typeof list === "number" ? list : writeExtensionList(list, count, out);
  }, { next });
  table.set(slot, thunk.address);
  return { [Symbol.dispose]: () => thunk.free() };
}

function named(layers: readonly DeviceExtensions[], wanted: string): readonly LayerExtension[] | undefined {
  const layer = layers.find(({ name }) => name === wanted);
  return layer && extensionsOf(layer);
}

function extensionsOf({ deviceExtensions = [] }: DeviceExtensions): readonly LayerExtension[] {
  return deviceExtensions;
}
