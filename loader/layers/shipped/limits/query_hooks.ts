import { peek32, poke32 } from "../../../../ffi/machine.ts";
import { apply, eachLink, INNER, type Patch, propertyHooks } from "../../define/device_changes.ts";
import { layoutOf } from "../../../codec/layout/layout.ts";
import type { Hook, Layer, LayerExtension } from "../../../layer.ts";
import { hidingHook } from "../../hooks/hooks.ts";
import { imageFormatHooks, lowerModifiers } from "./image_formats.ts";
import { isFeatures, type Settings } from "./settings.ts";
import { findExtension } from "../../../command/registry/extension.ts";
import { mergeExtensions, readExtensionList, writeExtensionList } from "../../../driver/interface/extension_list.ts";

/** A command that counts first and then fills. */
type List = (count: bigint, out: bigint) => number;

/**
 * Answers a list of extensions of a level without the hidden ones and with the
 * additional ones, respecting the caller's room and the result codes of a full
 * list.
 */
function listExtensions(
  level: "instance" | "device",
  below: List,
  { extensions: hidden, shown }: Settings,
  count: bigint,
  out: bigint,
): number {
  const all = readExtensionList(below);
  if (typeof all === "number") return all;
  const changed = shown.filter(({ extensionName }) => levelOf(extensionName) === level);
  const list = mergeExtensions(all.map((each) => changed.find(isNamed(each)) ?? each), changed);
  return writeExtensionList(list.filter(({ extensionName }) => !hidden.has(extensionName)), count, out);
}

function isNamed({ extensionName }: LayerExtension): (other: LayerExtension) => boolean {
  return (other) => other.extensionName === extensionName;
}

/** Extensions outside the registry are taken for device extensions. */
function levelOf(name: string): "instance" | "device" {
  return findExtension(name)?.kind === "instance" ? "instance" : "device";
}

/** Makes the hooks of the queries. Each hook reads the current settings. */
export function queryHooks(current: () => Settings): NonNullable<Layer["commands"]> {
  const features2 = featuresHook(current), formats2 = formatsHook(current);
  const semaphores = handleTypeHook(() => current().semaphores), fences = handleTypeHook(() => current().fences);
  const addresses = hidingHook(() => current().commands);
  return {
    ...propertyHooks(current),
    ...imageFormatHooks(current),
    vkGetInstanceProcAddr: addresses,
    vkGetDeviceProcAddr: addresses,
    vkEnumerateInstanceExtensionProperties: (next, layer, count, out) =>
      listExtensions("instance", (count, out) => next(layer, count, out), current(), count, out),
    vkEnumerateDeviceExtensionProperties: (next, gpu, layer, count, out) =>
      listExtensions("device", (count, out) => next(gpu, layer, count, out), current(), count, out),
    vkGetPhysicalDeviceExternalSemaphoreProperties: semaphores,
    vkGetPhysicalDeviceExternalSemaphorePropertiesKHR: semaphores,
    vkGetPhysicalDeviceExternalFenceProperties: fences,
    vkGetPhysicalDeviceExternalFencePropertiesKHR: fences,
    vkGetPhysicalDeviceFeatures(next, gpu, out) {
      next(gpu, out);
      hideFeatures("VkPhysicalDeviceFeatures", out, current());
    },
    vkGetPhysicalDeviceFeatures2: features2,
    vkGetPhysicalDeviceFeatures2KHR: features2,
    vkGetPhysicalDeviceFormatProperties(next, gpu, format, out) {
      next(gpu, format, out);
      apply(current().formats.get(format), out);
    },
    vkGetPhysicalDeviceFormatProperties2: formats2,
    vkGetPhysicalDeviceFormatProperties2KHR: formats2,
  };
}

function featuresHook(current: () => Settings): Hook<"vkGetPhysicalDeviceFeatures2"> {
  return (next, gpu, out) => {
    next(gpu, out);
    hideFeatures("VkPhysicalDeviceFeatures", out + INNER, current());
    eachLink(out, (name, address) => isFeatures(name) && hideFeatures(name, address, current()));
  };
}

function formatsHook(current: () => Settings): Hook<"vkGetPhysicalDeviceFormatProperties2"> {
  return (next, gpu, format, out) => {
    const { formats, formats3, formatValues } = current(), values = formatValues.get(format);
    next(gpu, format, out);
    apply(formats.get(format), out + INNER);
    eachLink(out, (name, address) => {
      if (name === "VkFormatProperties3") apply(formats3.get(format), address);
      else if (values) lowerModifiers(name, address, values);
    });
  };
}

/** VkPhysicalDeviceExternal…Info: the handle type follows the header. */
function handleTypeHook(
  patches: () => ReadonlyMap<number, Patch>,
): Hook<"vkGetPhysicalDeviceExternalSemaphoreProperties"> {
  return (next, gpu, info, out) => {
    next(gpu, info, out);
    apply(patches().get(peek32(info + INNER)), out);
  };
}

function hideFeatures(struct: string, address: bigint, { features }: Settings): void {
  for (const { name, kind, offset } of layoutOf(struct).fields) {
    if (kind === "bool" && features.has(name)) poke32(address + BigInt(offset), 0);
  }
}
