import "../../support/warm_loader.ts";
import { assertEquals, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { Library } from "../../../ffi/library.ts";
import { invoke } from "../../../ffi/machine.ts";
import { defineDriver, defineLayer, loadVulkan, VulkanError } from "../../../loader/mod.ts";
import {
  VK_API_VERSION_1_0,
  VK_API_VERSION_1_1,
  VK_MAKE_API_VERSION,
  VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
} from "../../../loader/vk.ts";
import { countingAllocator } from "../../support/allocator.ts";
import { compileFixture } from "../../support/compile.ts";
import { openDevice } from "../../support/device.ts";
import { runPasted } from "../../support/pasted.ts";
import { needs } from "../../support/require.ts";
import { fillAndRead } from "../fill.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const THREADS = compileFixture("ffi");
const OBJECT_NAME = { objectType: 1, objectHandle: 1n, pObjectName: "x" };

Deno.test("a driver in TypeScript says of its devices what it was told, and nothing else", () => {
  using driver = defineDriver({
    name: "two cards",
    instanceExtensions: ["VK_KHR_surface", { extensionName: "VK_EXT_debug_utils", specVersion: 1 }],
    physicalDevices: [{
      properties: { deviceName: "Card A", deviceType: VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, vendorID: 0x10de },
      features: { geometryShader: true },
      memoryProperties: { memoryTypes: [{ propertyFlags: 1, heapIndex: 0 }], memoryHeaps: [{ size: 64n, flags: 1 }] },
      queueFamilies: [{ queueFlags: 2, queueCount: 3 }, { queueFlags: 4, queueCount: 1 }],
      extensions: ["VK_KHR_swapchain"],
    }, {}],
  });
  using vulkan = loadVulkan({ driver });
  assertEquals(vulkan.vkEnumerateInstanceVersion(), VK_MAKE_API_VERSION(0, 1, 3, 0));
  assertEquals(vulkan.vkEnumerateInstanceExtensionProperties(null), [
    { extensionName: "VK_KHR_surface", specVersion: 25 },
    { extensionName: "VK_EXT_debug_utils", specVersion: 1 },
  ]);
  using instance = vulkan.vkCreateInstance({});
  const [a, b, ...rest] = instance.vkEnumeratePhysicalDevices();
  assertEquals(rest, []);
  const { deviceName, deviceType, vendorID, deviceID, limits } = a.vkGetPhysicalDeviceProperties();
  assertEquals([deviceName, deviceType, vendorID, deviceID], ["Card A", 2, 0x10de, 0]);
  assertEquals([limits.maxImageDimension2D, limits.maxClipDistances], [4096, 0]);
  assertEquals(a.vkGetPhysicalDeviceFeatures().geometryShader, true);
  assertEquals(a.vkGetPhysicalDeviceFeatures().wideLines, false);
  assertEquals(a.vkGetPhysicalDeviceMemoryProperties().memoryHeaps[0], { size: 64n, flags: 1 });
  assertEquals(a.vkGetPhysicalDeviceQueueFamilyProperties().map((family) => family.queueCount), [3, 1]);
  assertEquals(a.vkEnumerateDeviceExtensionProperties(null), [{ extensionName: "VK_KHR_swapchain", specVersion: 70 }]);
  assertEquals(b.vkGetPhysicalDeviceProperties().deviceName, "Scripted device");
  assertEquals(b.vkEnumerateDeviceExtensionProperties(null), []);
  assertEquals(b.vkGetPhysicalDeviceMemoryProperties().memoryTypes.length, 1);
});

Deno.test("a driver in TypeScript fills the chains of queries that end in 2 with what it has", () => {
  const deviceUUID = Array.from({ length: 16 }, (_, index) => index);
  using driver = defineDriver({
    name: "chains",
    physicalDevices: [{
      features: { wideLines: true },
      chain: [
        { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, deviceUUID },
        { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, timelineSemaphore: true },
      ],
    }],
  });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const { pNext: [unknown, id] } = gpu.vkGetPhysicalDeviceProperties2([
    1000094000,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  ]);
  assertEquals([id.deviceUUID, unknown.subgroupSize], [deviceUUID, 0]);
  const { features, pNext: [twelve] } = gpu.vkGetPhysicalDeviceFeatures2([
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  ]);
  assertEquals([features.wideLines, twelve.timelineSemaphore, twelve.imagelessFramebuffer], [true, true, false]);
  assertEquals(gpu.vkGetPhysicalDeviceQueueFamilyProperties2().length, 1);
  assertEquals(gpu.vkGetPhysicalDeviceMemoryProperties2([]).memoryProperties.memoryHeaps[0].size, 1n << 28n);
});

Deno.test("a driver in TypeScript keeps count of its objects and calls", () => {
  using driver = defineDriver({ name: "counted" });
  const counts = (...types: string[]) => types.map((type) => driver.live(type));
  {
    using open = openDevice({ driver });
    const { device } = open, pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const buffers = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 3 });
    device.vkFreeCommandBuffers(pool, buffers.slice(1));
    assertEquals(device.vkGetDeviceQueue(0, 0).handle, device.vkGetDeviceQueue(0, 0).handle);
    assertEquals(counts("VkInstance", "VkPhysicalDevice", "VkDevice", "VkQueue"), [1, 1, 1, 1]);
    assertEquals(counts("VkCommandPool", "VkCommandBuffer"), [1, 1]);
    device.vkDestroyCommandPool(pool);
    assertEquals(counts("VkCommandPool", "VkCommandBuffer"), [0, 0]);
    device.vkCreateFence({});
    driver.calls.length = 0;
    device.vkDeviceWaitIdle();
    assertEquals(driver.calls, ["vkDeviceWaitIdle"]);
  }
  assertEquals(driver.calls, ["vkDeviceWaitIdle", "vkDestroyDevice", "vkDestroyInstance"]);
  assertEquals(counts("VkInstance", "VkPhysicalDevice", "VkDevice", "VkQueue", "VkFence"), [0, 0, 0, 0, 1]);
});

Deno.test("a driver in TypeScript runs an application through layers", () => {
  const seen: string[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_seen",
    anyCommand: (name) => (next, ...args) => {
      seen.push(name);
      return next(...args);
    },
  });
  using driver = defineDriver({
    name: "draws zeros",
    commands: {
      vkCmdFillBuffer(next, ...args) {
        seen.push("the driver's own hook");
        next(...args);
      },
    },
  });
  using vulkan = loadVulkan({ driver, layers: [layer] });
  using instance = vulkan.vkCreateInstance({});
  assertEquals(fillAndRead(instance, 7), 0);
  const at = seen.indexOf("vkCmdFillBuffer");
  assertEquals(seen.slice(at, at + 3), ["vkCmdFillBuffer", "the driver's own hook", "vkEndCommandBuffer"]);
  const drawing = driver.calls.slice(driver.calls.indexOf("vkBeginCommandBuffer"));
  assertEquals(drawing.slice(0, 4), [
    "vkBeginCommandBuffer",
    "vkCmdFillBuffer",
    "vkEndCommandBuffer",
    "vkQueueSubmit",
  ]);
  assertEquals(["VkDevice", "VkBuffer", "VkDeviceMemory"].map((type) => driver.live(type)), [0, 0, 0]);
});

Deno.test("a driver in TypeScript refuses layers, extensions and versions it does not have", () => {
  using driver = defineDriver({ name: "small", apiVersion: null, instanceExtensions: ["VK_KHR_surface"] });
  using vulkan = loadVulkan({ driver });
  const refused = (make: () => unknown) => assertThrows(make, VulkanError).result;
  assertEquals(vulkan.vkEnumerateInstanceVersion(), VK_API_VERSION_1_0);
  assertEquals(refused(() => vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_NOBODY_has"] })), -7);
  assertEquals(refused(() => vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_1 } })), -9);
  using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface"] });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  assertEquals(refused(() => gpu.vkCreateDevice({ ...QUEUE, ppEnabledExtensionNames: ["VK_KHR_swapchain"] })), -7);
  assertThrows(() => gpu.vkGetPhysicalDeviceProperties2([]), TypeError, "not available");
  assertEquals(driver.live("VkDevice"), 0);
});

Deno.test("a driver in TypeScript has an extension's device commands only where it is enabled", () => {
  using driver = defineDriver({ name: "swaps", physicalDevices: [{ extensions: ["VK_KHR_swapchain"] }] });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const has = (...ppEnabledExtensionNames: string[]) => {
    using device = gpu.vkCreateDevice({ ...QUEUE, ppEnabledExtensionNames });
    return ["vkCreateSwapchainKHR", "vkCreateFence", "vkSetDebugUtilsObjectNameEXT", "vkCreateInstance"]
      .map((name) => device.vkGetDeviceProcAddr(name) !== 0n);
  };
  assertEquals(has(), [false, true, false, false]);
  assertEquals(has("VK_KHR_swapchain"), [true, true, false, false]);
});

Deno.test("a driver in TypeScript lacks what it is told to, and has what its author wrote", () => {
  using driver = defineDriver({
    name: "odd",
    missing: ["vkCreateFence", "vkGetPhysicalDeviceFeatures2"],
    commands: { vkSetDebugUtilsObjectNameEXT: () => -1 },
    unknownCommands: {
      vkSumTEST: { signature: "w:qw", physicalDevice: true, run: (_gpu, value: number) => value + 1 },
      vkDeviceTEST: { signature: "w:q", run: () => 5 },
    },
  });
  using open = openDevice({ driver });
  assertEquals(open.instance.vkGetInstanceProcAddr("vkCreateFence"), 0n);
  assertEquals(open.device.vkGetDeviceProcAddr("vkCreateFence"), 0n);
  assertThrows(() => open.gpu.vkGetPhysicalDeviceFeatures2([]), TypeError, "not available");
  assertEquals(assertThrows(() => open.device.vkSetDebugUtilsObjectNameEXT(OBJECT_NAME), VulkanError).result, -1);
  const sum = open.instance.vkGetInstanceProcAddr("vkSumTEST");
  assertEquals(invoke(sum, "w:qw", [open.gpu.handle, 4]), 5);
  assertEquals(open.device.vkGetDeviceProcAddr("vkSumTEST"), 0n);
  const device = open.device.vkGetDeviceProcAddr("vkDeviceTEST");
  assertEquals([invoke(device, "w:q", [open.device.handle]), driver.calls.at(-1)], [5, "vkDeviceTEST"]);
});

Deno.test("physical devices come and go while a driver in TypeScript runs; those that stay keep their handles", () => {
  using driver = defineDriver({ name: "hot plug", physicalDevices: [{ properties: { deviceName: "first" } }] });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const handles = () => instance.vkEnumeratePhysicalDevices().map(({ handle }) => handle);
  const [first] = handles();
  driver.physicalDevices.push({ extensions: ["VK_KHR_swapchain"] });
  const [again, second] = handles();
  assertEquals([again, second !== first], [first, true]);
  const [, gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ ...QUEUE, ppEnabledExtensionNames: ["VK_KHR_swapchain"] });
  assertEquals(device.vkGetDeviceProcAddr("vkCreateSwapchainKHR") !== 0n, true);
  driver.physicalDevices.shift();
  assertEquals(handles(), [second]);
});

Deno.test("devices of a driver in TypeScript that name a group are one group", () => {
  using driver = defineDriver({ name: "groups", physicalDevices: [{ group: "pair" }, {}, { group: "pair" }] });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const groups = instance.vkEnumeratePhysicalDeviceGroups();
  const handles = instance.vkEnumeratePhysicalDevices().map(({ handle }) => handle);
  assertEquals(groups.map((group) => group.physicalDevices.slice(0, group.physicalDeviceCount)), [
    [handles[0], handles[2]],
    [handles[1]],
  ]);
});

Deno.test("what a hook of a driver in TypeScript throws reaches the caller", () => {
  using driver = defineDriver({
    name: "thrower",
    commands: {
      vkCreateFence() {
        throw new RangeError("no fences today");
      },
    },
  });
  using open = openDevice({ driver });
  assertThrows(() => open.device.vkCreateFence({}), RangeError, "no fences today");
});

Deno.test("defineDriver() refuses what makes no sense, and leaves nothing open", () => {
  const before = openBlocks();
  assertThrows(() => defineDriver({ name: "" }), TypeError, "without a name");
  assertThrows(() => defineDriver({ name: "x", commands: { vkNope: () => 0 } as never }), TypeError, "vkNope");
  const properties = { deviceNmae: "x" } as never;
  assertThrows(() => defineDriver({ name: "x", physicalDevices: [{ properties }] }), TypeError, "deviceNmae");
  const chain = [{ sType: 77 }] as never;
  assertThrows(() => defineDriver({ name: "x", physicalDevices: [{ chain }] }), TypeError, "sType 77");
  const unknownCommands = { vkTEST: { signature: "s:o", run: () => 0 } };
  assertThrows(() => defineDriver({ name: "x", unknownCommands }), TypeError, '"q"');
  assertEquals(openBlocks(), before);
});

Deno.test("a closed driver in TypeScript leaves nothing open and cannot be used", () => {
  const before = openBlocks(), driver = defineDriver({ name: "closed" });
  openDevice({ driver })[Symbol.dispose]();
  driver.close();
  driver.close();
  assertEquals(openBlocks(), before);
  assertThrows(() => loadVulkan({ driver }), TypeError, "it is closed");
});

Deno.test("a driver in TypeScript allocates through the application's callbacks when it is told to", () => {
  using driver = defineDriver({ name: "allocates", allocates: true });
  using allocator = countingAllocator();
  using vulkan = loadVulkan({ driver });
  const instance = vulkan.vkCreateInstance({}, allocator.callbacks), [gpu] = instance.vkEnumeratePhysicalDevices();
  const device = gpu.vkCreateDevice(QUEUE, allocator.callbacks);
  assertEquals([allocator.live, allocator.calls], [2, 2]);
  const fence = device.vkCreateFence({}, allocator.callbacks);
  allocator.failAt = allocator.calls;
  assertEquals(assertThrows(() => device.vkCreateFence({}, allocator.callbacks), VulkanError).result, -1);
  assertEquals([allocator.live, driver.live("VkFence")], [3, 1]);
  device.vkDestroyFence(fence, allocator.callbacks);
  device.vkDestroyDevice(allocator.callbacks);
  instance.vkDestroyInstance(allocator.callbacks);
  assertEquals(allocator.live, 0);
});

Deno.test("on other threads, commands of a driver in TypeScript succeed at doing nothing and fail at all else", {
  ignore: needs("C compiler (cc)", THREADS).ignore,
}, () => {
  using driver = defineDriver({ name: "threads", commands: { vkQueueWaitIdle: () => 0 } });
  using open = openDevice({ driver });
  using threads = Library.open(THREADS!);
  const onThread = (name: string, handle: bigint) =>
    invoke(threads.require("call_result_on_thread"), "s:qq", [open.device.vkGetDeviceProcAddr(name), handle]);
  assertEquals(onThread("vkDeviceWaitIdle", open.device.handle), 0);
  assertEquals(onThread("vkQueueWaitIdle", open.device.vkGetDeviceQueue(0, 0).handle), -3);
  assertEquals(driver.calls.filter((name) => name.endsWith("WaitIdle")), []);
});

Deno.test("defineDriver()'s example runs as pasted", () => {
  const source = Deno.readTextFileSync(new URL("../../../loader/scripted/define_driver.ts", import.meta.url));
  const example = source.match(/```ts ignore\n([\s\S]*?) \* ```/)![1].replaceAll(/^ \* ?/gm, "");
  const { code, output } = runPasted(example);
  assertEquals(code, 0, output);
});
