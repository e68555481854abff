import { assertEquals } from "@std/assert";
import { NativeBlock } from "../../../../../ffi/block.ts";
import { peek64, poke64 } from "../../../../../ffi/machine.ts";
import type { DriverSpec } from "../../../../../loader/drivers.ts";
import { resultOf } from "../../../../support/result_of.ts";
import { smallSwapchain, withDrivers } from "../drivers.ts";

const SURFACE = "VK_KHR_surface", HEADLESS = "VK_EXT_headless_surface";
const INFO = { ppEnabledExtensionNames: [SURFACE, HEADLESS] };
const SWAPCHAINS = ["VK_KHR_swapchain", "VK_KHR_display_swapchain"];
const QUEUE = {
  pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  ppEnabledExtensionNames: SWAPCHAINS,
};
const NOT_PRESENT = -7;
/** Bytes of VkSwapchainCreateInfoKHR, and where its surface is. */
const INFO_SIZE = 104, SURFACE_AT = 24;

/** A driver whose surfaces are numbers from `first` on, and which notes those it gets for swapchains. */
function presenting(name: string, first: bigint, seen: bigint[]): DriverSpec {
  let next = first;
  const make = (out: bigint, handle: bigint) => {
    poke64(out, handle);
    return 0;
  };
  return {
    name,
    physicalDevices: [{ properties: { deviceName: name }, extensions: SWAPCHAINS }],
    instanceExtensions: [SURFACE, HEADLESS],
    commands: {
      vkCreateHeadlessSurfaceEXT: (_next, _instance, _info, _allocator, out) => make(out, next++),
      vkDestroySurfaceKHR: () => {},
      vkCreateSwapchainKHR(_next, _device, info, _allocator, out) {
        seen.push(peek64(info + BigInt(SURFACE_AT)));
        return make(out, 99n);
      },
      vkCreateSharedSwapchainsKHR(_next, _device, count, infos, _allocator, out) {
        for (let index = 0; index < count; index++) {
          seen.push(peek64(infos + BigInt(INFO_SIZE * index + SURFACE_AT)));
          make(out + BigInt(8 * index), 100n + BigInt(index));
        }
        return 0;
      },
    },
  };
}

Deno.test("shared swapchains get the driver's own surfaces, and the create infos stay as they were", () => {
  const one: bigint[] = [], two: bigint[] = [];
  withDrivers([presenting("one", 11n, one), presenting("two", 22n, two)], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance(INFO);
    const surfaces = [0, 1, 2].map(() => instance.vkCreateHeadlessSurfaceEXT({}));
    for (const gpu of instance.vkEnumeratePhysicalDevices()) {
      using device = gpu.vkCreateDevice(QUEUE);
      assertEquals(device.vkCreateSharedSwapchainsKHR(surfaces.map(smallSwapchain)), [100n, 101n, 102n]);
    }
  });
  assertEquals([one, two], [[11n, 12n, 13n], [22n, 23n, 24n]]);
});

Deno.test("a swapchain of no surface of the instance is refused before the driver hears of it", () => {
  const seen: bigint[] = [];
  withDrivers([presenting("one", 11n, seen), presenting("two", 22n, seen)], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance(INFO);
    using other = vulkan.vkCreateInstance(INFO);
    using memory = new NativeBlock(4096);
    const own = instance.vkCreateHeadlessSurfaceEXT({}), foreign = other.vkCreateHeadlessSurfaceEXT({});
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    using device = gpu.vkCreateDevice(QUEUE);
    for (const surface of [foreign, memory.address].map((each) => each as typeof own)) {
      assertEquals(resultOf(() => device.vkCreateSwapchainKHR(smallSwapchain(surface))), NOT_PRESENT);
      const infos = [own, surface].map(smallSwapchain);
      assertEquals(resultOf(() => device.vkCreateSharedSwapchainsKHR(infos)), NOT_PRESENT);
      assertEquals(resultOf(() => gpu.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(foreign)), NOT_PRESENT);
    }
  });
  assertEquals(seen, []);
});
