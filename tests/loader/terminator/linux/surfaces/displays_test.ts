import { assertEquals } from "@std/assert";
import type { DriverSpec } from "../../../../../loader/drivers.ts";
import type { VkDisplayKHR, VkDisplayModeKHR, VkPhysicalDevice } from "../../../../../loader/types.ts";
import { poke32 } from "../../../../../ffi/machine.ts";
import { resultOf } from "../../../../support/result_of.ts";
import { cards, withDrivers } from "../drivers.ts";

const DISPLAY = "VK_KHR_display", QUERIES = "VK_KHR_get_display_properties2";
const PLACE = 1n as VkDisplayKHR, MODE = 1n as VkDisplayModeKHR;

/** A driver that lists the extensions and has none of their commands. */
const EMPTY: DriverSpec = {
  ...cards("empty", "empty"),
  instanceExtensions: ["VK_KHR_surface", DISPLAY, QUERIES],
  missing: ["vkCreateDisplayModeKHR"], // the others a driver in TypeScript lacks by itself
};
/** One that does not list them. */
const PLAIN: DriverSpec = { ...cards("plain", "plain"), missing: ["vkCreateDisplayModeKHR"] };
/** One with a single plane. */
const ABLE: DriverSpec = {
  ...cards("able", "able"),
  instanceExtensions: ["VK_KHR_surface", DISPLAY],
  commands: {
    vkGetPhysicalDeviceDisplayPlanePropertiesKHR(_next, _gpu, count) {
      poke32(count, 1);
      return 0;
    },
  },
};

/** The answer of each query of displays about a physical device. */
function queries(gpu: VkPhysicalDevice): Record<string, unknown> {
  return {
    displays: resultOf(() => gpu.vkGetPhysicalDeviceDisplayPropertiesKHR()),
    supported: resultOf(() => gpu.vkGetDisplayPlaneSupportedDisplaysKHR(0)),
    modes: resultOf(() => gpu.vkGetDisplayModePropertiesKHR(PLACE)),
    capabilities: resultOf(() => gpu.vkGetDisplayPlaneCapabilitiesKHR(MODE, 0).supportedAlpha),
    mode: resultOf(() => gpu.vkCreateDisplayModeKHR(PLACE, {})),
  };
}

/** The same by the commands with a chain. */
function chained(gpu: VkPhysicalDevice): Record<string, unknown> {
  return {
    displays: resultOf(() => gpu.vkGetPhysicalDeviceDisplayProperties2KHR()),
    planes: resultOf(() => gpu.vkGetPhysicalDeviceDisplayPlaneProperties2KHR()),
    modes: resultOf(() => gpu.vkGetDisplayModeProperties2KHR(PLACE)),
    capabilities: resultOf(() =>
      gpu.vkGetDisplayPlaneCapabilities2KHR({ mode: MODE, planeIndex: 0 }).capabilities.supportedAlpha
    ),
  };
}

const NONE = { displays: [], supported: [], modes: [], capabilities: 0, mode: -3 };

Deno.test("a driver without the commands of displays has no displays, alone and beside others", () => {
  for (const drivers of [[EMPTY], [EMPTY, PLAIN], [PLAIN, EMPTY]]) {
    withDrivers(drivers, ({ vulkan }) => {
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface", DISPLAY, QUERIES] });
      for (const gpu of instance.vkEnumeratePhysicalDevices()) {
        assertEquals(queries(gpu), NONE);
        assertEquals(gpu.vkGetPhysicalDeviceDisplayPlanePropertiesKHR(), []);
        assertEquals(chained(gpu), { displays: [], planes: [], modes: [], capabilities: 0 });
      }
    });
  }
});

Deno.test("what a driver has of displays is its own, whatever the others lack", () => {
  withDrivers([ABLE, EMPTY, PLAIN], ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface", DISPLAY] });
    const planes = instance.vkEnumeratePhysicalDevices().map((gpu) => [
      gpu.vkGetPhysicalDeviceProperties().deviceName,
      gpu.vkGetPhysicalDeviceDisplayPlanePropertiesKHR().length,
    ]);
    assertEquals(Object.fromEntries(planes), { able: 1, empty: 0, plain: 0 });
  });
});
