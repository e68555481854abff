import { peek32, peek64, poke32, poke64 } from "../../ffi/machine.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import { fillArray, stringsAt, writeStruct } from "./answer.ts";
import type { ExtensionSpec, PhysicalDeviceSpec } from "./spec.ts";
import { type DriverState, extensionNames, extensionProperties } from "./state.ts";
import {
  sizeOfVkExtensionProperties,
  sizeOfVkPhysicalDeviceGroupProperties,
  VK_API_VERSION_1_1,
  VK_ERROR_EXTENSION_NOT_PRESENT,
  VK_ERROR_INCOMPATIBLE_DRIVER,
  VK_ERROR_LAYER_NOT_PRESENT,
  VK_ERROR_OUT_OF_HOST_MEMORY,
  VkApplicationInfo,
  VkInstanceCreateInfo,
  VkPhysicalDeviceGroupProperties,
} from "../gen/native_gen.ts";

/** VkInstanceCreateInfo and VkApplicationInfo: offsets of their members. */
const INFO = VkInstanceCreateInfo;
/** VkPhysicalDeviceGroupProperties: its size and the offsets of its members. */
const GROUP = VkPhysicalDeviceGroupProperties;

/** The commands on instances, and those that list physical devices. */
export function instanceCommands(state: DriverState): Partial<RawCommands> {
  const { objects, spec } = state;
  const groups = (instance: bigint, count: bigint, out: bigint) =>
    fillArray(
      groupsOf(state),
      count,
      out,
      sizeOfVkPhysicalDeviceGroupProperties,
      (group, to) => writeGroup(state, instance, group, to),
    );
  return {
    vkEnumerateInstanceVersion(out) {
      poke32(out, state.apiVersion);
      return 0;
    },
    vkEnumerateInstanceExtensionProperties: (layer, count, out) =>
      listExtensions(spec.instanceExtensions, layer, count, out),
    vkCreateInstance(info, allocator, out) {
      const refusal = refusalOf(state, info);
      if (refusal < 0) return refusal;
      const instance = objects.make("VkInstance", { allocator });
      poke64(out, instance);
      return instance === 0n ? VK_ERROR_OUT_OF_HOST_MEMORY : 0;
    },
    vkDestroyInstance: (instance, allocator) => objects.destroy(instance, allocator),
    vkEnumeratePhysicalDevices: (instance, count, out) =>
      fillArray(state.physicalDevices, count, out, 8, (spec, to) => poke64(to, physicalDevice(state, instance, spec))),
    vkEnumeratePhysicalDeviceGroups: groups,
    vkEnumeratePhysicalDeviceGroupsKHR: groups,
    vkEnumerateDeviceExtensionProperties: (gpu, layer, count, out) =>
      listExtensions(objects.get(gpu)?.physicalDevice?.extensions, layer, count, out),
  };
}

/**
 * A driver has no layers and accepts only extensions that it lists. A driver
 * for Vulkan 1.0 may refuse applications of later versions.
 */
function refusalOf({ apiVersion, spec }: DriverState, info: bigint): number {
  if (peek32(info + INFO.enabledLayerCount) > 0) return VK_ERROR_LAYER_NOT_PRESENT;
  const application = peek64(info + INFO.pApplicationInfo);
  const wanted = application === 0n ? 0 : peek32(application + VkApplicationInfo.apiVersion);
  if (apiVersion < VK_API_VERSION_1_1 && wanted >= VK_API_VERSION_1_1) return VK_ERROR_INCOMPATIBLE_DRIVER;
  const known = extensionNames(spec.instanceExtensions);
  const asked = stringsAt(peek32(info + INFO.enabledExtensionCount), peek64(info + INFO.ppEnabledExtensionNames));
  return asked.every((name) => known.includes(name)) ? 0 : VK_ERROR_EXTENSION_NOT_PRESENT;
}

function listExtensions(extensions: readonly ExtensionSpec[] = [], layer: bigint, count: bigint, out: bigint): number {
  if (layer !== 0n) return VK_ERROR_LAYER_NOT_PRESENT;
  return fillArray(
    extensions,
    count,
    out,
    sizeOfVkExtensionProperties,
    (each, to) => writeStruct("VkExtensionProperties", extensionProperties(each), to),
  );
}

/** Returns the handle of a physical device in an instance. It is always the same. */
function physicalDevice({ objects }: DriverState, instance: bigint, spec: PhysicalDeviceSpec): bigint {
  const known = objects.get(instance)?.parts.get(spec);
  if (known !== undefined) return known;
  const handle = objects.make("VkPhysicalDevice", { owner: instance, key: spec });
  objects.get(handle)!.physicalDevice = spec;
  return handle;
}

function groupsOf({ physicalDevices }: DriverState): PhysicalDeviceSpec[][] {
  const groups = new Map<unknown, PhysicalDeviceSpec[]>();
  for (const each of physicalDevices) {
    const key = each.group ?? each;
    groups.set(key, [...groups.get(key) ?? [], each]);
  }
  return [...groups.values()];
}

function writeGroup(state: DriverState, instance: bigint, group: readonly PhysicalDeviceSpec[], to: bigint): void {
  poke32(to + GROUP.physicalDeviceCount, group.length);
  group.forEach((spec, index) =>
    poke64(to + GROUP.physicalDevices + BigInt(8 * index), physicalDevice(state, instance, spec))
  );
  poke32(to + GROUP.subsetAllocation, 0);
}
