import { assert, assertEquals } from "@std/assert";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan, type Vulkan } from "../../../loader/mod.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { countingAllocator } from "../../support/allocator.ts";
import { needs } from "../../support/require.ts";
import { assertRows, rowsOf } from "../../support/rows.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

/** Ways to end an instance and a device that do not name the allocator again. */
const ENDS: Record<string, (vulkan: Vulkan, allocator: ReturnType<typeof countingAllocator>) => void> = {
  "using": (vulkan, { callbacks }) => {
    using instance = vulkan.vkCreateInstance({}, callbacks);
    using _device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE, callbacks);
  },
  "instance.close()": (vulkan, { callbacks }) => {
    const instance = vulkan.vkCreateInstance({}, callbacks);
    instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE, callbacks);
    instance.close();
  },
  "vulkan.close()": (vulkan, { callbacks }) => {
    vulkan.vkCreateInstance({}, callbacks).vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE, callbacks);
    vulkan.close();
  },
};

for (const [name, end] of Object.entries(ENDS)) {
  Deno.test(`${name} frees what was made with an allocator through the same`, () => {
    using allocator = countingAllocator();
    using driver = defineDriver({ name: "counted", allocates: true });
    using vulkan = loadVulkan({ driver });
    end(vulkan, allocator);
    assert(allocator.calls > 0);
    assertEquals(allocator.live, 0);
  });
}

for (const [name, driver] of [["lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const) {
  Deno.test(`what was made with an allocator is closed with the same (${name})`, needs(name, driver), () => {
    const found = rowsOf("tests/loader/api/programs/allocated.ts", [driver!]);
    assertRows(found, { "using": "nothing left", "instance.close()": "nothing left" });
  });
}
