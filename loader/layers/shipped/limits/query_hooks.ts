import { bytesAt } from "../../../../ffi/arena.ts";
import { peek32 } from "../../../../ffi/machine.ts";
import { apply, eachLink, INNER, type Patch } from "../../define/device_changes.ts";
import { layoutOf } from "../../../codec/layout/layout.ts";
import type { AnyHook, Hook, Layer, LayerExtension } from "../../../layer.ts";
import { hidingHook } from "../../hooks/hooks.ts";
import { formatHooks } from "./formats.ts";
import { imageFormatHooks } from "./image_formats.ts";
import type { SettingsOf } from "./settings.ts";
import { findExtension } from "../../../command/registry/extension.ts";
import { mergeExtensions, readExtensionList, writeExtensionList } from "../../../driver/interface/extension_list.ts";

/** A command that counts first and then fills. */
type List = (count: bigint, out: bigint) => number;
/** The level of an extension. */
type ExtensionLevel = "instance" | "device";

/**
 * Answers a list of extensions of a level without the hidden ones and with the
 * additional ones, respecting the caller's room and the result codes of a full
 * list.
 */
function listExtensions(
  level: ExtensionLevel,
  below: List,
  { isHidden, shown }: ReturnType<SettingsOf>,
  count: bigint,
  out: bigint,
): number {
  const all = readExtensionList(below);
  if (typeof all === "number") return all;
  const changed = shown.filter(({ extensionName }) => levelOf(extensionName) === level);
  const list = mergeExtensions(all.map((each) => changed.find(isNamed(each)) ?? each), changed);
  return writeExtensionList(list.filter(({ extensionName }) => !isHidden(extensionName)), count, out);
}

function isNamed({ extensionName }: LayerExtension): (other: LayerExtension) => boolean {
  return (other) => other.extensionName === extensionName;
}

/** Extensions outside the registry are taken for device extensions. */
function levelOf(name: string): ExtensionLevel {
  return findExtension(name)?.kind === "instance" ? "instance" : "device";
}

/** Makes the hooks of the queries. Each hook reads the current settings of the physical device. */
export function queryHooks(current: SettingsOf): NonNullable<Layer["commands"]> {
  const properties2 = structs2(current, "VkPhysicalDeviceProperties"),
    features2 = structs2(current, "VkPhysicalDeviceFeatures");
  const semaphores = handleTypeHook((gpu) => current(gpu).semaphores),
    fences = handleTypeHook((gpu) => current(gpu).fences);
  const addresses = hidingHook(() => current(0n).commands);
  return {
    ...imageFormatHooks(current),
    ...formatHooks(current),
    vkGetInstanceProcAddr: addresses,
    vkGetDeviceProcAddr: addresses,
    vkEnumerateInstanceExtensionProperties: (next, layer, count, out) =>
      listExtensions("instance", (count, out) => next(layer, count, out), current(0n), count, out),
    vkEnumerateDeviceExtensionProperties: (next, gpu, layer, count, out) =>
      listExtensions("device", (count, out) => next(gpu, layer, count, out), current(gpu), count, out),
    vkGetPhysicalDeviceExternalSemaphoreProperties: semaphores,
    vkGetPhysicalDeviceExternalSemaphorePropertiesKHR: semaphores,
    vkGetPhysicalDeviceExternalFenceProperties: fences,
    vkGetPhysicalDeviceExternalFencePropertiesKHR: fences,
    vkGetPhysicalDeviceFeatures: struct(current, "VkPhysicalDeviceFeatures"),
    vkGetPhysicalDeviceFeatures2: features2,
    vkGetPhysicalDeviceFeatures2KHR: features2,
    vkGetPhysicalDeviceProperties: struct(current, "VkPhysicalDeviceProperties"),
    vkGetPhysicalDeviceProperties2: properties2,
    vkGetPhysicalDeviceProperties2KHR: properties2,
  };
}

/** Makes the hook of a query for one struct. */
export function struct(current: SettingsOf, name: string): AnyHook {
  return (next, gpu, out) => {
    next(gpu, out);
    current(gpu).put(name, out);
  };
}

/** Makes the hook of a query for a struct and a chain of others. A struct that the device does not know stays as it was. */
export function structs2(current: SettingsOf, name: string): AnyHook {
  return (next, gpu, out) => {
    const settings = current(gpu), links: [name: string, address: bigint, before: Patch][] = [];
    eachLink(out, (link, address) => links.push([link, address, bodyOf(link, address)]));
    next(gpu, out);
    settings.put(name, out + INNER);
    for (const [link, address, before] of links) {
      if (settings.ignores(link)) apply(before, address);
      else settings.put(link, address, before);
    }
  };
}

/** The bytes behind `sType` and `pNext`. */
function bodyOf(struct: string, address: bigint): Patch {
  const offset = Number(INNER), size = layoutOf(struct).size - offset;
  return size > 0 ? [{ offset, bytes: bytesAt(address + INNER, size) }] : [];
}

/** VkPhysicalDeviceExternal…Info: the handle type follows the header. */
function handleTypeHook(
  patches: (gpu: bigint) => (handleType: number) => Patch | undefined,
): Hook<"vkGetPhysicalDeviceExternalSemaphoreProperties"> {
  return (next, gpu, info, out) => {
    next(gpu, info, out);
    apply(patches(gpu)(peek32(info + INNER)), out);
  };
}
