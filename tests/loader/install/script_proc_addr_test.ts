import { assertEquals, assertNotEquals } from "@std/assert";
import { invokeAddress } from "../../../ffi/invoke.ts";
import { loadVulkan as loadBare } from "../../../loader/mod.ts";
import { defineLayer, loadVulkan, type Vulkan } from "../../../mod.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const DEVICE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

for (const isInstalled of [true, false]) {
  const what = isInstalled ? "runs hooks while the loader is installed" : "leads past TypeScript while it is not";
  Deno.test(`a pointer that vkGetDeviceProcAddr gives a script ${what}`, LAVAPIPE, () => {
    let hooked = 0;
    const layer = defineLayer({
      name: "VK_LAYER_TEST_waits",
      commands: { vkDeviceWaitIdle: (next, device) => (hooked++, next(device)) },
    });
    using vulkan = loadVulkan({ driver: lavapipePath(), layers: [layer] });
    using installed = new DisposableStack();
    if (isInstalled) installed.use(vulkan.install());
    using instance = vulkan.vkCreateInstance({});
    using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(DEVICE);
    const wait = device.vkGetDeviceProcAddr("vkDeviceWaitIdle") as bigint;
    assertEquals(invokeAddress(wait, "s:q", [device.handle]), 0);
    assertEquals(hooked, isInstalled ? 1 : 0);
    assertEquals(device.vkGetDeviceProcAddr("vkCmdDrawMeshTasksEXT"), 0n);
  });
}

Deno.test("a script's pointers are the window system's while the loader is installed", LAVAPIPE, () => {
  const swapchains = (vulkan: Vulkan, surfaces: string[]) => {
    using loader = vulkan, _installed = loader.install();
    using instance = loader.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface", ...surfaces] });
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    using device = gpu.vkCreateDevice({ ...DEVICE, ppEnabledExtensionNames: ["VK_KHR_swapchain"] });
    return device.vkGetDeviceProcAddr("vkCreateSwapchainKHR") as bigint;
  };
  const drivers = swapchains(loadBare({ driver: lavapipePath() }), []);
  const ours = swapchains(loadVulkan({ driver: lavapipePath() }), ["VK_KHR_android_surface"]);
  assertNotEquals(ours, 0n);
  assertNotEquals(ours, drivers);
});
