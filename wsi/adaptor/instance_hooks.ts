import {
  offsetsOfVkInstanceCreateInfo,
  sizeOfVkInstanceCreateInfo,
  VkBaseOutStructure,
  VkPhysicalDevicePresentationPropertiesANDROID,
} from "../../loader/gen/native_gen.ts";
import { peek64, poke32, poke64 } from "../../ffi/machine.ts";
import { chain, nextOf, requestedExtensions, requestedVersion } from "../../loader/driver/structs/create_info.ts";
import {
  mergeExtensions,
  readExtensionList,
  writeExtensionList,
} from "../../loader/driver/interface/extension_list.ts";
import {
  LATE_INSTANCE_EXTENSION,
  WINDOW_INSTANCE_EXTENSIONS,
} from "../../loader/terminator/android/instance_extensions.ts";
import type { Hook, Layer } from "../../loader/layer.ts";
import type { RawCommands } from "../../loader/types.ts";
import { type Adaptor, InstanceState } from "./adaptor.ts";
import { EXTENSION, RESULT, STYPE, VERSION } from "./constants.ts";
import { majorMinor } from "./gpu_facts.ts";
import { arena } from "../../ffi/arena.ts";
import { cstring } from "../../ffi/cstring.ts";

/** The adaptor's hooks for instances and physical devices. */
export function instanceHooks(adaptor: Adaptor): NonNullable<Layer["commands"]> {
  const properties2 = presentationProperties(adaptor);
  return {
    vkCreateInstance: (next, ...args) => createInstance(adaptor, next, ...args),
    vkDestroyInstance(next, instance, allocator) {
      if (instance !== 0n) adaptor.instances.delete(peek64(instance));
      next(instance, allocator);
    },
    vkEnumerateDeviceExtensionProperties(next, gpu, layer, count, out) {
      if (layer !== 0n) return next(gpu, layer, count, out);
      const list = readExtensionList((count, out) => next(gpu, 0n, count, out));
      return typeof list === "number" ? list : writeExtensionList(mergeExtensions(list, [EXTENSION]), count, out);
    },
    vkGetPhysicalDeviceProperties2: properties2,
    vkGetPhysicalDeviceProperties2KHR: properties2,
  };
}

function createInstance(
  adaptor: Adaptor,
  next: RawCommands["vkCreateInstance"],
  info: bigint,
  allocator: bigint,
  out: bigint,
): number {
  let result: number = RESULT.ERROR_EXTENSION_NOT_PRESENT;
  for (const each of adaptor.options.mayExtend?.() === false ? [withoutWindows(info)] : instanceInfos(info)) {
    result = next(each, allocator, out);
    if (result === RESULT.ERROR_EXTENSION_NOT_PRESENT) continue;
    if (result < 0) break;
    const version = majorMinor(requestedVersion(info)) || VERSION.V1_0, instance = peek64(out);
    const facts = { version, extensions: new Set(requestedExtensions(each)) };
    adaptor.instances.set(peek64(instance), new InstanceState(adaptor.layer, instance, facts));
    break;
  }
  return result;
}

/** Answers VkPhysicalDevicePresentationPropertiesANDROID, of which those below do not hear. */
function presentationProperties(adaptor: Adaptor): Hook<"vkGetPhysicalDeviceProperties2"> {
  return (next, gpu, out) => {
    const place = linkOf(out, STYPE.PRESENTATION_PROPERTIES), state = place && adaptor.instanceOf(gpu);
    if (!place || state!.gpu(gpu).hasOwn) return next(gpu, out);
    poke64(place.link, nextOf(place.address));
    try {
      next(gpu, out);
    } finally {
      poke64(place.link, place.address);
    }
    poke32(
      place.address + VkPhysicalDevicePresentationPropertiesANDROID.sharedImage,
      state!.canShare(gpu, adaptor.options.tier) ? 1 : 0,
    );
  };
}

/** Returns the address of a struct in a chain, and of the pointer to the struct. */
function linkOf(root: bigint, sType: number): { link: bigint; address: bigint } | undefined {
  let link = root + VkBaseOutStructure.pNext;
  for (const each of chain(nextOf(root))) {
    if (each.sType === sType) return { link, address: each.address };
    link = each.address + VkBaseOutStructure.pNext;
  }
}

/** The instance extensions that an Android loader has itself, and the one in whose headless proxy surfaces pass native layers. */
const WINDOWS: ReadonlySet<string> = new Set([
  ...WINDOW_INSTANCE_EXTENSIONS,
  LATE_INSTANCE_EXTENSION.name,
  "VK_EXT_headless_surface",
]);
const CORE_1_1 = [
  "VK_KHR_get_physical_device_properties2",
  "VK_KHR_external_memory_capabilities",
  "VK_KHR_external_semaphore_capabilities",
  "VK_KHR_external_fence_capabilities",
];

/**
 * The VkInstanceCreateInfos to try, best first: with all extensions that the
 * adaptor can use below, with those alone that every old driver has, then
 * unchanged. Before an instance exists, nobody can ask which extensions the
 * driver has.
 */
function instanceInfos(info: bigint): bigint[] {
  const old = requestedVersion(info) < VERSION.V1_1 ? CORE_1_1 : [], known = requestedExtensions(info);
  const wanted = [[...old, "VK_KHR_surface"], old].map((names) => names.filter((name) => !known.includes(name)));
  return [...wanted.filter((names) => names.length > 0).map((names) => extended(info, names)), info];
}

function extended(info: bigint, more: readonly string[]): bigint {
  return withNames(info, [...requestedExtensions(info), ...more]);
}

/** The same VkInstanceCreateInfo without the extensions of windows, which the layer above provides. */
function withoutWindows(info: bigint): bigint {
  const names = requestedExtensions(info), kept = names.filter((name) => !WINDOWS.has(name));
  return kept.length === names.length ? info : withNames(info, kept);
}

/** A copy of a VkInstanceCreateInfo with these extensions. */
function withNames(info: bigint, names: readonly string[]): bigint {
  const memory = arena(), copy = memory.copyIn(info, sizeOfVkInstanceCreateInfo), list = memory.alloc(8 * names.length);
  names.forEach((name, index) => memory.view.setBigUint64(list + 8 * index, memory.place(cstring(name)), true));
  memory.view.setUint32(copy + offsetsOfVkInstanceCreateInfo.enabledExtensionCount, names.length, true);
  memory.view.setBigUint64(copy + offsetsOfVkInstanceCreateInfo.ppEnabledExtensionNames, memory.address(list), true);
  return memory.address(copy);
}
