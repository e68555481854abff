import { assertEquals, assertNotEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { defineDriver, type ScriptedDriver } from "../../../loader/drivers.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import type { VkInstance } from "../../../loader/types.ts";
import { CHAINS, unchanged } from "./create_info.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const VK_INCOMPLETE = 5;

function threeDevices(): ScriptedDriver {
  const physicalDevices = ["a", "b", "c"].map((deviceName) => ({ properties: { deviceName } }));
  return defineDriver({ name: "three", physicalDevices });
}

/** Enumerates with room for `room` devices: the result, the count that came back and the handles. */
function enumerate(instance: VkInstance, room: number): { result: number; count: number; handles: bigint[] } {
  const memory = arena(), mark = memory.mark(), count = memory.alloc(4), out = memory.alloc(8 * room);
  memory.view.setUint32(count, room, true);
  const [counts, handles] = [memory.address(count), memory.address(out)];
  const result = instance.raw.vkEnumeratePhysicalDevices(instance.handle, counts, handles),
    found = memory.view.getUint32(count, true);
  const list = Array.from({ length: found }, (_, index) => memory.view.getBigUint64(out + 8 * index, true));
  memory.release(mark);
  return { result, count: found, handles: list };
}

for (const { name, layers, ignore } of CHAINS) {
  Deno.test(`acceptance 2: vkCreateDevice leaves its create info as it was (${name})`, { ignore }, () => {
    using driver = defineDriver({ name: "const", physicalDevices: [{ extensions: ["VK_KHR_maintenance1"] }] });
    using vulkan = loadVulkan({ driver, layers });
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 1 << 22 | 3 << 12 } });
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    const info = {
      ...QUEUE,
      ppEnabledExtensionNames: ["VK_KHR_maintenance1"],
      pNext: [{ sType: 51 }, { sType: 53, synchronization2: true }],
    };
    unchanged("VkDeviceCreateInfo", info, (at, out) => gpu.raw.vkCreateDevice(gpu.handle, at, 0n, out));
    assertEquals(driver.live("VkDevice"), 1);
  });

  Deno.test(`acceptance 19 and 20: physical devices are enumerated in one call, in two, and in parts (${name})`, {
    ignore,
  }, () => {
    using driver = threeDevices();
    using vulkan = loadVulkan({ driver, layers });
    using instance = vulkan.vkCreateInstance({});
    const memory = arena(), mark = memory.mark(), count = memory.alloc(4);
    assertEquals(instance.raw.vkEnumeratePhysicalDevices(instance.handle, memory.address(count), 0n), 0);
    assertEquals(memory.view.getUint32(count, true), 3);
    memory.release(mark);
    const all = enumerate(instance, 3);
    assertEquals([all.result, new Set(all.handles).size], [0, 3]);
    assertEquals(enumerate(instance, 8), all);
    for (const room of [0, 1, 2]) {
      assertEquals(enumerate(instance, room), {
        result: VK_INCOMPLETE,
        count: room,
        handles: all.handles.slice(0, room),
      });
    }
    assertEquals(enumerate(instance, 3), all);
    assertEquals(instance.vkEnumeratePhysicalDevices().map(({ handle }) => handle), all.handles);
  });
}

Deno.test("acceptance 31: layers named for a device are not looked at", () => {
  using driver = defineDriver({ name: "device layers" });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ ...QUEUE, ppEnabledLayerNames: ["VK_LAYER_NOBODY_has"] });
  assertEquals([device.vkDeviceWaitIdle(), driver.live("VkDevice")], [undefined, 1]);
});

Deno.test("acceptance 32: three devices live and go in any order, each with its own queues and commands", () => {
  const waits: bigint[] = [];
  using driver = defineDriver({
    name: "three",
    physicalDevices: [{}, {}, {}],
    commands: {
      vkDeviceWaitIdle(_next, device) {
        waits.push(device);
        return 0;
      },
    },
  });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const [a, b, c] = instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkCreateDevice(QUEUE));
  assertNotEquals(a.vkGetDeviceQueue(0, 0).handle, b.vkGetDeviceQueue(0, 0).handle);
  for (const device of [c, a, b]) device.vkDeviceWaitIdle();
  b.vkDestroyDevice();
  using again = instance.vkEnumeratePhysicalDevices()[1].vkCreateDevice(QUEUE);
  a.vkDestroyDevice();
  for (const device of [again, c]) device.vkDeviceWaitIdle();
  c.vkDestroyDevice();
  again.vkDeviceWaitIdle();
  assertEquals(waits, [c, a, b, again, c, again].map(({ handle }) => handle));
  assertEquals(driver.live("VkDevice"), 1);
});
