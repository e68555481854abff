/**
 * Prints the devices of a driver as a line of JSON. Runs in a process of its own, which the driver may hang or crash.
 * @module
 */
import { newestInstance } from "../../../wsi/gpu/facts.ts";
import { loadVulkan } from "../../../loader/api/load_vulkan.ts";
import type { VkPhysicalDevice } from "../../../loader/types.ts";
import { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES } from "../../../loader/gen/enums_stype_gen.js";
import { versionText, VK_MAKE_API_VERSION } from "../../../loader/version.ts";
import type { CardDevice } from "./messages.ts";

function cardOf(gpu: VkPhysicalDevice): CardDevice {
  const { deviceName: name, driverVersion, apiVersion, pipelineCacheUUID } = gpu.vkGetPhysicalDeviceProperties();
  const uuid = apiVersion >= VK_MAKE_API_VERSION(0, 1, 1, 0) ? deviceUuid(gpu) : pipelineCacheUUID;
  return { name, uuid: new Uint8Array(uuid).toHex(), driverVersion, api: versionText(apiVersion) };
}

function deviceUuid(gpu: VkPhysicalDevice): ArrayLike<number> {
  const { pNext: [id] } = gpu.vkGetPhysicalDeviceProperties2([VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES]);
  return (id as unknown as { readonly deviceUUID: ArrayLike<number> }).deviceUUID;
}

if (import.meta.main) {
  using vulkan = loadVulkan({ driver: Deno.args[0] });
  using instance = newestInstance(vulkan, {});
  console.log(JSON.stringify(instance.vkEnumeratePhysicalDevices().map(cardOf)));
}
