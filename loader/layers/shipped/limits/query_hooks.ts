import { poke32 } from "../../../../ffi/machine.ts";
import { INNER, propertyHooks } from "../../define/device_changes.ts";
import { layoutOf } from "../../../codec/layout.ts";
import type { Hook, Layer } from "../../../layer.ts";
import { listExtensions } from "./extensions.ts";
import { apply, eachLink } from "../../patch.ts";
import { isFeatures, type Settings } from "./settings.ts";

/** The hooks of the queries; each asks for the settings anew. */
export function queryHooks(current: () => Settings): NonNullable<Layer["commands"]> {
  const features2 = featuresHook(current), formats2 = formatsHook(current);
  return {
    ...propertyHooks(current),
    vkEnumerateDeviceExtensionProperties: (next, ...args) => listExtensions(next, args, current().extensions),
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
    const { formats, formats3 } = current();
    next(gpu, format, out);
    apply(formats.get(format), out + INNER);
    eachLink(out, (name, address) => name === "VkFormatProperties3" && apply(formats3.get(format), address));
  };
}

function hideFeatures(struct: string, address: bigint, { features }: Settings): void {
  for (const { name, kind, offset } of layoutOf(struct).fields) {
    if (kind === "bool" && features.has(name)) poke32(address + BigInt(offset), 0);
  }
}
