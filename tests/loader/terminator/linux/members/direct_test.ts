import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createThunk } from "../../../../../ffi/thunk/thunk.ts";
import { defineDriver } from "../../../../../loader/drivers.ts";
import { VulkanError } from "../../../../../loader/mod.ts";
import type { ScriptedDriver } from "../../../../../loader/drivers.ts";
import type { Vulkan } from "../../../../../loader/mod.ts";
import { cards, deviceNames, withDrivers } from "../drivers.ts";

const EXTENSION = "VK_LUNARG_direct_driver_loading", LIST = 1000459001, INFO = 1000459000;
const EXCLUSIVE = 0, INCLUSIVE = 1;

/** The create info that hands over drivers by these addresses. */
function handing(addresses: readonly bigint[], mode: number, ppEnabledExtensionNames = [EXTENSION]) {
  const pDrivers = addresses.map((pfnGetInstanceProcAddr) => ({ sType: INFO, pfnGetInstanceProcAddr } as const));
  return { ppEnabledExtensionNames, pNext: [{ sType: LIST, mode, pDrivers } as const] };
}

/** The devices of an instance that is given these drivers. */
function devicesOf(vulkan: Vulkan, drivers: readonly ScriptedDriver[], mode: number): string[] {
  using instance = vulkan.vkCreateInstance(handing(drivers.map((each) => each.getInstanceProcAddr), mode));
  return deviceNames(instance);
}

/** Two drivers to hand over. */
function withDirect(use: (one: ScriptedDriver, two: ScriptedDriver) => void): void {
  using one = defineDriver(cards("one", "A")), two = defineDriver(cards("two", "B"));
  use(one, two);
}

Deno.test("acceptance 38: direct drivers alone, several, and beside the others", () => {
  withDirect((one, two) => {
    withDrivers([cards("usual", "U")], ({ vulkan }) => {
      assertEquals(devicesOf(vulkan, [one], EXCLUSIVE), ["A"]);
      assertEquals(devicesOf(vulkan, [one, two], EXCLUSIVE), ["B", "A"]);
      assertEquals(devicesOf(vulkan, [one, two], INCLUSIVE), ["U", "B", "A"]);
      using plain = vulkan.vkCreateInstance({});
      assertEquals(deviceNames(plain), ["U"]);
    });
  });
});

Deno.test("acceptance 38: instances and devices of direct drivers are destroyed with ours", () => {
  withDirect((one) => {
    withDrivers([cards("usual", "U")], ({ vulkan }) => {
      {
        using instance = vulkan.vkCreateInstance(handing([one.getInstanceProcAddr], INCLUSIVE));
        const gpu = instance.vkEnumeratePhysicalDevices().at(-1)!;
        using _device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
        assertEquals([one.live("VkInstance"), one.live("VkDevice")], [1, 1]);
      }
      assertEquals([one.live("VkInstance"), one.live("VkDevice")], [0, 0]);
    });
  });
});

Deno.test("acceptance 39: an exclusive list leaves out what VK_DRIVER_FILES or the caller names", () => {
  withDirect((one) => {
    const env = { VK_DRIVER_FILES: "/nowhere/icd.json" };
    withDrivers([cards("usual", "U")], ({ vulkan }) => assertEquals(devicesOf(vulkan, [one], EXCLUSIVE), ["A"]), env);
  });
});

Deno.test("acceptance 40: NULL functions, empty lists, drivers that do not negotiate: left out, and said", () => {
  using old = createThunk("q:qq", () => 0n);
  withDirect((one) => {
    withDrivers([cards("usual", "U")], ({ vulkan, said }) => {
      const devices = (addresses: bigint[], mode: number) => {
        using instance = vulkan.vkCreateInstance(handing(addresses, mode));
        return deviceNames(instance);
      };
      const refused = (addresses: bigint[]) =>
        assertThrows(() => vulkan.vkCreateInstance(handing(addresses, EXCLUSIVE)), VulkanError).code;
      assertEquals(devices([0n, one.getInstanceProcAddr], EXCLUSIVE), ["A"]);
      assertEquals(devices([0n], INCLUSIVE), ["U"]);
      assertEquals(devices([old.address, one.getInstanceProcAddr], EXCLUSIVE), ["A"]);
      assertEquals([refused([]), refused([0n]), refused([old.address])], [-9, -9, -9]);
      for (
        const part of [
          "index 0 contains a NULL pointer",
          "Could not get 'vk_icdNegotiateLoaderICDInterfaceVersion' from VkDirectDriverLoadingInfoLUNARG structure at index 0",
          "driverCount member with a value of zero",
        ]
      ) {
        assertStringIncludes(said.join("\n"), part);
      }
    });
  });
});

Deno.test("acceptance 40: without the extension the list is ignored, and that is said", () => {
  withDirect((one) => {
    withDrivers([cards("usual", "U")], ({ vulkan, said }) => {
      using instance = vulkan.vkCreateInstance(handing([one.getInstanceProcAddr], EXCLUSIVE, []));
      assertEquals(deviceNames(instance), ["U"]);
      assertStringIncludes(said.join("\n"), `but the ${EXTENSION} extension was not enabled.`);
    });
  });
});
