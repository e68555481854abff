/**
 * A program that breaks a rule: a vkCmdFillBuffer of three bytes.
 *
 * @module
 */
import { loadVulkan } from "../../../../../loader/mod.ts";
import { VK_BUFFER_USAGE_TRANSFER_DST_BIT, VK_COMMAND_BUFFER_LEVEL_PRIMARY } from "../../../../../loader/vk.ts";

using vulkan = loadVulkan();
using instance = vulkan.vkCreateInstance({});
const [gpu] = instance.vkEnumeratePhysicalDevices();
gpu.vkGetPhysicalDeviceProperties();
gpu.vkGetPhysicalDeviceMemoryProperties();
using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
const buffer = device.vkCreateBuffer({ size: 64n, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT });
const { size: allocationSize, memoryTypeBits } = device.vkGetBufferMemoryRequirements(buffer);
const memoryTypeIndex = Math.log2(memoryTypeBits & -memoryTypeBits);
const memory = device.vkAllocateMemory({ allocationSize, memoryTypeIndex });
device.vkBindBufferMemory(buffer, memory, 0n);
const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 }), level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
const [commands] = device.vkAllocateCommandBuffers({ commandPool, level, commandBufferCount: 1 });
commands.vkBeginCommandBuffer({});
commands.vkCmdFillBuffer(buffer, 0n, 3n, 7);
commands.vkEndCommandBuffer();
await new Promise((resolve) => setTimeout(resolve, 1000)); // the message is looked for while the program goes on
device.vkDestroyCommandPool(commandPool);
device.vkDestroyBuffer(buffer);
device.vkFreeMemory(memory);
