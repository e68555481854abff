import { arena } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import type { DispatchTable } from "../../chain/table/dispatch_table.ts";
import { findCommand } from "../../command/registry/table.ts";
import { mergeExtensions, readExtensionList, writeExtensionList } from "../../driver/interface/extension_list.ts";
import type { Finding } from "../../driver/report/finding.ts";
import { INSTANCE_CREATE_INFO, requestedLayers, setLayers } from "../../driver/structs/create_info.ts";
import { VK_ERROR_LAYER_NOT_PRESENT, VK_MAX_EXTENSION_NAME_SIZE } from "../../gen/native_gen.ts";
import type { LayerExtension } from "../../layer.ts";
import type { InstanceRules } from "../choice/rules.ts";

/** The layers of one instance and those around them. */
export interface InstanceLayerLists {
  /** Names that the instance requests. */
  readonly requested: readonly string[];
  /** Layers that a script gave. */
  readonly given: readonly DeviceExtensions[];
  /** Layers that the search found and that are in the chain, top to bottom. */
  readonly active: readonly DeviceExtensions[];
  /** All layers that the search found. */
  readonly found: readonly DeviceExtensions[];
  /** Layers whose extensions are listed without the layer's name, top to bottom. */
  readonly first: readonly DeviceExtensions[];
}

/**
 * Android's rules for an instance: the layers below get the names of all layers, and the loader answers for their
 * device extensions.
 */
export function instanceRules({ requested, given, active, found, first }: InstanceLayerLists): InstanceRules {
  const asked = given.filter(({ name }) => requested.includes(name));
  const names = [...asked, ...active].map(({ name }) => name);
  return {
    createInfo: (info) => withLayerNames(info, names),
    answerAbove: (table) => answerDeviceExtensions(table, [...given, ...found], first),
    aboutDevice: (info) => deviceLayerFindings(info, names),
  };
}

/**
 * Returns a VkInstanceCreateInfo that names these layers: the same one if it
 * already does, otherwise a copy in the arena.
 */
function withLayerNames(info: bigint, names: readonly string[]): bigint {
  if (isSame(requestedLayers(info), names)) return info;
  const memory = arena(), copy = memory.copyIn(info, INSTANCE_CREATE_INFO);
  setLayers(copy, names);
  return memory.address(copy);
}

/**
 * Returns findings about the layers that a VkDeviceCreateInfo names. The names
 * have no effect, because a device has the layers of its instance.
 */
function deviceLayerFindings(info: bigint, names: readonly string[]): Finding[] {
  const asked = requestedLayers(info);
  if (asked?.length === 0 || isSame(asked, names)) return [];
  const path = asked?.join(", ") ?? "layers without a name", origin = "VkDeviceCreateInfo";
  const reason = "no effect: the layers of devices are those of their instance";
  return [{ subject: "layer", path, origin, taken: false, reason, level: "warning" }];
}

function isSame(one: readonly string[] | undefined, other: readonly string[]): boolean {
  return one?.length === other.length && one.every((name, index) => name === other[index]);
}

const COMMAND = "vkEnumerateDeviceExtensionProperties", SIGNATURE = "s:qqqq";

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
function answerDeviceExtensions(
  table: DispatchTable,
  layers: readonly DeviceExtensions[],
  first: readonly DeviceExtensions[],
): Disposable {
  const { slot } = findCommand(COMMAND)!, next = table.get(slot);
  const chained = (gpu: bigint) =>
    readExtensionList((count, out) => invokeAddress(next, SIGNATURE, [gpu, 0n, count, out]) as number);
  const listOf = (gpu: bigint, layer: bigint): readonly LayerExtension[] | number => {
    if (layer !== 0n) {
      return named(layers, readCString(layer, VK_MAX_EXTENSION_NAME_SIZE)) ?? VK_ERROR_LAYER_NOT_PRESENT;
    }
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
