/**
 * An application's choice among two cards, tested without either: the driver is
 * written here.
 *
 * ```sh
 * deno run --allow-ffi examples/driver_in_typescript.ts
 * ```
 *
 * It prints the card that was chosen with both and with one unplugged, and that
 * no instance is left.
 *
 * @module
 */
import { defineDriver, type ScriptedDriver } from "@pumice/gfx/drivers";
import { loadVulkan } from "@pumice/gfx/loader";
import { VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU } from "@pumice/gfx/vk";

using driver = defineDriver({
  name: "two cards",
  physicalDevices: [
    { properties: { deviceName: "Chip", deviceType: VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU } },
    { properties: { deviceName: "Card", deviceType: VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU } },
  ],
});
console.log(`With both: ${chosen(driver)}`);
driver.physicalDevices.pop();
console.log(`Card unplugged: ${chosen(driver)}`);
console.log(`${driver.live("VkInstance")} instances left of ${driver.calls.filter(isCreation).length}`);

/** Returns the name of the chosen card. The choice is under test: a discrete card goes before anything else. */
function chosen(driver: ScriptedDriver): string {
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const cards = instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkGetPhysicalDeviceProperties());
  const best = cards.find(({ deviceType }) => deviceType === VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU) ?? cards[0];
  return best.deviceName;
}

function isCreation(command: string): boolean {
  return command === "vkCreateInstance";
}
