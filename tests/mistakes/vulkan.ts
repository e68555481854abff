import type { Mistake } from "./mistake.ts";

const NUMBER = "a handle or a constant is only a number when a program runs; `VK_LAYER_KHRONOS_validation` names it";

/** Mistakes with commands and structs. */
export const VULKAN: readonly Mistake[] = [
  {
    title: "A member is misspelt",
    code: "device.vkCreateBuffer({ size: 16n, usages: VK_BUFFER_USAGE_TRANSFER_DST_BIT })",
    check: ["'usages' does not exist in type 'VkBufferCreateInfo'. Did you mean to write 'usage'?"],
    thrown: ["VkBufferCreateInfo.usages is not a member; did you mean usage?"],
    instead: "device.vkCreateBuffer({ size: 16n, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT })",
  },
  {
    title: "A struct in a chain has no `sType`",
    code: "device.vkCreateBuffer({ size: 16n, pNext: { handleTypes: VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT } })",
    check: ["Property 'sType' is missing in type", "but required in type 'VkExternalMemoryBufferCreateInfo'"],
    thrown: ["VkBufferCreateInfo.pNext.sType is required in a chain, found undefined; name the structure type"],
    instead:
      "device.vkCreateBuffer({ size: 16n, pNext: { sType: VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO } })",
  },
  {
    title: "A member of a struct in a chain is misspelt",
    code:
      "gpu.vkCreateDevice({ pNext: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, multiView: true }] })",
    check: ["'multiView' does not exist in type 'VkPhysicalDeviceVulkan11Features'", "'multiview'?"],
    thrown: ["VkDeviceCreateInfo.pNext[0].multiView is not a member; did you mean multiview?"],
    instead:
      "gpu.vkCreateDevice({ pNext: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, multiview: true }] })",
  },
  {
    title: "A struct stands in a chain that it does not extend",
    code:
      "device.vkCreateBuffer({ size: 16n, pNext: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES }] })",
    check: ["is not assignable to type 'StructureType.VkBuffer", "StructureType.VkExternalMemoryBufferCreateInfo"],
    thrown: { unseen: "the struct reaches the driver, which passes it over; `VK_LAYER_KHRONOS_validation` names it" },
    instead:
      "device.vkCreateBuffer({ size: 16n, pNext: [{ sType: VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO }] })",
  },
  {
    title: "A handle is of another type",
    code: "device.vkDestroyBuffer(fence)",
    check: ["Argument of type 'VkFence' is not assignable to parameter of type 'VkBuffer | null | undefined'"],
    thrown: { unseen: NUMBER },
    instead: "device.vkDestroyFence(fence)",
  },
  {
    title: "A number stands for a handle",
    code: "device.vkDestroyBuffer(5)",
    check: ["Argument of type 'number' is not assignable to parameter of type 'VkBuffer'"],
    thrown: ["vkDestroyBuffer: buffer: expected a handle, found number 5"],
    instead: "device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT }))",
  },
  {
    title: "A constant belongs to another member",
    code: "device.vkCreateBuffer({ size: 16n, usage: VK_IMAGE_USAGE_SAMPLED_BIT })",
    check: ["Type 'VkImageUsageFlagBits' is not assignable to type 'VkBufferUsageFlagBits"],
    thrown: { unseen: NUMBER },
    instead: "device.vkCreateBuffer({ size: 16n, usage: VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT })",
  },
  {
    title: "The name of a constant stands for its value",
    code: 'device.vkCreateBuffer({ size: 16n, usage: "VK_BUFFER_USAGE_TRANSFER_DST_BIT" })',
    check: ["Type 'string' is not assignable to type 'VkBufferUsageFlagBits'"],
    thrown: ["VkBufferCreateInfo.usage: expected integer", 'found string "VK_BUFFER_USAGE_TRANSFER_DST_BIT"'],
    instead: "device.vkCreateBuffer({ size: 16n, usage: VK_BUFFER_USAGE_TRANSFER_DST_BIT })",
  },
  {
    title: "A bare number stands for 64-bit flags",
    code: "commands.vkCmdPipelineBarrier2({ pMemoryBarriers: [{ srcStageMask: 1 }] })",
    check: ["Type 'number' is not assignable to type 'bigint'"],
    thrown: ["VkDependencyInfo.pMemoryBarriers[0].srcStageMask: expected bigint, found number 1 (write 1n)"],
    instead:
      "commands.vkCmdPipelineBarrier2({ pMemoryBarriers: [{ srcStageMask: VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT }] })",
  },
  {
    title: "A required member is missing",
    code: "gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0 }] })",
    check: ["Property 'pQueuePriorities' is missing in type", "but required in type 'VkDeviceQueueCreateInfo'"],
    thrown: ["VkDeviceCreateInfo.pQueueCreateInfos[0].pQueuePriorities is required, found undefined"],
    instead: "gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] })",
  },
  {
    title: "Arguments are missing",
    code: "commands.vkCmdDraw(3)",
    check: ["Expected 4 arguments, but got 1", "An argument for 'instanceCount' was not provided"],
    thrown: ["vkCmdDraw: instanceCount: is required, found nothing"],
    instead: "commands.vkCmdDraw(3, 1, 0, 0)",
  },
  {
    title: "A number stands for a bigint",
    code: "device.vkCreateBuffer({ size: 16 })",
    check: ["Type 'number' is not assignable to type 'bigint'"],
    thrown: ["VkBufferCreateInfo.size: expected bigint, found number 16 (write 16n)"],
    instead: "device.vkCreateBuffer({ size: 16n })",
  },
  {
    title: "A bigint stands for a number",
    code: "device.vkCreateImage({ mipLevels: 1n })",
    check: ["Type 'bigint' is not assignable to type 'number'"],
    thrown: ["VkImageCreateInfo.mipLevels: expected integer", "found bigint 1n (write 1)"],
    instead: "device.vkCreateImage({ mipLevels: 1 })",
  },
  {
    title: "A bigint is calculated with a number",
    code: "gpu.vkGetPhysicalDeviceMemoryProperties().memoryHeaps[0].size / 2",
    check: ["Operator '/' cannot be applied to types 'bigint' and 'number'"],
    thrown: ["Cannot mix BigInt and other types, use explicit conversions"],
    instead: "gpu.vkGetPhysicalDeviceMemoryProperties().memoryHeaps[0].size / 2n",
  },
  {
    title: "A command is used as if its result came later",
    code: "device.vkCreateFence({}).then(console.log)",
    check: ["Property 'then' does not exist on type 'VkFence'"],
    thrown: ["device.vkCreateFence(...).then is not a function"],
    instead: "console.log(device.vkCreateFence({}))",
  },
  {
    title: "A count stands beside the array",
    code: "queue.vkQueueSubmit(1, [{}], fence)",
    check: ["Expected 0-2 arguments, but got 3"],
    thrown: ["vkQueueSubmit: submitCount: expected an array to count, found number 1"],
    instead: "queue.vkQueueSubmit([{}], fence)",
  },
  {
    title: "A string stands for a list",
    code: 'vulkan.vkCreateInstance({ ppEnabledExtensionNames: "VK_EXT_debug_utils" })',
    check: ["Type 'string' is not assignable to type 'readonly string[]'"],
    thrown: ['VkInstanceCreateInfo.ppEnabledExtensionNames: expected array, found string "VK_EXT_debug_utils"'],
    instead: 'vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_EXT_debug_utils"] })',
  },
  {
    title: "One object stands for a list",
    code: "queue.vkQueueSubmit([{ pCommandBuffers: commands }])",
    check: [
      "Type 'VkCommandBuffer' is missing the following properties from type 'readonly (bigint | VkCommandBuffer)[]'",
    ],
    thrown: ["VkSubmitInfo.pCommandBuffers: expected array, found VkCommandBuffer"],
    instead: "queue.vkQueueSubmit([{ pCommandBuffers: [commands] }])",
  },
  {
    title: "A command is misspelt",
    code: "device.vkCreateBufer({ size: 16n })",
    check: ["Property 'vkCreateBufer' does not exist on type 'VkDevice'. Did you mean 'vkCreateBuffer'?"],
    thrown: ["device.vkCreateBufer is not a function"],
    instead: "device.vkCreateBuffer({ size: 16n })",
  },
  {
    title: "A command is called on another object",
    code: "device.vkCmdDraw(3, 1, 0, 0)",
    check: ["Property 'vkCmdDraw' does not exist on type 'VkDevice'"],
    thrown: ["device.vkCmdDraw is not a function"],
    instead: "commands.vkCmdDraw(3, 1, 0, 0)",
  },
];
