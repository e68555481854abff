import "../../support/warm_loader.ts";
import { assertEquals } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { Library } from "../../../ffi/library.ts";
import { invoke } from "../../../ffi/machine.ts";
import { fixture, NEEDS_FIXTURE } from "../../ffi/fixture.ts";
import { cards, withDrivers } from "../terminator/linux/drivers.ts";

Deno.test(
  "an instance that another thread destroyed is destroyed in the drivers when the loader looks",
  NEEDS_FIXTURE,
  () => {
    withDrivers([cards("one", "A"), cards("two", "B")], ({ vulkan, drivers }) => {
      using installed = vulkan.install();
      using library = Library.open("libvulkan.so.1");
      vulkan.vkCreateInstance({}).close(); // what stays for good is there
      const live = () => drivers.map((driver) => driver.live("VkInstance")), before = openBlocks();
      const { handle } = vulkan.vkCreateInstance({});
      assertEquals([live(), installed.instances().length], [[1, 1], 1]);
      // The other thread is waited for, so it must not need this one.
      invoke(fixture("call_result_on_thread"), "s:qq", [library.require("vkDestroyInstance"), handle]);
      assertEquals([installed.instances(), live(), openBlocks()], [[], [0, 0], before]);
    });
  },
);

Deno.test("a surface that another thread destroyed goes with its instance", NEEDS_FIXTURE, () => {
  const names = ["VK_KHR_surface", "VK_EXT_headless_surface"];
  withDrivers([{ ...cards("one", "A"), instanceExtensions: names }], ({ vulkan, drivers: [driver] }) => {
    using installed = vulkan.install();
    using library = Library.open("libvulkan.so.1");
    const instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: names });
    instance.vkCreateHeadlessSurfaceEXT({});
    assertEquals(driver.live("VkSurfaceKHR"), 1);
    invoke(fixture("call_result_on_thread"), "s:qq", [library.require("vkDestroyInstance"), instance.handle]);
    assertEquals([installed.instances(), driver.live("VkSurfaceKHR")], [[], 0]);
  });
});
