import { assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { codec } from "../../../loader/codec/codec.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan, VulkanError } from "../../../loader/mod.ts";
import type { VkInstance } from "../../../loader/types.ts";
import { CHAINS } from "./create_info.ts";

const APPLICATION = { pApplicationInfo: { apiVersion: 1 << 22 | 3 << 12 } };
const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const VK_INCOMPLETE = 5;

/** Calls a count-then-fill command with room for one struct. */
function forOne(struct: string, call: (count: bigint, out: bigint) => number): { result: number; count: number } {
  const memory = arena(), mark = memory.mark(), { size, encodeOut } = codec(struct);
  const count = memory.alloc(4), out = memory.alloc(size);
  memory.view.setUint32(count, 1, true);
  encodeOut(undefined, out);
  const result = call(memory.address(count), memory.address(out)), found = memory.view.getUint32(count, true);
  memory.release(mark);
  return { result, count: found };
}

function groupsOf(instance: VkInstance, suffix: "" | "KHR" = ""): bigint[][] {
  const groups = suffix ? instance.vkEnumeratePhysicalDeviceGroupsKHR() : instance.vkEnumeratePhysicalDeviceGroups();
  return groups.map((group) => group.physicalDevices.slice(0, group.physicalDeviceCount));
}

for (const { name, layers, ignore } of CHAINS) {
  Deno.test(
    `acceptance 22 and 26: devices and groups come and go between calls, handles stay (${name})`,
    { ignore },
    () => {
      const stays = { group: "pair" };
      using driver = defineDriver({ name: "changes", physicalDevices: [{}, stays] });
      using vulkan = loadVulkan({ driver, layers });
      using instance = vulkan.vkCreateInstance(APPLICATION);
      const handles = () => instance.vkEnumeratePhysicalDevices().map(({ handle }) => handle);
      const [first, second] = handles();
      assertEquals(groupsOf(instance), [[first], [second]]);
      driver.physicalDevices.push({ group: "pair" });
      const [, , third] = handles();
      assertEquals([handles(), groupsOf(instance)], [[first, second, third], [[first], [second, third]]]);
      driver.physicalDevices.splice(0, 1);
      assertEquals([handles(), groupsOf(instance)], [[second, third], [[second, third]]]);
      driver.physicalDevices.length = 0;
      driver.physicalDevices.push(stays);
      assertEquals([handles(), groupsOf(instance)], [[second], [[second]]]);
    },
  );

  Deno.test(`acceptance 24 and 25: groups are the same by both commands, and enumerated in part (${name})`, {
    ignore,
  }, () => {
    const extension = "VK_KHR_device_group_creation";
    using driver = defineDriver({
      name: "groups",
      instanceExtensions: [extension],
      physicalDevices: [{}, { group: "pair" }, { group: "pair" }],
    });
    using vulkan = loadVulkan({ driver, layers });
    using instance = vulkan.vkCreateInstance({ ...APPLICATION, ppEnabledExtensionNames: [extension] });
    const [a, b, c] = instance.vkEnumeratePhysicalDevices().map(({ handle }) => handle);
    assertEquals([groupsOf(instance), groupsOf(instance, "KHR")], [[[a], [b, c]], [[a], [b, c]]]);
    const { raw, handle } = instance;
    const struct = "VkPhysicalDeviceGroupProperties";
    const part = forOne(struct, (count, out) => raw.vkEnumeratePhysicalDeviceGroups(handle, count, out));
    assertEquals(part, { result: VK_INCOMPLETE, count: 1 });
  });

  Deno.test(`acceptance 33: device extensions are listed whole, in part and not at all (${name})`, { ignore }, () => {
    const extensions = ["VK_KHR_swapchain", "VK_KHR_maintenance1"];
    using driver = defineDriver({ name: "extensions", physicalDevices: [{ extensions }, {}] });
    using vulkan = loadVulkan({ driver, layers });
    using instance = vulkan.vkCreateInstance({});
    const [some, none] = instance.vkEnumeratePhysicalDevices();
    assertEquals(some.vkEnumerateDeviceExtensionProperties(null).map((each) => each.extensionName), extensions);
    assertEquals(none.vkEnumerateDeviceExtensionProperties(null), []);
    const { raw, handle } = some;
    const struct = "VkExtensionProperties";
    const part = forOne(struct, (count, out) => raw.vkEnumerateDeviceExtensionProperties(handle, 0n, count, out));
    assertEquals(part, { result: VK_INCOMPLETE, count: 1 });
  });

  Deno.test(`acceptance 4 and 30: extensions nobody has are refused, and nothing is left (${name})`, { ignore }, () => {
    const ppEnabledExtensionNames = ["VK_NOBODY_has"];
    using driver = defineDriver({ name: "refuses" });
    using vulkan = loadVulkan({ driver, layers });
    const refused = (make: () => unknown) => assertThrows(make, VulkanError).code;
    assertEquals(refused(() => vulkan.vkCreateInstance({ ppEnabledExtensionNames })), -7);
    using instance = vulkan.vkCreateInstance({});
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    assertEquals(refused(() => gpu.vkCreateDevice({ ...QUEUE, ppEnabledExtensionNames })), -7);
    assertEquals([driver.live("VkInstance"), driver.live("VkDevice")], [1, 0]);
  });
}
