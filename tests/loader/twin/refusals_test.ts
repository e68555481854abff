import { assert, assertEquals, assertThrows } from "@std/assert";
import { loadVulkan, VulkanError } from "../../../loader/mod.ts";
import type { VkDevice, VkPhysicalDevice } from "../../../loader/types.ts";
import { vkjson } from "../../../loader/vkjson/vkjson.ts";
import * as vk from "../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { type DeviceTwin, deviceTwin, type DeviceTwinOptions } from "../../../workbench/layers.ts";
import { needs } from "../../support/require.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const QUEUES = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];
// deno-lint-ignore no-explicit-any -- a report is edited
type Json = any;

/** The report of lavapipe after a change. */
function edited(change: (device: Json) => void): Json {
  const report = structuredClone(vkjson({ driver: lavapipePath()! })) as Json;
  change(report.devices[0]);
  return report;
}

/** A physical device of lavapipe under a twin. */
function withTwin(
  source: Json,
  use: (gpu: VkPhysicalDevice, twin: DeviceTwin) => void,
  options: DeviceTwinOptions = {},
): void {
  const twin = deviceTwin(source, { log: () => {}, ...options });
  using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [twin.layer] });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: vk.VK_API_VERSION_1_3 } });
  use(instance.vkEnumeratePhysicalDevices()[0], twin);
}

function withDevice(
  change: (device: Json) => void,
  use: (device: VkDevice, twin: DeviceTwin, gpu: VkPhysicalDevice) => void,
  extensions: string[] = [],
): void {
  withTwin(edited(change), (gpu, twin) => {
    using device = gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES, ppEnabledExtensionNames: extensions });
    use(device, twin, gpu);
  });
}

/** Fails unless a call is refused with a result, for a fact, and the sentence names the source. */
function refused(twin: DeviceTwin, result: number, fact: string, call: () => unknown): void {
  const before = twin.refused.length, error = assertThrows(call, VulkanError);
  assertEquals([error.code, twin.refused.length], [result, before + 1]);
  const { facts, text } = twin.refused[before];
  assert(facts.includes(fact), `${facts} for ${fact}`);
  assert(text.includes("(source)"), text);
}

Deno.test("a twin's device has the extensions, features and queues of its source, and no others", LAVAPIPE, () => {
  const source = edited((device) => {
    device.extensions = device.extensions.filter(({ extensionName }: Json) => extensionName !== "VK_KHR_swapchain");
    device.features.geometryShader = 0;
    device.core12.features.timelineSemaphore = 0;
    delete device.VK_KHR_timeline_semaphore;
  });
  withTwin(source, (gpu, twin) => {
    const create = (info: object) => gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES, ...info } as never);
    const swapchain = "VK_KHR_swapchain";
    refused(twin, -7, swapchain, () => create({ ppEnabledExtensionNames: [swapchain] }));
    refused(twin, -8, "geometryShader", () => create({ pEnabledFeatures: { geometryShader: true } }));
    const sType = vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
    const timeline = "timelineSemaphore";
    refused(twin, -8, timeline, () => create({ pNext: [{ sType, timelineSemaphore: true }] }));
    const queues = [{ queueFamilyIndex: 0, pQueuePriorities: [1, 1] }];
    refused(twin, -3, "queueFamilies[0]", () => create({ pQueueCreateInfos: queues }));
    using device = create({});
    assertEquals(device.vkGetDeviceProcAddr("vkCreateSwapchainKHR"), 0n);
    assert(device.vkGetDeviceProcAddr("vkCreateBuffer") !== 0n);
  });
});

Deno.test(
  "an exact twin of what the driver cannot do has no device, and the refusal lists all of it; `used` refuses each use; `common` leaves it out",
  LAVAPIPE,
  () => {
    const source = edited((device) => {
      device.extensions.push({ extensionName: "VK_QCOM_render_pass_transform", specVersion: 4 });
      device.features.sparseBinding = 1;
      device.properties.limits.maxImageDimension2D = 1 << 20;
      device.queues.push({ ...device.queues[0], queueFlags: 8 });
    });
    const feature = { pQueueCreateInfos: QUEUES, pEnabledFeatures: { sparseBinding: true } } as never;
    const extension = { pQueueCreateInfos: QUEUES, ppEnabledExtensionNames: ["VK_QCOM_render_pass_transform"] };
    withTwin(source, (gpu, twin) => {
      assertThrows(() => gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES }), VulkanError);
      const [{ result, facts }] = twin.refused, all = facts.join("\n");
      assertEquals([result, facts.length], [-3, 4], all);
      for (const word of ["VK_QCOM_render_pass", "sparseBinding", "maxImageDimension2D", "queue family 1"]) {
        assert(all.includes(word), all);
      }
      assertEquals(gpu.vkGetPhysicalDeviceProperties().limits.maxImageDimension2D, 1 << 20);
    });
    withTwin(source, (gpu, twin) => {
      gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES }).close();
      refused(twin, -8, "sparseBinding", () => gpu.vkCreateDevice(feature));
      refused(twin, -7, "VK_QCOM_render_pass_transform", () => gpu.vkCreateDevice(extension));
      const queues = [{ queueFamilyIndex: 1, pQueuePriorities: [1] }];
      refused(twin, -3, "queueFamilies[1]", () => gpu.vkCreateDevice({ pQueueCreateInfos: queues }));
    }, { strictness: "used" });
    withTwin(source, (gpu) => {
      assertEquals(gpu.vkGetPhysicalDeviceFeatures().sparseBinding, false);
      assertEquals(gpu.vkGetPhysicalDeviceQueueFamilyProperties().length, 1);
      assert(gpu.vkGetPhysicalDeviceProperties().limits.maxImageDimension2D < 1 << 20);
      const names = gpu.vkEnumerateDeviceExtensionProperties().map(({ extensionName }) => extensionName);
      assert(names.includes("VK_KHR_swapchain") && !names.includes("VK_QCOM_render_pass_transform"));
    }, { strictness: "common" });
  },
);

const HEAPS = [{ size: "0x100000", flags: 1 }, { size: "0x10000", flags: 0 }];
/** Memory of a phone: device-local that the host does not see, and two types that it sees. */
const PHONE_MEMORY = {
  memoryTypeCount: 3,
  memoryTypes: [{ propertyFlags: 1, heapIndex: 0 }, { propertyFlags: 7, heapIndex: 0 }, {
    propertyFlags: 14,
    heapIndex: 1,
  }],
  memoryHeapCount: 2,
  memoryHeaps: HEAPS,
};

Deno.test("a twin keeps account of its heaps, and the budget follows", LAVAPIPE, () => {
  const extension = "VK_EXT_memory_budget";
  withDevice((device) => {
    device.memory = PHONE_MEMORY;
    device.extensions.push({ extensionName: extension, specVersion: 1 });
    device.properties.limits.maxMemoryAllocationCount = 3;
    device.core11.properties.maxMemoryAllocationSize = "0x80000";
    device.maintenance3Properties.maxMemoryAllocationSize = "0x80000";
  }, (device, twin, gpu) => {
    const allocate = (allocationSize: bigint, memoryTypeIndex: number) =>
      device.vkAllocateMemory({ allocationSize, memoryTypeIndex });
    const usage = () => {
      const { pNext } = gpu.vkGetPhysicalDeviceMemoryProperties2([{
        sType: vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT,
      }]);
      const [{ heapUsage, heapBudget }] = pNext as unknown as { heapUsage: bigint[]; heapBudget: bigint[] }[];
      return [...heapUsage.slice(0, 2), ...heapBudget.slice(0, 3)];
    };
    assertEquals(usage(), [0n, 0n, 0x100000n, 0x10000n, 0n]);
    refused(twin, -2, "maxMemoryAllocationSize", () => allocate(0x80001n, 0));
    refused(twin, -2, "memoryHeaps[1]", () => allocate(0x10001n, 2));
    const first = allocate(0x80000n, 0), second = allocate(0x10000n, 2);
    assertEquals(usage(), [0x80000n, 0x10000n, 0x100000n, 0x10000n, 0n]);
    refused(twin, -2, "memoryHeaps[1]", () => allocate(1n, 2));
    refused(twin, -5, "memoryTypes[0]", () => device.vkMapMemory(first, 0n, vk.VK_WHOLE_SIZE));
    device.vkMapMemory(second, 0n, vk.VK_WHOLE_SIZE);
    const third = allocate(0x1000n, 1);
    refused(twin, -10, "maxMemoryAllocationCount", () => allocate(1n, 1));
    for (const memory of [first, second, third]) device.vkFreeMemory(memory);
    assertEquals(usage().slice(0, 2), [0n, 0n]);
    const { memoryTypes } = gpu.vkGetPhysicalDeviceMemoryProperties();
    assertEquals(memoryTypes.map(({ propertyFlags }) => propertyFlags), [1, 7, 14]);
    const buffer = device.vkCreateBuffer({ size: 64n, usage: vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT });
    assertEquals(device.vkGetBufferMemoryRequirements(buffer).memoryTypeBits, 7);
    device.vkDestroyBuffer(buffer);
  }, [extension]);
});

Deno.test("a twin refuses images, views, buffers and samplers that its device could not have", LAVAPIPE, () => {
  withDevice((device) => {
    Object.assign(device.properties.limits, {
      maxImageDimension2D: 512,
      maxImageDimensionCube: 256,
      maxImageArrayLayers: 4,
      maxSamplerAllocationCount: 2,
      maxSamplerAnisotropy: 2,
    });
    device.core13.properties.maxBufferSize = "0x10000";
    delete device.VK_KHR_maintenance4;
    const known = device.formats.filter(([format]: [number]) => format !== 44);
    device.formats = known.map((
      [format, features]: Json,
    ) => [format, format === 37 ? { ...features, optimalTilingFeatures: 1 } : features]);
  }, (device, twin, gpu) => {
    const image = (more: object = {}, width = 64) =>
      device.vkCreateImage({
        imageType: vk.VK_IMAGE_TYPE_2D,
        format: 37,
        extent: { width, height: 64, depth: 1 },
        mipLevels: 1,
        arrayLayers: 1,
        samples: 1,
        tiling: vk.VK_IMAGE_TILING_OPTIMAL,
        usage: vk.VK_IMAGE_USAGE_SAMPLED_BIT,
        ...more,
      } as never);
    device.vkDestroyImage(image());
    refused(twin, -11, "VK_FORMAT_R8G8B8A8_UNORM", () => image({ usage: vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT }));
    refused(twin, -11, "VK_FORMAT_B8G8R8A8_UNORM", () => image({ format: 44 }));
    refused(twin, -11, "maxImageDimension2D", () => image({}, 513));
    refused(twin, -11, "maxImageArrayLayers", () => image({ arrayLayers: 5 }));
    const cube = {
      flags: vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
      extent: { width: 257, height: 257, depth: 1 },
      arrayLayers: 6,
    };
    refused(twin, -11, "maxImageDimensionCube", () => image(cube));
    refused(twin, -2, "maxBufferSize", () => device.vkCreateBuffer({ size: 0x10001n, usage: 2 }));
    const asked = [vk.VK_IMAGE_TYPE_2D, 0, vk.VK_IMAGE_USAGE_SAMPLED_BIT, 0] as const;
    const error = assertThrows(() => gpu.vkGetPhysicalDeviceImageFormatProperties(44, ...asked), VulkanError);
    assertEquals(error.code, -11);
    assertEquals(gpu.vkGetPhysicalDeviceImageFormatProperties(37, ...asked).maxExtent.width, 512);
    const sampler = (more: object = {}) => device.vkCreateSampler({ maxLod: 1, ...more } as never);
    refused(twin, -13, "maxSamplerAnisotropy", () => sampler({ anisotropyEnable: true, maxAnisotropy: 4 }));
    const samplers = [sampler(), sampler()];
    refused(twin, -10, "maxSamplerAllocationCount", () => sampler());
    for (const each of samplers) device.vkDestroySampler(each);
    device.vkDestroySampler(sampler());
  });
});

Deno.test("a twin's pools have no more descriptors and sets than they were made with", LAVAPIPE, () => {
  withDevice(() => {}, (device, twin) => {
    const bindings = [{ binding: 0, descriptorType: 7, descriptorCount: 2, stageFlags: 0x20 }];
    const layout = device.vkCreateDescriptorSetLayout({ pBindings: bindings });
    const pool = device.vkCreateDescriptorPool({ maxSets: 3, flags: 1, pPoolSizes: [{ type: 7, descriptorCount: 4 }] });
    const allocate = () => device.vkAllocateDescriptorSets({ descriptorPool: pool, pSetLayouts: [layout] })[0];
    const sets = [allocate(), allocate()], fact = "VkDescriptorPoolCreateInfo";
    refused(twin, vk.VK_ERROR_OUT_OF_POOL_MEMORY, fact, allocate);
    device.vkFreeDescriptorSets(pool, [sets[0]]);
    allocate();
    refused(twin, vk.VK_ERROR_OUT_OF_POOL_MEMORY, fact, allocate);
    device.vkResetDescriptorPool(pool, 0);
    allocate();
    device.vkDestroyDescriptorPool(pool);
    device.vkDestroyDescriptorSetLayout(layout);
  });
});

Deno.test(
  "limits and parts of queue families that a source does not tell are the driver's, at every strictness",
  LAVAPIPE,
  () => {
    const source = {
      properties: { apiVersion: vk.VK_API_VERSION_1_1, limits: { maxImageDimension2D: 4096 } },
      features: {},
      queues: [{ queueFlags: vk.VK_QUEUE_GRAPHICS_BIT }],
    };
    let own!: object, family!: object;
    withTwin(edited(() => {}), (gpu) => {
      own = gpu.vkGetPhysicalDeviceProperties().limits;
      [family] = gpu.vkGetPhysicalDeviceQueueFamilyProperties();
    });
    for (const strictness of ["exact", "used", "common"] as const) {
      withTwin(source, (gpu) => {
        assertEquals(gpu.vkGetPhysicalDeviceProperties().limits, { ...own, maxImageDimension2D: 4096 } as never);
        const queueFlags = vk.VK_QUEUE_GRAPHICS_BIT;
        assertEquals(gpu.vkGetPhysicalDeviceQueueFamilyProperties(), [{ ...family, queueFlags }] as never);
      }, { strictness });
    }
  },
);

Deno.test("a twin notes the facts that were read and are lower than the driver's, and those alone", LAVAPIPE, () => {
  const timeline = "VK_KHR_timeline_semaphore";
  const source = edited((device) => {
    device.extensions = device.extensions.filter(({ extensionName }: Json) => extensionName !== timeline);
    delete device[timeline];
    device.features.geometryShader = 0;
    device.properties.limits.maxImageDimension2D = 512;
    device.properties.limits.minMemoryMapAlignment = "0x1000"; // better
    device.formats = device.formats.filter(([format]: [number]) => format !== 44);
  });
  withTwin(source, (gpu, { lowered }) => {
    assertEquals([...lowered], []);
    gpu.vkGetPhysicalDeviceFormatProperties(37);
    gpu.vkGetPhysicalDeviceFormatProperties(44);
    assertEquals([...lowered], ["VK_FORMAT_B8G8R8A8_UNORM"]);
    gpu.vkEnumerateDeviceExtensionProperties();
    gpu.vkGetPhysicalDeviceFeatures2([]);
    gpu.vkGetPhysicalDeviceProperties();
    assertEquals([...lowered].slice(1), [timeline, "geometryShader", "maxImageDimension2D"]);
  }, { strictness: "used" });
});

Deno.test("instance extensions of loaders and window systems are no facts of a device", LAVAPIPE, () => {
  const source = edited(() => {});
  source.extensions = [{ extensionName: "VK_KHR_surface", specVersion: 25 }, {
    extensionName: "VK_KHR_android_surface",
    specVersion: 6,
  }];
  const twin = deviceTwin(source, { log: () => {} });
  using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [twin.layer] });
  vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface", "VK_KHR_xcb_surface"] }).close();
  const hidden = "VK_KHR_get_surface_capabilities2";
  refused(twin, -7, hidden, () => vulkan.vkCreateInstance({ ppEnabledExtensionNames: [hidden] }));
});

Deno.test(
  "of several devices below, one stands for the twin: the first, or the chosen one; the others are hidden and told",
  needs("Mesa lavapipe, SwiftShader and ANGLE", lavapipePath() && swiftshaderPath()),
  () => {
    const driver = [lavapipePath()!, swiftshaderPath()!], told: string[] = [];
    const named = (name: string) => edited((device) => device.properties.deviceName = name);
    const open = (
      below: number | string | undefined,
      use: (gpus: VkPhysicalDevice[], groups: number, twin: DeviceTwin) => void,
    ) => {
      const twin = deviceTwin(named("A phone"), { strictness: "common", below, log: (text) => told.push(text) });
      using vulkan = loadVulkan({ driver, layers: [twin.layer] });
      using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: vk.VK_API_VERSION_1_1 } });
      const gpus = instance.vkEnumeratePhysicalDevices();
      use(gpus, instance.vkEnumeratePhysicalDeviceGroups().length, twin);
    };
    using plain = loadVulkan({ driver });
    using instance = plain.vkCreateInstance({});
    const names = instance.vkEnumeratePhysicalDevices().map((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName);
    assertEquals(names.length, 2);
    for (
      const [below, index] of [[undefined, 0], [0, 0], [1, 1], [
        "swift",
        names.findIndex((name) => /Swift/.test(name)),
      ], ["1", 1]] as const
    ) {
      told.length = 0;
      open(below, (gpus, groups) => {
        assertEquals([gpus.length, groups, gpus[0].vkGetPhysicalDeviceProperties().deviceName], [1, 1, "A phone"]);
        assertEquals(told, [`${names[index]} stands for the device of source; hidden: ${names[1 - index]}`]);
        gpus[0].vkCreateDevice({ pQueueCreateInfos: QUEUES }).close();
      });
    }
    for (const below of [2, "nobody"]) {
      const error = assertThrows(() => open(below, () => {}), VulkanError);
      assertEquals(error.code, -3);
      assert(told.at(-1)!.includes(`no device is "${below}"; there are 0: ${names[0]}, 1: ${names[1]}`), told.at(-1));
    }
  },
);
