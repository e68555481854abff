import { assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../../../ffi/arena.ts";
import { peek64, poke32, poke64 } from "../../../../../ffi/machine.ts";
import type { DriverSpec } from "../../../../../loader/drivers.ts";
import { VulkanError } from "../../../../../loader/mod.ts";
import { smallSwapchain, withDrivers } from "../drivers.ts";

const SURFACE = "VK_KHR_surface", HEADLESS = "VK_EXT_headless_surface", SWAPCHAIN = "VK_KHR_swapchain";
const SURFACELESS = "VK_GOOGLE_surfaceless_query", CAPABILITIES_2 = "VK_KHR_get_surface_capabilities2";
const NOT_PRESENT = -7, INFO_2 = 1000119000;

/** Notes the surface a query names, and lists nothing. */
function listing(seen: bigint[], surfaceOf = (surface: bigint) => surface) {
  return (_next: unknown, _gpu: bigint, surface: bigint, count: bigint) => {
    seen.push(surfaceOf(surface));
    poke32(count, 0);
    return 0;
  };
}

Deno.test("queries without a surface reach the driver without one", () => {
  const seen: bigint[] = [],
    commands = {
      vkGetPhysicalDeviceSurfaceFormatsKHR: listing(seen),
      vkGetPhysicalDeviceSurfacePresentModesKHR: listing(seen),
      vkGetPhysicalDeviceSurfaceFormats2KHR: listing(seen, (info) => peek64(info + 16n)),
    };
  const plain = { name: "plain", physicalDevices: [{}], instanceExtensions: [SURFACE, SURFACELESS], commands };
  const newer = { ...plain, name: "newer", instanceExtensions: [...plain.instanceExtensions, CAPABILITIES_2] };
  withDrivers([newer, { ...plain, missing: ["vkGetPhysicalDeviceSurfaceFormats2KHR"] }], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [SURFACE, SURFACELESS, CAPABILITIES_2] });
    const memory = arena(), mark = memory.mark(), info = memory.alloc(24), count = memory.address(memory.alloc(4));
    memory.bytes.fill(0, info, info + 24);
    memory.view.setUint32(info, INFO_2, true);
    for (const { raw, handle } of instance.vkEnumeratePhysicalDevices()) {
      const results = [
        raw.vkGetPhysicalDeviceSurfaceFormatsKHR(handle, 0n, count, 0n),
        raw.vkGetPhysicalDeviceSurfacePresentModesKHR(handle, 0n, count, 0n),
        raw.vkGetPhysicalDeviceSurfaceFormats2KHR(handle, memory.address(info), count, 0n),
      ];
      assertEquals(results, [0, 0, 0]);
    }
    memory.release(mark);
  });
  assertEquals(seen, [0n, 0n, 0n, 0n, 0n, 0n]);
});

Deno.test("a swapchain of a surface that the driver could not make is refused before the driver hears of it", () => {
  const seen: bigint[] = [];
  const driver = (name: string, create: (out: bigint) => number): DriverSpec => ({
    name,
    physicalDevices: [{ properties: { deviceName: name }, extensions: [SWAPCHAIN] }],
    instanceExtensions: [SURFACE, HEADLESS],
    commands: {
      vkCreateHeadlessSurfaceEXT: (_next, _instance, _info, _allocator, out) => create(out),
      vkCreateSwapchainKHR(_next, _device, info, _allocator, out) {
        seen.push(peek64(info + 24n));
        poke64(out, 99n);
        return 0;
      },
    },
  });
  const able = driver("able", (out) => {
    poke64(out, 11n);
    return 0;
  });
  withDrivers([able, driver("unable", () => NOT_PRESENT)], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [SURFACE, HEADLESS] });
    const surface = instance.vkCreateHeadlessSurfaceEXT({});
    const results = instance.vkEnumeratePhysicalDevices().map((gpu): [string, number] => {
      const pQueueCreateInfos = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];
      using device = gpu.vkCreateDevice({ pQueueCreateInfos, ppEnabledExtensionNames: [SWAPCHAIN] });
      const create = () => device.vkCreateSwapchainKHR(smallSwapchain(surface));
      const { deviceName } = gpu.vkGetPhysicalDeviceProperties();
      if (deviceName === "unable") return [deviceName, assertThrows(create, VulkanError).code];
      create();
      return [deviceName, 0];
    });
    assertEquals(results.toSorted(), [["able", 0], ["unable", NOT_PRESENT]]);
    instance.vkDestroySurfaceKHR(surface);
  });
  assertEquals(seen, [11n]);
});
