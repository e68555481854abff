/**
 * Recordings that no driver is needed for: with markup in every name, and with as many events as are wanted.
 *
 * @module
 */
import { writeRecording } from "../../../../../workbench/layers.ts";

/** Markup that tells on itself when a page takes it for markup. */
export const MARKUP =
  `<img src=x onerror="complaints.push('markup')"></script><script>complaints.push('script')</script>"'&`;

const begin = (text: string) => ({
  command: "vkCmdBeginDebugUtilsLabelEXT",
  args: { commandBuffer: "VkCommandBuffer#1", pLabelInfo: { pLabelName: text } },
});
const END = { command: "vkCmdEndDebugUtilsLabelEXT", args: { commandBuffer: "VkCommandBuffer#1" } };

/** Writes a recording with a submission of so many draws inside of labels that are markup. */
export function writeHostile(path: string, draws: number, gaps: readonly string[] = []): void {
  const commandBuffer = "VkCommandBuffer#1", device = "VkDevice#1";
  const draw = (vertexCount: number) => ({
    command: "vkCmdDraw",
    args: { commandBuffer, vertexCount, instanceCount: 1, firstVertex: 0, firstInstance: 0 },
  });
  const groups = Array.from({ length: Math.ceil(draws / 10) }, (_, group) => [
    begin(`${MARKUP} ${group}`),
    ...Array.from({ length: Math.min(10, draws - 10 * group) }, (_, index) => draw(10 * group + index)),
    END,
  ]);
  writeRecording(path, {
    lines: [
      {
        command: "vkCreateInstance",
        args: { pCreateInfo: { pApplicationInfo: { pApplicationName: MARKUP } } },
        out: { pInstance: "VkInstance#1" },
      },
      {
        command: "vkEnumeratePhysicalDevices",
        args: { instance: "VkInstance#1" },
        out: { pPhysicalDevices: ["VkPhysicalDevice#1"] },
      },
      {
        command: "vkGetPhysicalDeviceProperties",
        args: { physicalDevice: "VkPhysicalDevice#1" },
        out: { pProperties: { deviceName: MARKUP } },
      },
      {
        command: "vkCreateDevice",
        args: {
          physicalDevice: "VkPhysicalDevice#1",
          pCreateInfo: { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] },
        },
        out: { pDevice: device },
      },
      {
        command: "vkGetDeviceQueue",
        args: { device, queueFamilyIndex: 0, queueIndex: 0 },
        out: { pQueue: "VkQueue#1" },
      },
      {
        command: "vkCreateCommandPool",
        args: { device, pCreateInfo: { queueFamilyIndex: 0 } },
        out: { pCommandPool: "VkCommandPool#1" },
      },
      {
        command: "vkAllocateCommandBuffers",
        args: { device, pAllocateInfo: { commandPool: "VkCommandPool#1", level: 0, commandBufferCount: 1 } },
        out: { pCommandBuffers: [commandBuffer] },
      },
      { command: "vkBeginCommandBuffer", args: { commandBuffer, pBeginInfo: {} } },
      ...groups.flat(),
      { command: "vkEndCommandBuffer", args: { commandBuffer } },
      { command: "vkQueueSubmit", args: { queue: "VkQueue#1", pSubmits: [{ pCommandBuffers: [commandBuffer] }] } },
      ...gaps.map((missing) => ({ missing })),
    ],
    data: () => new Uint8Array(),
  });
}
