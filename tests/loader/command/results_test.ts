import { assert, assertEquals, assertThrows } from "@std/assert";
import { loadVulkan, VulkanError } from "../../../loader/mod.ts";
import {
  VK_COLORSPACE_SRGB_NONLINEAR_KHR,
  VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
  VK_ERROR_FORMAT_NOT_SUPPORTED,
  VK_EVENT_RESET,
  VK_EVENT_SET,
  VK_FENCE_CREATE_SIGNALED_BIT,
  VK_FORMAT_B8G8R8A8_UNORM,
  VK_FORMAT_R64G64B64A64_UINT,
  VK_IMAGE_TILING_OPTIMAL,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_NOT_READY,
  VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
  VK_PRESENT_MODE_FIFO_KHR,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_TYPE_TIMESTAMP,
  VK_SUCCESS,
  VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
  VK_TIMEOUT,
} from "../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { openDevice } from "../../support/device.ts";
import { needs } from "../../support/require.ts";
import { record } from "../record.ts";

const driver = lavapipePath()!, LAVAPIPE = needs("Mesa lavapipe", driver);
const swiftshader = swiftshaderPath()!, SWIFTSHADER = needs("SwiftShader", swiftshader);

Deno.test("success codes of fences and events are values", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const { device } = open;
  const fence = device.vkCreateFence({}), signaled = device.vkCreateFence({ flags: VK_FENCE_CREATE_SIGNALED_BIT });
  assertEquals(device.vkGetFenceStatus(fence), VK_NOT_READY);
  assertEquals(device.vkGetFenceStatus(signaled), VK_SUCCESS);
  assertEquals(device.vkWaitForFences([fence, signaled], true, 0n), VK_TIMEOUT);
  assertEquals(device.vkWaitForFences([fence, signaled], false, 0n), VK_SUCCESS);
  assertEquals(device.vkResetFences([signaled]), undefined);
  const event = device.vkCreateEvent({});
  assertEquals(device.vkGetEventStatus(event), VK_EVENT_RESET);
  device.vkSetEvent(event);
  assertEquals(device.vkGetEventStatus(event), VK_EVENT_SET);
  device.vkDestroyEvent(event);
  for (const each of [fence, signaled]) device.vkDestroyFence(each);
});

Deno.test("failures throw and carry command and code", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const error = assertThrows(() =>
    open.gpu.vkGetPhysicalDeviceImageFormatProperties(
      VK_FORMAT_R64G64B64A64_UINT,
      VK_IMAGE_TYPE_2D,
      VK_IMAGE_TILING_OPTIMAL,
      VK_IMAGE_USAGE_TRANSFER_DST_BIT,
      0,
    ), VulkanError);
  assertEquals(error.code, VK_ERROR_FORMAT_NOT_SUPPORTED);
  assertEquals(error.command, "vkGetPhysicalDeviceImageFormatProperties");
});

Deno.test("vkGetQueryPoolResults() returns the result and the bytes", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const { device } = open;
  const pool = device.vkCreateQueryPool({ queryType: VK_QUERY_TYPE_TIMESTAMP, queryCount: 2 });
  record(device, (commands) => commands.vkCmdResetQueryPool(pool, 0, 2));
  assertEquals(device.vkGetQueryPoolResults(pool, 0, 2, 16, 8n, VK_QUERY_RESULT_64_BIT).result, VK_NOT_READY);
  record(device, (commands) => {
    for (const query of [0, 1]) commands.vkCmdWriteTimestamp(VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, query);
  });
  const { result, data } = device.vkGetQueryPoolResults(pool, 0, 2, 16, 8n, VK_QUERY_RESULT_64_BIT);
  assertEquals([result, data.length], [VK_SUCCESS, 16]);
  const [first, second] = new BigUint64Array(data.buffer, data.byteOffset, 2);
  assert(first > 0n && second >= first);
  device.vkDestroyQueryPool(pool);
});

Deno.test("vkGetPipelineCacheData() returns bytes that make another cache", LAVAPIPE, () => {
  using open = openDevice({ driver });
  const { device, gpu } = open, { vendorID, deviceID } = gpu.vkGetPhysicalDeviceProperties();
  const cache = device.vkCreatePipelineCache({});
  const bytes = device.vkGetPipelineCacheData(cache);
  assert(bytes instanceof Uint8Array);
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  assertEquals([0, 4, 8, 12].map((at) => header.getUint32(at, true)), [32, 1, vendorID, deviceID]);
  const again = device.vkCreatePipelineCache({ pInitialData: bytes });
  assertEquals(device.vkGetPipelineCacheData(again), bytes);
  for (const each of [cache, again]) device.vkDestroyPipelineCache(each);
});

Deno.test("a command with an output and several success codes returns both", SWIFTSHADER, () => {
  using vulkan = loadVulkan({ driver: swiftshader });
  using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface", "VK_EXT_headless_surface"] });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
    ppEnabledExtensionNames: ["VK_KHR_swapchain"],
  });
  const surface = instance.vkCreateHeadlessSurfaceEXT({});
  const swapchain = device.vkCreateSwapchainKHR({
    surface,
    minImageCount: 2,
    imageFormat: VK_FORMAT_B8G8R8A8_UNORM,
    imageColorSpace: VK_COLORSPACE_SRGB_NONLINEAR_KHR,
    imageExtent: { width: 16, height: 16 },
    imageArrayLayers: 1,
    imageUsage: VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    imageSharingMode: 0,
    preTransform: VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
    compositeAlpha: VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
    presentMode: VK_PRESENT_MODE_FIFO_KHR,
    clipped: true,
  });
  const images = device.vkGetSwapchainImagesKHR(swapchain), fence = device.vkCreateFence({});
  assert(images.length >= 2 && images.every((image) => typeof image === "bigint"));
  assertEquals(device.vkAcquireNextImageKHR(swapchain, 0n, null, fence), { result: VK_SUCCESS, imageIndex: 0 });
  device.vkWaitForFences([fence], true, 1_000_000_000n);
  device.vkDestroyFence(fence);
  device.vkDestroySwapchainKHR(swapchain);
  device.close();
  instance.vkDestroySurfaceKHR(surface);
});
