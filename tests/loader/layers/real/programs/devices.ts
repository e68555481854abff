/**
 * Lists the physical devices of SwiftShader and lavapipe below device_select:
 * `devices.ts DRIVER DRIVER above|below LAYER`. Prints their names and how
 * often a TypeScript layer saw them listed.
 *
 * @module
 */
import { defineLayer, loadVulkan } from "../../../../../loader/mod.ts";
import { VK_API_VERSION_1_1 } from "../../../../../loader/vk.ts";

const [first, second, place, native] = Deno.args;
let listed = 0;
const layer = defineLayer({
  name: `VK_LAYER_TEST_${place}`,
  commands: {
    vkEnumeratePhysicalDevices(next, ...args) {
      listed++;
      return next(...args);
    },
  },
});
const layers = place === "above" ? [layer, native] : [native, layer];
using vulkan = loadVulkan({ driver: [first, second], layers });
using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_1 } });
const devices = instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName);
console.log(JSON.stringify({ devices, listed }));
