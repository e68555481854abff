import { assertEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { invokeAddress, peek64, poke64 } from "../../../ffi/machine.ts";
import { codec } from "../../../loader/codec/codec.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { openDevice } from "../../support/device.ts";
import { CHAINS } from "./create_info.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const API_VERSION = 1 << 22 | 3 << 12;
/** The first word of a handle before the loader has put the address of its table there. */
const LOADER_MAGIC = 0x01cdc0den;

for (const { name, layers, ignore } of CHAINS) {
  Deno.test(`every handle that comes back leads to its dispatch table (${name})`, { ignore }, () => {
    using driver = defineDriver({ name: "handles", physicalDevices: [{ group: "both" }, { group: "both" }] });
    using vulkan = loadVulkan({ driver, layers });
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: API_VERSION } });
    const [group] = instance.vkEnumeratePhysicalDeviceGroups(), table = peek64(instance.handle);
    const members = group.physicalDevices.slice(0, group.physicalDeviceCount);
    assertEquals(members.map((handle) => peek64(handle)), [table, table]);
    const gpus = instance.vkEnumeratePhysicalDevices();
    assertEquals(gpus.map(({ handle }) => handle), members);
    using device = gpus[1].vkCreateDevice(QUEUE);
    const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const allocate = () => device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 3 });
    const first = allocate();
    device.vkFreeCommandBuffers(commandPool, first);
    const again = allocate();
    assertEquals(again.map(({ handle }) => handle).sort(), first.map(({ handle }) => handle).sort());
    const queues = [device.vkGetDeviceQueue(0, 0), device.vkGetDeviceQueue(0, 0), device.vkGetDeviceQueue2({})];
    const words = [...again, ...queues].map(({ handle }) => peek64(handle));
    assertEquals(new Set(words), new Set([peek64(device.handle)]));
    assertEquals(words[0] === LOADER_MAGIC || words[0] === table, false);
    device.vkDestroyCommandPool(commandPool);
  });

  Deno.test(`physical devices enumerated in part lead to their dispatch table (${name})`, { ignore }, () => {
    using driver = defineDriver({ name: "part", physicalDevices: [{}, {}] });
    using vulkan = loadVulkan({ driver, layers });
    using instance = vulkan.vkCreateInstance({});
    const memory = arena(), mark = memory.mark(), count = memory.alloc(4), out = memory.alloc(8);
    memory.view.setUint32(count, 1, true);
    const [counted, to] = [memory.address(count), memory.address(out)];
    assertEquals(instance.raw.vkEnumeratePhysicalDevices(instance.handle, counted, to), 5);
    assertEquals(peek64(memory.view.getBigUint64(out, true)), peek64(instance.handle));
    memory.release(mark);
  });
}

Deno.test("the application's allocator reaches the driver as it is, and none stays none", () => {
  const seen: bigint[] = [];
  using driver = defineDriver({
    name: "allocators",
    commands: {
      vkCreateInstance(next, info, allocator, out) {
        seen.push(allocator);
        return next(info, allocator, out);
      },
      vkCreateDevice(next, gpu, info, allocator, out) {
        seen.push(allocator);
        return next(gpu, info, allocator, out);
      },
    },
  });
  const memory = arena(), mark = memory.mark(), [info, out] = [memory.alloc(64), memory.alloc(8)];
  const callbacks = memory.address(memory.alloc(codec("VkAllocationCallbacks").size));
  codec("VkInstanceCreateInfo").encode({}, info);
  using vulkan = loadVulkan({ driver });
  vulkan.raw.vkCreateInstance(memory.address(info), callbacks, memory.address(out));
  using instance = vulkan.vkCreateInstance({});
  instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE).vkDestroyDevice();
  memory.release(mark);
  assertEquals(seen, [callbacks, 0n, 0n]);
});

Deno.test("a driver that has no queue to give does not bring the loader down", () => {
  const none = (out: bigint) => poke64(out, 0n);
  using driver = defineDriver({
    name: "no queues",
    commands: {
      vkGetDeviceQueue: (_next, _device, _family, _index, out) => none(out),
      vkGetDeviceQueue2: (_next, _device, _info, out) => none(out),
    },
  });
  using open = openDevice({ driver });
  const memory = arena(), mark = memory.mark(), info = memory.alloc(32), out = memory.alloc(8);
  codec("VkDeviceQueueInfo2").encode({}, info);
  const { device } = open, { raw, handle } = device;
  raw.vkGetDeviceQueue(handle, 0, 0, memory.address(out));
  assertEquals(memory.view.getBigUint64(out, true), 0n);
  invokeAddress(device.vkGetDeviceProcAddr("vkGetDeviceQueue2"), "v:qqq", [
    handle,
    memory.address(info),
    memory.address(out),
  ]);
  assertEquals(memory.view.getBigUint64(out, true), 0n);
  memory.release(mark);
});
