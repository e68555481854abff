import { poke32 } from "../../../ffi/machine.ts";
import {
  mergeExtensions,
  readExtensionList,
  writeExtensionList,
} from "../../../loader/driver/interface/extension_list.ts";
import type { defineLayer } from "../../../loader/mod.ts";
import { SYNC_FD_EXTENSIONS } from "../../../wsi/adaptor/constants.ts";

const EXTENSIONS: readonly string[] = Object.values(SYNC_FD_EXTENSIONS);
const CLAIMED = EXTENSIONS.map((extensionName) => ({ extensionName, specVersion: 1 }));
/** Offset of the features in VkExternalSemaphoreProperties and VkExternalFenceProperties. */
const FEATURES = 24n;

/** The extensions of external semaphores and fences with these features, which the driver below does not have. */
export function claimsSyncFd(
  semaphoreFeatures: number,
  fenceFeatures: number,
): NonNullable<Parameters<typeof defineLayer>[0]["commands"]> {
  return {
    vkEnumerateDeviceExtensionProperties(next, gpu, layer, count, out) {
      const list = readExtensionList((count, out) => next(gpu, layer, count, out));
      return typeof list === "number" ? list : writeExtensionList(mergeExtensions(list, CLAIMED), count, out);
    },
    vkGetPhysicalDeviceExternalSemaphoreProperties: (_next, _gpu, _info, out) =>
      poke32(out + FEATURES, semaphoreFeatures),
    vkGetPhysicalDeviceExternalFenceProperties: (_next, _gpu, _info, out) => poke32(out + FEATURES, fenceFeatures),
    vkCreateDevice(next, gpu, info, allocator, out) {
      const given = this.read("VkDeviceCreateInfo", info), names = given.ppEnabledExtensionNames ?? [];
      const known = names.filter((name) => !EXTENSIONS.includes(name));
      const changed = { ...given, enabledExtensionCount: known.length, ppEnabledExtensionNames: known };
      return next(gpu, this.write("VkDeviceCreateInfo", changed), allocator, out);
    },
  };
}
