import { peek32, poke32 } from "../../../../ffi/machine.ts";
import { apply, eachLink, INNER, type Patch, propertyHooks } from "../../define/device_changes.ts";
import { layoutOf } from "../../../codec/layout/layout.ts";
import type { Hook, Layer } from "../../../layer.ts";
import { listExtensions } from "./extensions.ts";
import { hidingHook } from "../../hooks/hooks.ts";
import { imageFormatHooks, lowerModifiers } from "./image_formats.ts";
import { isFeatures, type Settings } from "./settings.ts";

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
