import { assert, assertEquals, assertNotEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { peek64 } from "../../../ffi/machine.ts";
import { openBlocks } from "../../../ffi/block.ts";
import { arena } from "../../../ffi/arena.ts";
import { defineLayer, loadVulkan, VulkanError } from "../../../loader/mod.ts";
import type { VkEvent } from "../../../loader/gen/types_core_gen.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { fillAndRead } from "../fill.ts";
import { mappings, openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { NEEDS_TINY, TINY, tinyCount, withTinyDevice } from "../tiny.ts";

const lavapipe = lavapipePath(), swiftshader = swiftshaderPath();
const EVENT = 5n as VkEvent;
const COMMAND_POOL = { queueFamilyIndex: 0 };

Deno.test("loadVulkan() stores its dispatch keys in word 0 of every dispatchable handle", NEEDS_TINY, () => {
  withTinyDevice([], (device) => {
    const pool = device.vkCreateCommandPool(COMMAND_POOL);
    const buffers = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 3 });
    const queue = device.vkGetDeviceQueue(0, 0);
    const keys = [queue, ...buffers].map((object) => peek64(object.handle));
    assertEquals(keys, Array(4).fill(peek64(device.handle)));
    assertNotEquals(peek64(device.handle), 0x1cdc0den);
    device.vkFreeCommandBuffers(pool, buffers);
  });
});

Deno.test("loadVulkan() keeps one object per queue and physical device", NEEDS_TINY, () => {
  using vulkan = loadVulkan({ driver: TINY! });
  using instance = vulkan.vkCreateInstance({});
  assertStrictEquals(instance.vkEnumeratePhysicalDevices()[0], instance.vkEnumeratePhysicalDevices()[0]);
  using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
  assertStrictEquals(device.vkGetDeviceQueue(0, 0), device.vkGetDeviceQueue(0, 0));
});

Deno.test("raw commands take handles and addresses, and return what C returns", NEEDS_TINY, () => {
  withTinyDevice([], (device) => {
    assertEquals(device.raw.vkGetEventStatus(device.handle, 5n), 3);
    assertStrictEquals(device.raw.vkGetEventStatus, device.raw.vkGetEventStatus);
  });
});

Deno.test("both GetProcAddr commands answer by name", NEEDS_TINY, () => {
  using vulkan = loadVulkan({ driver: TINY! });
  using instance = vulkan.vkCreateInstance({});
  assertNotEquals(instance.vkGetInstanceProcAddr("vkEnumeratePhysicalDevices"), 0n);
  assertEquals(instance.vkGetInstanceProcAddr("vkNoSuchCommand"), 0n);
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  assertNotEquals(device.vkGetDeviceProcAddr("vkQueueSubmit"), 0n);
  assertEquals(device.vkGetDeviceProcAddr("vkCreateSwapchainKHR"), 0n);
});

Deno.test("a command the driver does not have throws and does not crash", NEEDS_TINY, () => {
  withTinyDevice([], (device) => {
    assertThrows(() => device.vkDeviceWaitIdle(), TypeError, "vkDeviceWaitIdle is not available on this VkDevice");
    assertThrows(() => device.raw.vkDeviceWaitIdle(device.handle), TypeError, "vkDeviceWaitIdle is not available");
  });
});

Deno.test("wrong arguments throw a TypeError that names the member", NEEDS_TINY, () => {
  withTinyDevice([], (device) => {
    const wrong = (info: unknown) => () => device.vkCreateBuffer(info as { size: bigint });
    assertThrows(wrong({ size: 4n, usag: 2 }), TypeError, "usag");
    assertThrows(wrong({ size: 4, usage: 2 }), TypeError, "VkBufferCreateInfo.size");
    assertThrows(wrong({ size: 4n, usage: "2" }), TypeError, "VkBufferCreateInfo.usage");
    assertThrows(wrong(undefined), TypeError, "vkCreateBuffer: pCreateInfo");
    assertThrows(() => device.vkAllocateCommandBuffers({ level: 0 } as never), TypeError, "commandPool");
    assertThrows(() => device.vkGetEventStatus(null as never), TypeError, "vkGetEventStatus: event");
    assertThrows(() => device.vkGetDeviceQueue("0" as never, 0), TypeError, "vkGetDeviceQueue: queueFamilyIndex");
  });
});

Deno.test("a failed encode leaves the arena as it was", NEEDS_TINY, () => {
  withTinyDevice([], (device) => {
    const before = arena().mark();
    assertThrows(() => device.vkCreateBuffer({ size: 4 } as never), TypeError);
    assertEquals(arena().mark(), before);
  });
});

Deno.test("close() destroys what is left, once, and its objects answer that they are closed", NEEDS_TINY, () => {
  const vulkan = loadVulkan({ driver: TINY! });
  const instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const queue = device.vkGetDeviceQueue(0, 0), { raw } = device;
  assertEquals([tinyCount("live_instances"), tinyCount("live_devices")], [1, 1]);
  vulkan.close();
  vulkan.close();
  instance.close();
  device.close();
  assertThrows(() => queue.vkQueueWaitIdle(), TypeError, "closed");
  assertThrows(() => device.vkGetEventStatus(EVENT), TypeError, "closed");
  assertThrows(() => gpu.vkGetPhysicalDeviceProperties(), TypeError, "closed");
  assertThrows(() => raw.vkQueueSubmit(queue.handle, 0, 0n, 0n), TypeError, "closed");
  assertThrows(() => vulkan.vkCreateInstance({}), TypeError, "closed");
});

Deno.test("a closed loader leaves no file descriptor and no mapping behind", NEEDS_TINY, () => {
  withTinyDevice([], () => {}); // whatever is opened once for the process is open now
  const files = openFiles(), blocks = openBlocks();
  for (let i = 0; i < 20; i++) withTinyDevice([], (device) => void device.vkGetEventStatus(EVENT));
  assertEquals([openFiles(), openBlocks()], [files, blocks]);
  assertEquals(mappings("tiny_driver"), 0);
});

Deno.test("two loaders with two drivers live side by side", {
  ignore: needs("Mesa lavapipe", lavapipe).ignore || needs("SwiftShader", swiftshader).ignore,
}, () => {
  const loaders = [lavapipe!, swiftshader!].map((driver) => loadVulkan({ driver }));
  const instances = loaders.map((vulkan) => vulkan.vkCreateInstance({}));
  const names = instances.map((each) =>
    each.vkEnumeratePhysicalDevices()[0].vkGetPhysicalDeviceProperties().deviceName
  );
  assert(names[0].includes("llvmpipe") && names[1].includes("SwiftShader"), names.join());
  for (const word of [0xdeadbeef, 0x12345678]) {
    assertEquals(instances.map((instance) => fillAndRead(instance, word)), [word, word]);
  }
  loaders[0].close();
  assertEquals(fillAndRead(instances[1], 7), 7);
  loaders[1].close();
});

Deno.test("a layer sees the commands it names, with raw arguments, and may change the result", NEEDS_TINY, () => {
  const seen: unknown[][] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_spy",
    commands: {
      vkGetEventStatus(next, device, event) {
        seen.push([device, event]);
        return next(device, event) + 1;
      },
      vkCreateBuffer(next, ...args) {
        seen.push(args);
        return next(...args);
      },
    },
  });
  withTinyDevice([layer], (device) => {
    assertEquals(device.vkGetEventStatus(EVENT), 4);
    assertEquals(device.raw.vkGetEventStatus(device.handle, 5n), 4);
    device.vkCreateBuffer({ size: 4n, usage: 2 });
    assertEquals(seen.slice(0, 2), [[device.handle, 5n], [device.handle, 5n]]);
    assertEquals(seen[2].map((each) => typeof each), Array(4).fill("bigint"));
    assertEquals(seen[2][2], 0n);
  });
});

Deno.test("layers are called top to bottom", NEEDS_TINY, () => {
  const order: string[] = [];
  const layers = ["top", "middle", "bottom"].map((name) =>
    defineLayer({
      name,
      commands: {
        vkGetEventStatus(next, ...args) {
          order.push(name);
          return next(...args);
        },
      },
    })
  );
  withTinyDevice(layers, (device) => void device.vkGetEventStatus(EVENT));
  assertEquals(order, ["top", "middle", "bottom"]);
});

Deno.test("what a layer throws reaches the caller", NEEDS_TINY, () => {
  const layer = defineLayer({
    name: "VK_LAYER_TEST_thrower",
    commands: {
      vkCreateBuffer() {
        throw new RangeError("no buffers today");
      },
    },
  });
  withTinyDevice([layer], (device) => {
    assertThrows(() => device.vkCreateBuffer({ size: 4n, usage: 2 }), RangeError, "no buffers today");
  });
});

Deno.test("attach() and detach() change the layers of a live instance and its devices", NEEDS_TINY, () => {
  using vulkan = loadVulkan({ driver: TINY! });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const layer = defineLayer({ name: "VK_LAYER_TEST_seven", commands: { vkGetEventStatus: () => 7 } });
  assertEquals(device.vkGetEventStatus(EVENT), 3);
  instance.attach(layer);
  assertEquals(device.vkGetEventStatus(EVENT), 7);
  instance.detach(layer);
  assertEquals(device.vkGetEventStatus(EVENT), 3);
  assertThrows(() => instance.detach(layer), TypeError, "not attached");
});

Deno.test("defineLayer() refuses a command that does not exist and a hook that is no function", () => {
  assertThrows(() => defineLayer({ name: "x", commands: { vkNope: () => 0 } as never }), TypeError, "vkNope");
  assertThrows(() => defineLayer({ name: "x", commands: { vkQueueSubmit: 1 } as never }), TypeError, "number");
  assertThrows(() => defineLayer({ name: "" }), TypeError, "name");
});

Deno.test("loadVulkan() refuses a layer it cannot find and closes the driver again", NEEDS_TINY, () => {
  const before = openFiles();
  assertThrows(() => loadVulkan({ driver: TINY!, layers: ["VK_LAYER_NOBODY_has"] }), Error, "VK_LAYER_NOBODY_has");
  assertEquals([openFiles(), mappings("tiny_driver")], [before, 0]);
});

Deno.test("vkCreateInstance() refuses a layer this loader was not given, and takes those it was", NEEDS_TINY, () => {
  const layer = defineLayer({ name: "VK_LAYER_TEST_given" });
  using vulkan = loadVulkan({ driver: TINY!, layers: [layer] });
  using _instance = vulkan.vkCreateInstance({ ppEnabledLayerNames: ["VK_LAYER_TEST_given"] });
  const error = assertThrows(
    () => vulkan.vkCreateInstance({ ppEnabledLayerNames: ["VK_LAYER_TEST_given", "VK_LAYER_TEST_other"] }),
    VulkanError,
    "no such layers: VK_LAYER_TEST_other; did you mean VK_LAYER_TEST_given?",
  );
  assertEquals([error.code, tinyCount("live_instances")], [-6, 1]);
});
