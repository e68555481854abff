import { assertEquals, assertStrictEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { defineLayer, DriverError, loadVulkan, type VulkanOptions } from "../../loader/core.ts";
import * as whole from "../../loader/mod.ts";
import { NEEDS_TINY, TINY } from "./tiny.ts";

const LOADER = "@pumice/gfx/loader";

/** A layer that notes the buffers made below it. */
function buffers(name: string, made: string[]) {
  return defineLayer({
    name,
    commands: {
      vkCreateBuffer(next, device, info, allocator, buffer) {
        made.push(name);
        return next(device, info, allocator, buffer);
      },
    },
  });
}

Deno.test("the lean loadVulkan() makes devices with TypeScript layers that come and go", NEEDS_TINY, () => {
  const made: string[] = [], above = buffers("VK_LAYER_TEST_above", made), late = buffers("VK_LAYER_TEST_late", made);
  using vulkan = loadVulkan({ driver: TINY!, layers: [above] });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const make = () => device.vkDestroyBuffer(device.vkCreateBuffer({ size: 64n, usage: 2 }));
  make();
  instance.attach(late);
  make();
  instance.detach(late);
  make();
  assertEquals(made, [above.name, late.name, above.name, above.name]);
});

Deno.test("the lean entry has the same errors and layers as the whole loader's", () => {
  assertStrictEquals(DriverError, whole.DriverError);
  assertStrictEquals(defineLayer, whole.defineLayer);
});

Deno.test(
  "what the lean loadVulkan() does not do is refused, and the error names the entry that does",
  NEEDS_TINY,
  () => {
    const refused: [VulkanOptions, new (...args: never[]) => Error][] = [
      [{ driver: "auto" }, DriverError],
      [{ driver: [TINY!, TINY!] }, TypeError],
      [{ driver: TINY!, layers: ["VK_LAYER_KHRONOS_validation"] }, DriverError],
      [{ driver: TINY!, platform: "android" }, TypeError],
      [{}, DriverError],
    ];
    for (const [options, type] of refused) {
      assertStringIncludes(assertThrows(() => loadVulkan(options), type).message, LOADER, JSON.stringify(options));
    }
    using vulkan = loadVulkan({ driver: TINY! });
    assertStringIncludes(assertThrows(() => vulkan.install(), TypeError).message, LOADER);
    const asked = { ppEnabledLayerNames: ["VK_LAYER_KHRONOS_validation"] };
    assertEquals(assertThrows(() => vulkan.vkCreateInstance(asked), whole.VulkanError).code, -6);
  },
);
