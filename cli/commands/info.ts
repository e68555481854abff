import type { VkPhysicalDevice } from "../../loader/types.ts";
import { versionText } from "../../loader/version.ts";
import type { Command } from "../command.ts";
import { withVulkan } from "../with_vulkan.ts";

/** A device, as `info` shows it. */
export interface DeviceInfo {
  /** VkPhysicalDeviceProperties.deviceName. */
  readonly deviceName: string;
  /** The Vulkan version, such as "1.3.230". */
  readonly apiVersion: string;
  /** How many device extensions it offers. */
  readonly extensions: number;
}

/** `info`: the devices of a driver. */
export const command: Command = {
  operand: "",
  summary: "the devices of a driver",
  options: {},
  run: (request, print) =>
    withVulkan(request, print, (vulkan) => {
      using instance = vulkan.vkCreateInstance({});
      const data = instance.vkEnumeratePhysicalDevices().map(infoOf);
      return { data, text: data.map(textOf).join("\n") };
    }),
};

function infoOf(gpu: VkPhysicalDevice): DeviceInfo {
  const { deviceName, apiVersion } = gpu.vkGetPhysicalDeviceProperties();
  return {
    deviceName,
    apiVersion: versionText(apiVersion),
    extensions: gpu.vkEnumerateDeviceExtensionProperties(null).length,
  };
}

function textOf({ deviceName, apiVersion, extensions }: DeviceInfo): string {
  return `${deviceName}\n  Vulkan ${apiVersion}, ${extensions} device extensions`;
}
