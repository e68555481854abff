import { assert, assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { peek32, peek64, poke32 } from "../../../../ffi/machine.ts";
import { layoutOf } from "../../../../loader/codec/layout/layout.ts";
import { placesOf } from "../../../../loader/layers/define/device_changes.ts";
import { defineDriver } from "../../../../loader/drivers.ts";
import { deviceLimits } from "../../../../workbench/layers.ts";
import { loadVulkan, VulkanError } from "../../../../loader/mod.ts";
import type { VkPhysicalDevice } from "../../../../loader/types.ts";
import {
  VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
} from "../../../../loader/vk.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withScripted } from "./scripted.ts";

const TIMELINE = {
  sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
  timelineSemaphore: true,
} as const;
const CARD = {
  extensions: ["VK_KHR_swapchain", "VK_KHR_maintenance1", "VK_EXT_robustness2"],
  features: { geometryShader: true, wideLines: true },
  properties: { limits: { maxImageDimension2D: 16384, maxComputeWorkGroupCount: [9, 9, 9], nonCoherentAtomSize: 64n } },
  chain: [
    TIMELINE,
    {
      sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES,
      maxMultiviewViewCount: 8,
      maxMultiviewInstanceIndex: 7,
    },
  ],
} as const;
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const QUEUES = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];

function names(gpu: VkPhysicalDevice): string[] {
  return gpu.vkEnumerateDeviceExtensionProperties(null).map(({ extensionName }) => extensionName);
}

Deno.test("deviceLimits() hides device extensions from the list, whatever room there is in it", () => {
  const { layer } = deviceLimits({ hideExtensions: ["VK_KHR_maintenance1"] });
  withScripted([], ({ instance, gpu }) => {
    instance.attach(layer);
    assertEquals(names(gpu), ["VK_KHR_swapchain", "VK_EXT_robustness2"]);
    const memory = arena(), mark = memory.mark(), count = memory.alloc(4), out = memory.alloc(3 * 260);
    const list = (room: number, to = memory.address(out)) => {
      memory.view.setUint32(count, room, true);
      memory.bytes.fill(7, out, out + 3 * 260);
      const result = gpu.raw.vkEnumerateDeviceExtensionProperties(gpu.handle, 0n, memory.address(count), to);
      return [result, memory.view.getUint32(count, true), memory.bytes[out + 260]];
    };
    assertEquals([list(9, 0n), list(3), list(2), list(1), list(0)].map(([result, length]) => [result, length]), [
      [0, 2],
      [0, 2],
      [0, 2],
      [5, 1],
      [5, 0],
    ]);
    assertEquals(list(1)[2], 7);
    memory.release(mark);
  }, { physicalDevices: [CARD] });
});

Deno.test("deviceLimits() hides features in every struct that has them", () => {
  const { layer } = deviceLimits({ hideFeatures: ["geometryShader", "timelineSemaphore"] });
  withScripted([layer], ({ gpu }) => {
    const { geometryShader, wideLines } = gpu.vkGetPhysicalDeviceFeatures();
    assertEquals([geometryShader, wideLines], [false, true]);
    const { features, pNext } = gpu.vkGetPhysicalDeviceFeatures2([{ sType: TIMELINE.sType }]);
    assertEquals([features.geometryShader, features.wideLines], [false, true]);
    assertEquals((pNext as { timelineSemaphore: boolean }[])[0].timelineSemaphore, false);
  }, { physicalDevices: [CARD] });
});

Deno.test("deviceLimits() changes limits, properties and formats, and leaves the rest as the driver has it", () => {
  const { layer } = deviceLimits({
    limits: { maxImageDimension2D: 2048, maxComputeWorkGroupCount: [1, 2, 3] },
    properties: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES, maxMultiviewViewCount: 2 }],
    formats: { 37: { optimalTilingFeatures: 0x8000_0001 } },
  });
  withScripted([layer], ({ gpu }) => {
    const { limits } = gpu.vkGetPhysicalDeviceProperties();
    assertEquals([limits.maxImageDimension2D, limits.nonCoherentAtomSize], [2048, 64n]);
    assertEquals(limits.maxComputeWorkGroupCount, [1, 2, 3]);
    const { properties, pNext } = gpu.vkGetPhysicalDeviceProperties2([
      { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES },
    ]);
    assertEquals(properties.limits, limits);
    const [multiview] = pNext as { maxMultiviewViewCount: number; maxMultiviewInstanceIndex: number }[];
    assertEquals([multiview.maxMultiviewViewCount, multiview.maxMultiviewInstanceIndex], [2, 7]);
    const changed = { linearTilingFeatures: 0, optimalTilingFeatures: 0x8000_0001, bufferFeatures: 0 };
    assertEquals(gpu.vkGetPhysicalDeviceFormatProperties(37), changed);
    assertEquals(gpu.vkGetPhysicalDeviceFormatProperties(38).linearTilingFeatures, 5);
    const format = gpu.vkGetPhysicalDeviceFormatProperties2(37, [{ sType: VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3 }]);
    assertEquals(format.formatProperties, changed);
    assertEquals((format.pNext as { optimalTilingFeatures: bigint }[])[0].optimalTilingFeatures, 0x8000_0001n);
  }, {
    physicalDevices: [CARD],
    commands: {
      vkGetPhysicalDeviceFormatProperties(next, gpu, format, out) {
        next(gpu, format, out);
        new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(out)!, 12)).fill(5);
      },
    },
  });
});

Deno.test("deviceLimits() refuses a device that enables what is hidden, and says why", () => {
  const { layer, refused, set } = deviceLimits({
    hideExtensions: ["VK_KHR_swapchain"],
    hideFeatures: ["geometryShader", "timelineSemaphore"],
  });
  withScripted([], ({ instance, gpu, driver }) => {
    instance.attach(layer);
    driver.calls.length = 0;
    const refuse = (result: number, info: Parameters<typeof gpu.vkCreateDevice>[0]) => {
      const error = assertThrows(() => gpu.vkCreateDevice({ ...info, pQueueCreateInfos: QUEUES }), VulkanError);
      assertEquals(error.code, result);
    };
    refuse(-7, { ppEnabledExtensionNames: ["VK_KHR_maintenance1", "VK_KHR_swapchain"], pNext: [TIMELINE] } as never);
    refuse(-8, { pEnabledFeatures: { geometryShader: true, wideLines: true } } as never);
    refuse(-8, { pNext: [TIMELINE] } as never);
    const sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    refuse(-8, { pNext: [{ sType, timelineSemaphore: true }] } as never);
    refuse(-8, {
      pNext: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, features: { geometryShader: true } }],
    } as never);
    assertEquals(refused.map(({ names }) => names.join()), [
      "VK_KHR_swapchain",
      "geometryShader",
      "timelineSemaphore",
      "timelineSemaphore",
      "geometryShader",
    ]);
    assert(!driver.calls.includes("vkCreateDevice"));
    gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES, pEnabledFeatures: { wideLines: true } }).close();
    set({ hideExtensions: [] });
    gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES, ppEnabledExtensionNames: ["VK_KHR_swapchain"] }).close();
    refuse(-8, { pNext: [TIMELINE] } as never);
  }, { physicalDevices: [CARD] });
});

Deno.test("deviceLimits() can be changed in the middle of a test, and refuses what does not exist without changing", () => {
  const { layer, set } = deviceLimits({ limits: { maxImageDimension2D: 1 } });
  withScripted([layer], ({ gpu }) => {
    const dimension = () => gpu.vkGetPhysicalDeviceProperties().limits.maxImageDimension2D;
    set({ hideExtensions: CARD.extensions });
    assertEquals([dimension(), names(gpu)], [1, []]);
    assertThrows(() => set({ hideFeatures: ["geometryShadder"] }), TypeError, "is it geometryShader?");
    assertThrows(() => set({ limits: { maxImageDimension4D: 3 } as never }), TypeError, "maxImageDimension4D");
    assertThrows(() => set({ properties: [{ sType: 999_999_999 as never }] }), TypeError, "999999999");
    assertEquals(dimension(), 1);
    set({ limits: {} });
    assertEquals(dimension(), 16384);
  }, { physicalDevices: [{ ...CARD, extensions: [] }] });
});

Deno.test("deviceLimits() makes lavapipe a smaller card", needs("Mesa lavapipe", lavapipePath()), () => {
  const { layer, refused } = deviceLimits({
    hideExtensions: ["VK_KHR_swapchain"],
    hideFeatures: ["robustBufferAccess"],
    limits: { maxImageDimension2D: 1024 },
  });
  using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [layer] });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const shown = names(gpu);
  assert(shown.length > 20 && !shown.includes("VK_KHR_swapchain"));
  assertEquals(gpu.vkGetPhysicalDeviceProperties().limits.maxImageDimension2D, 1024);
  assertEquals(gpu.vkGetPhysicalDeviceFeatures().robustBufferAccess, false);
  const pEnabledFeatures = { robustBufferAccess: true };
  assertThrows(() => gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES, pEnabledFeatures }), VulkanError, "FEATURE_NOT");
  assertEquals(refused, [{ result: -8, names: ["robustBufferAccess"] }]);
});

Deno.test("deviceLimits() passes on what goes wrong in listing extensions, and takes a list that never becomes whole", () => {
  const { layer, set } = deviceLimits({});
  let result = 0;
  withScripted([layer], ({ gpu }) => {
    set({ hideExtensions: ["VK_KHR_swapchain"] });
    result = -1;
    assertThrows(() => names(gpu), VulkanError, "OUT_OF_HOST_MEMORY");
    result = 5;
    assertEquals(names(gpu), ["VK_KHR_maintenance1", "VK_EXT_robustness2"]);
  }, {
    physicalDevices: [CARD],
    commands: {
      vkEnumerateDeviceExtensionProperties: (next, ...args) =>
        next(...args) || (args[3] === 0n ? Math.min(result, 0) : result),
    },
  });
});

Deno.test("deviceLimits() shows extensions in another revision, adds some and hides those of instances", () => {
  const { layer, set } = deviceLimits({
    showExtensions: { VK_KHR_maintenance1: 7, VK_KHR_video_queue: 8, VK_EXT_debug_report: 3 },
  });
  using driver = defineDriver({
    name: "cards",
    physicalDevices: [CARD],
    instanceExtensions: ["VK_EXT_debug_report", "VK_EXT_debug_utils"],
  });
  using vulkan = loadVulkan({ driver, layers: [layer] });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const shown = gpu.vkEnumerateDeviceExtensionProperties(null).map((each) => [each.extensionName, each.specVersion]);
  assertEquals(shown.slice(1, 2), [["VK_KHR_maintenance1", 7]]);
  assertEquals(shown.slice(3), [["VK_KHR_video_queue", 8]]);
  const ofInstances = () =>
    vulkan.vkEnumerateInstanceExtensionProperties().map((each) => [each.extensionName, each.specVersion]);
  assertEquals(ofInstances()[0], ["VK_EXT_debug_report", 3]);
  set({ hideExtensions: ["VK_EXT_debug_report"] });
  assertEquals(ofInstances().map(([name]) => name), ["VK_EXT_debug_utils"]);
});

Deno.test("deviceLimits() hides commands from those who ask for their addresses, and changes what a device is", () => {
  const { layer, set } = deviceLimits({
    hideCommands: ["vkCmdDraw", "vkGetPhysicalDeviceFeatures"],
    physicalDevice: { apiVersion: 0x401000, deviceType: 1, deviceName: "smaller" },
  });
  withScripted([layer], ({ instance, gpu, device }) => {
    const found = () => [
      device.vkGetDeviceProcAddr("vkCmdDraw") !== 0n,
      device.vkGetDeviceProcAddr("vkCmdDispatch") !== 0n,
      instance.vkGetInstanceProcAddr("vkGetPhysicalDeviceFeatures") !== 0n,
      instance.vkGetInstanceProcAddr("vkGetPhysicalDeviceProperties") !== 0n,
    ];
    assertEquals(found(), [false, true, false, true]);
    const { apiVersion, deviceType, deviceName, limits } = gpu.vkGetPhysicalDeviceProperties();
    assertEquals([apiVersion, deviceType, deviceName], [0x401000, 1, "smaller"]);
    assertEquals(limits.maxImageDimension2D, 16384);
    assertEquals(gpu.vkGetPhysicalDeviceProperties2().properties.deviceName, "smaller");
    assertThrows(() => set({ hideCommands: ["vkCmdDrawAll"] }), TypeError, 'Cannot hide command "vkCmdDrawAll"');
    set({ hideCommands: [] });
    assertEquals(found(), [true, true, true, true]);
  }, { physicalDevices: [CARD] });
});

Deno.test("deviceLimits() changes what semaphores and fences are exported and imported as", () => {
  const { layer } = deviceLimits({
    externalSemaphores: { 0x10: { externalSemaphoreFeatures: 3, compatibleHandleTypes: 0x10 } },
    externalFences: { 0x8: { externalFenceFeatures: 1 }, 0x1: {} },
  });
  withScripted([layer], ({ gpu }) => {
    const semaphore = (handleType: number) => gpu.vkGetPhysicalDeviceExternalSemaphoreProperties({ handleType });
    const fence = (handleType: number) => gpu.vkGetPhysicalDeviceExternalFenceProperties({ handleType });
    assertEquals([semaphore(0x10), semaphore(1)].map((each) => each.externalSemaphoreFeatures), [3, 2]);
    assertEquals(semaphore(0x10).compatibleHandleTypes, 0x10);
    assertEquals([fence(8), fence(1), fence(2)].map((each) => each.externalFenceFeatures), [1, 0, 2]);
  }, {
    physicalDevices: [CARD],
    commands: {
      vkGetPhysicalDeviceExternalSemaphoreProperties: (_next, _gpu, _info, out) => poke32(out + 24n, 2),
      vkGetPhysicalDeviceExternalFenceProperties: (_next, _gpu, _info, out) => poke32(out + 24n, 2),
    },
  });
});

Deno.test("deviceLimits() changes a fact in every struct that tells it", () => {
  const [maintenance3, vulkan11, subgroups] = [1000168000, 50, 1000094000];
  const told = (...properties: object[]) => {
    const { layer } = deviceLimits({ properties: properties as never });
    let found: Record<string, unknown>[] = [];
    withScripted([layer], ({ gpu }) => {
      const chain = [maintenance3, vulkan11, subgroups] as never;
      found = gpu.vkGetPhysicalDeviceProperties2(chain).pNext as unknown as typeof found;
    }, { physicalDevices: [CARD] });
    const [three, eleven, sub] = found;
    return [
      [three.maxMemoryAllocationSize, eleven.maxMemoryAllocationSize],
      [sub.subgroupSize, eleven.subgroupSize],
      [sub.supportedStages, eleven.subgroupSupportedStages],
    ];
  };
  const smaller = { sType: maintenance3, maxMemoryAllocationSize: 65536n };
  const waves = { sType: subgroups, subgroupSize: 2, supportedStages: 0x20 };
  assertEquals(told(smaller, waves), [[65536n, 65536n], [2, 2], [0x20, 0x20]]);
  const whole = { sType: vulkan11, maxMemoryAllocationSize: 7n, subgroupSize: 3, subgroupSupportedStages: 1 };
  assertEquals(told(whole), [[7n, 7n], [3, 3], [1, 1]]);
  assertEquals(told(smaller, whole), [[65536n, 7n], [3, 3], [1, 1]]); // as it is told to
});

Deno.test("each fact of a version's structs has a second place, but for those that came with the version", () => {
  const alone = [11, 12, 13, 14].flatMap((version) =>
    ["Features", "Properties"].flatMap((kind) => {
      const struct = `VkPhysicalDeviceVulkan${version}${kind}`;
      return layoutOf(struct).fields.slice(2).map(({ name }) => name).filter((name) =>
        placesOf(struct, name).length < 2
      );
    })
  );
  assertEquals(alone, [ // features that extensions are, limits that came with the version
    "samplerMirrorClampToEdge",
    "drawIndirectCount",
    "descriptorIndexing",
    "samplerFilterMinmax",
    "shaderOutputViewportIndex",
    "shaderOutputLayer",
    "subgroupBroadcastDynamicId",
    "framebufferIntegerColorSampleCounts",
    "maxInlineUniformTotalSize",
    "pushDescriptor",
    "dynamicRenderingLocalReadDepthStencilAttachments",
    "dynamicRenderingLocalReadMultisampledAttachments",
  ]);
});

Deno.test("deviceLimits() and what images of a format can be agree in every query", LAVAPIPE, () => {
  const { layer, set } = deviceLimits({ formats: { 37: {} }, limits: { maxImageDimension2D: 1024 } });
  using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [layer] });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } });
  const [gpu] = instance.vkEnumeratePhysicalDevices(), SAMPLED = 4, STORAGE = 8, EXTENDED = 0x100;
  const answers = (format: number, tiling: number, usage: number, flags = 0) => {
    const one = (ask: () => { maxExtent: { width: number; height: number }; maxMipLevels: number }) => {
      try {
        const { maxExtent, maxMipLevels } = ask();
        return [maxExtent.width, maxExtent.height, maxMipLevels];
      } catch (error) {
        return (error as VulkanError).code;
      }
    };
    const first = one(() => gpu.vkGetPhysicalDeviceImageFormatProperties(format, 1, tiling, usage, flags));
    const second = one(() =>
      gpu.vkGetPhysicalDeviceImageFormatProperties2({ format, type: 1, tiling, usage, flags }).imageFormatProperties
    );
    assertEquals(second, first);
    const sparse = gpu.vkGetPhysicalDeviceSparseImageFormatProperties(format, 1, 1, usage, tiling);
    const sparse2 = gpu.vkGetPhysicalDeviceSparseImageFormatProperties2({ format, type: 1, samples: 1, usage, tiling });
    assertEquals(sparse2.length, sparse.length);
    if (first === -11 && flags === 0) assertEquals(sparse, []);
    return first;
  };
  const whole = [1024, 1024, 11];
  assertEquals([answers(37, 0, SAMPLED), answers(37, 1, SAMPLED), answers(37, 0, SAMPLED, EXTENDED)], [-11, -11, -11]);
  assertEquals(answers(44, 0, SAMPLED), whole);
  set({ formats: { 37: { optimalTilingFeatures: 1 } } });
  assertEquals([answers(37, 0, SAMPLED), answers(37, 1, SAMPLED)], [whole, -11]);
  assertEquals([answers(37, 0, SAMPLED | STORAGE), answers(37, 0, STORAGE, EXTENDED)], [-11, whole]);
  set({ formats: {}, limits: {} });
  assert((answers(37, 0, SAMPLED | STORAGE) as number[])[0] > 1024);
});

Deno.test("deviceLimits() takes the features of a format from its modifiers", () => {
  const lists = [[1000158000, false], [1000158006, true]] as const;
  const { layer, set } = deviceLimits({ formats: { 37: { linearTilingFeatures: 0x4001 } } });
  withScripted([layer], ({ gpu }) => {
    const told = (list: typeof lists[number]) => {
      using block = new NativeBlock(128);
      const { address, view } = block, sType = list[0];
      view.setUint32(0, sType, true); // the list, then its elements
      view.setUint32(16, 2, true);
      view.setBigUint64(24, address + 64n, true);
      gpu.vkGetPhysicalDeviceFormatProperties2(37, [address] as never);
      const [size, at] = list[1] ? [24, 16] : [16, 12];
      return [view.getUint32(16, true), ...[0, 1].map((index) => view.getUint32(64 + size * index + at, true))];
    };
    assertEquals(lists.map(told), [[2, 0x4001, 1], [2, 0x4001, 1]]);
    set({ formats: { 37: {} } });
    assertEquals(lists.map((list) => told(list)[0]), [0, 0]);
  }, {
    physicalDevices: [CARD],
    commands: {
      vkGetPhysicalDeviceFormatProperties2(_next, _gpu, _format, out) {
        const list = peek64(out + 8n), elements = peek64(list + 24n), isWide = peek32(list) === 1000158006;
        for (const [index, features] of [0xf0ff, 0x81].entries()) {
          poke32(
            elements + BigInt((isWide ? 24 : 16) * index + (isWide ? 16 : 12)),
            features | 1 | (index ? 0 : 0x4000),
          );
        }
      },
    },
  });
});
