import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  VK_DRIVER_ID_MESA_LLVMPIPE,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
} from "../../../loader/vk.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { openDevice } from "../../support/device.ts";
import { needs } from "../../support/require.ts";

const driver = lavapipePath()!, LAVAPIPE = needs("Mesa lavapipe", driver);

Deno.test("vkGetPhysicalDeviceProperties2() fills a chain named by structure types", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const { properties, pNext: [driverProperties, ids] } = open.gpu.vkGetPhysicalDeviceProperties2([
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  ]);
  assertEquals(properties.deviceName, open.gpu.vkGetPhysicalDeviceProperties().deviceName);
  assertEquals([driverProperties.driverID, driverProperties.driverName], [VK_DRIVER_ID_MESA_LLVMPIPE, "llvmpipe"]);
  assertEquals(ids.driverUUID.length, 16);
});

Deno.test("vkGetPhysicalDeviceProperties2() fills a chain of struct literals, and none", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const { pNext: [first] } = open.gpu.vkGetPhysicalDeviceProperties2([
    { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES },
  ]);
  assertEquals(first.driverName, "llvmpipe");
  const alone = open.gpu.vkGetPhysicalDeviceProperties2();
  assertEquals(alone.pNext, []);
  assert(alone.properties.limits.maxImageDimension2D >= 4096);
});

Deno.test("vkGetPhysicalDeviceFeatures2() takes a chain or the whole struct", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  const { features, pNext: [timeline] } = open.gpu.vkGetPhysicalDeviceFeatures2([sType]);
  assertEquals([typeof features.geometryShader, timeline.timelineSemaphore], ["boolean", true]);
  const whole = open.gpu.vkGetPhysicalDeviceFeatures2({ pNext: [{ sType }] }) as { pNext: unknown[] };
  assertEquals(whole.pNext, [timeline]);
});

Deno.test("features that came back can be handed to vkCreateDevice()", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const { features, pNext: [vulkan12] } = open.gpu.vkGetPhysicalDeviceFeatures2([
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  ]);
  using device = open.gpu.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
    pEnabledFeatures: features,
    pNext: [{ ...vulkan12, sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, pNext: null }],
  });
  assertEquals(vulkan12.timelineSemaphore, true);
  const semaphore = device.vkCreateSemaphore({
    pNext: [{ sType: VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, semaphoreType: 1, initialValue: 41n }],
  });
  device.vkSignalSemaphore({ semaphore, value: 42n });
  assertEquals(device.vkGetSemaphoreCounterValue(semaphore), 42n);
  device.vkDestroySemaphore(semaphore);
});

Deno.test("a chain with an unknown structure type is refused", LAVAPIPE, () => {
  using open = openDevice({ driver });
  assertThrows(() => open.gpu.vkGetPhysicalDeviceProperties2([123456 as never]), TypeError, "123456");
  assertThrows(() => open.gpu.vkGetPhysicalDeviceProperties2([{}] as never), TypeError, "sType");
});
