/** Code that people write against the generated types; only ever type-checked, by `deno task check`. */
import {
  VK_ACCESS_2_TRANSFER_READ_BIT,
  VK_ACCESS_2_TRANSFER_WRITE_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_MAKE_API_VERSION,
  VK_NULL_HANDLE,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_QUEUE_FAMILY_IGNORED,
  VK_SHADER_STAGE_COMPUTE_BIT,
  VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
  VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
  VK_SUCCESS,
  VK_TRUE,
  VK_WHOLE_SIZE,
} from "../../../loader/vk.ts";
import type {
  Out,
  RawCommands,
  VkAccessFlags2,
  VkBuffer,
  VkBufferCreateInfo,
  VkCommandBuffer,
  VkDevice,
  VkImage,
  VkPhysicalDevice,
  VkPhysicalDeviceLimits,
  VkPipelineLayout,
  VkQueue,
  VkResult,
  VkShaderModule,
  VkSwapchainKHR,
  VulkanCommands,
} from "../../../loader/vk.ts";

/** From nothing to a buffer. */
export function createThings(vulkan: VulkanCommands): VkBuffer {
  using instance = vulkan.vkCreateInstance({
    pApplicationInfo: { pApplicationName: "test", apiVersion: VK_MAKE_API_VERSION(0, 1, 3, 0) },
    ppEnabledExtensionNames: ["VK_KHR_surface"],
  });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const name: string = gpu.vkGetPhysicalDeviceProperties().deviceName;
  const limits: Out<VkPhysicalDeviceLimits> = gpu.vkGetPhysicalDeviceProperties().limits;
  const groups: number[] = limits.maxComputeWorkGroupSize;
  using device = gpu.vkCreateDevice({
    pNext: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, synchronization2: true }],
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
    pEnabledFeatures: { robustBufferAccess: VK_TRUE },
  });
  console.log(name, groups.length, device.handle, device.raw.vkQueueWaitIdle(device.vkGetDeviceQueue(0, 0).handle));
  const combined = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  device.vkCreateBuffer({ size: 65536n, usage: combined });
  return device.vkCreateBuffer({ size: 65536n, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
}

/** Commands with counts, several outputs and success codes. */
export function callCommands(device: VkDevice, queue: VkQueue, swapchain: VkSwapchainKHR, module: VkShaderModule, layout: VkPipelineLayout): void {
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands]: VkCommandBuffer[] = device.vkAllocateCommandBuffers({ commandPool: pool, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  commands.vkEndCommandBuffer();
  queue.vkQueueSubmit([{ pCommandBuffers: [commands], pWaitDstStageMask: [VK_PIPELINE_STAGE_TRANSFER_BIT] }]);
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], device.vkCreateFence({}));
  const { result, imageIndex } = device.vkAcquireNextImageKHR(swapchain, 0n, VK_NULL_HANDLE);
  const code: VkResult = result, index: number = imageIndex;
  const { pipelines } = device.vkCreateComputePipelines(null, [{
    stage: { stage: VK_SHADER_STAGE_COMPUTE_BIT, module, pName: "main" },
    layout,
  }]);
  commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[0]);
  commands.vkCmdPushConstants(layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, new Float32Array(4));
  const memory = device.vkAllocateMemory({ allocationSize: 4096n });
  const address: bigint = device.vkMapMemory(memory, 0n, VK_WHOLE_SIZE);
  const results: Uint8Array = device.vkGetQueryPoolResults(device.vkCreateQueryPool({}), 0, 1, 8, 8n).data;
  const cache: Uint8Array = device.vkGetPipelineCacheData(device.vkCreatePipelineCache({}));
  device.vkCreateShaderModule({ pCode: new Uint32Array(5) });
  console.log(code === VK_SUCCESS, index, address, results, cache);
}

/** Unions, barriers, 64-bit flags, arrays in place. */
export function fillStructs(commands: VkCommandBuffer, buffer: VkBuffer, image: VkImage): void {
  const access: VkAccessFlags2 = VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
  commands.vkCmdPipelineBarrier2({
    pBufferMemoryBarriers: [{ buffer, srcStageMask: VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, srcAccessMask: access, size: VK_WHOLE_SIZE }],
    pImageMemoryBarriers: [{
      image,
      oldLayout: VK_IMAGE_LAYOUT_UNDEFINED,
      newLayout: VK_IMAGE_LAYOUT_GENERAL,
      srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
      subresourceRange: { aspectMask: 1, levelCount: 1, layerCount: 1 },
    }],
  });
  commands.vkCmdClearColorImage(image, VK_IMAGE_LAYOUT_GENERAL, { float32: [0, 0, 0, 1] }, [{ aspectMask: 1 }]);
  commands.vkCmdSetBlendConstants([1, 1, 1, 1]);
}

/** Structs that the driver fills, with chains. */
export function query(gpu: VkPhysicalDevice): void {
  const { properties, pNext: [driver, id] } = gpu.vkGetPhysicalDeviceProperties2([
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
    { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES },
  ]);
  const driverName: string = driver.driverName, mask: number = id.deviceNodeMask;
  const dimension: number = properties.limits.maxImageDimension1D;
  const timeline: boolean = gpu.vkGetPhysicalDeviceFeatures2([VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES])
    .pNext[0].timelineSemaphore;
  const anisotropy: boolean = gpu.vkGetPhysicalDeviceFeatures2().features.samplerAnisotropy;
  const count: number = gpu.vkGetPhysicalDeviceFormatProperties2(VK_FORMAT_R8G8B8A8_UNORM, [
    { sType: VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT, drmFormatModifierCount: 8 },
  ]).pNext[0].drmFormatModifierCount;
  const families: number[] = gpu.vkGetPhysicalDeviceQueueFamilyProperties().map((family) => family.queueCount);
  console.log(driverName, mask, dimension, timeline, anisotropy, count, families);
  // @ts-expect-error: a buffer's create info extends nothing
  gpu.vkGetPhysicalDeviceProperties2([VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO]);
  // @ts-expect-error: no such member in what came back
  console.log(driver.driverNam);
}

/** Hooks get the arguments of the raw command. */
export function hook(): Partial<{ [Name in keyof RawCommands]: (next: RawCommands[Name], ...rest: Parameters<RawCommands[Name]>) => ReturnType<RawCommands[Name]> }> {
  return {
    vkQueueSubmit(next, queue, submitCount, pSubmits, fence) {
      return next(queue, submitCount + 0, pSubmits, fence);
    },
    vkCmdDraw: (next, ...rest) => next(...rest),
    // @ts-expect-error: the first argument is a handle, a bigint
    vkQueueWaitIdle: (next) => next(1),
  };
}

/** Mistakes that the types refuse. */
export function mistakes(device: VkDevice, buffer: VkBuffer, image: VkImage): void {
  // @ts-expect-error: a size is a bigint
  device.vkCreateBuffer({ size: 65536, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
  // @ts-expect-error: a misspelt member
  device.vkCreateBuffer({ size: 65536n, usag: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
  // @ts-expect-error: a constant of another enum
  device.vkCreateBuffer({ size: 65536n, usage: VK_IMAGE_USAGE_SAMPLED_BIT });
  // @ts-expect-error: an image is no buffer
  device.vkDestroyBuffer(image);
  // @ts-expect-error: a number is no handle
  device.vkDestroyBuffer(1);
  // @ts-expect-error: a command pool must be given
  device.vkAllocateCommandBuffers({ commandBufferCount: 1 });
  // @ts-expect-error: the wrong structure type
  const wrong: VkBufferCreateInfo = { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES };
  // @ts-expect-error: a struct that cannot extend a device's create info
  const stranger: Parameters<VkPhysicalDevice["vkCreateDevice"]>[0] = { pNext: [{ sType: VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO }] };
  const misspelt: Parameters<VkPhysicalDevice["vkCreateDevice"]>[0] = {
    // @ts-expect-error: a misspelt feature in a chain
    pNext: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, timelineSemaphor: true }],
  };
  // @ts-expect-error: 64-bit flags are bigints
  const access: VkAccessFlags2 = 1;
  // @ts-expect-error: a command of the device, not of the command buffer
  device.vkCmdDraw(3, 1, 0, 0);
  console.log(wrong, stranger, misspelt, access, buffer);
}
