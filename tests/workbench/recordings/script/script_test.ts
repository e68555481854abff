import { assertEquals, assertStringIncludes } from "@std/assert";
import type { DriverDifference } from "../../../../workbench/recordings/compare/finding.ts";
import { scriptOf } from "../../../../workbench/recordings/script/script.ts";
import type { RecordedCall, RecordedStream } from "../../../../workbench/layers.ts";
import * as vk from "../../../../loader/vk.ts";

const DEVICE = "VkDevice#1", COMMANDS = "VkCommandBuffer#1";
const call = (command: string, args: object, out?: object): RecordedCall => ({
  command,
  args: { device: DEVICE, ...args },
  ...out && { out },
} as RecordedCall);
const record = (command: string, args: object = {}) => call(command, { commandBuffer: COMMANDS, ...args });

/** A window of two images, of which a pass clears the second. */
const WINDOW: readonly RecordedCall[] = [
  call("vkCreateInstance", { pCreateInfo: { ppEnabledExtensionNames: ["VK_KHR_surface", "VK_KHR_android_surface"] } }, {
    pInstance: "VkInstance#1",
  }),
  call("vkCreateAndroidSurfaceKHR", { instance: "VkInstance#1", pCreateInfo: {} }, { pSurface: "VkSurfaceKHR#1" }),
  call("vkCreateDevice", {
    physicalDevice: "VkPhysicalDevice#1",
    pCreateInfo: { ppEnabledExtensionNames: ["VK_KHR_swapchain"] },
  }, { pDevice: DEVICE }),
  call("vkCreateSwapchainKHR", {
    pCreateInfo: {
      surface: "VkSurfaceKHR#1",
      imageFormat: vk.VK_FORMAT_R8G8B8A8_UNORM,
      imageExtent: { width: 8, height: 4 },
      imageArrayLayers: 1,
      imageUsage: vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
    },
  }, { pSwapchain: "VkSwapchainKHR#1" }),
  call("vkGetSwapchainImagesKHR", { swapchain: "VkSwapchainKHR#1" }, { pSwapchainImages: ["VkImage#1", "VkImage#2"] }),
  call("vkCreateRenderPass", {
    pCreateInfo: {
      flags: 0,
      pAttachments: [{
        format: vk.VK_FORMAT_R8G8B8A8_UNORM,
        samples: 1,
        loadOp: vk.VK_ATTACHMENT_LOAD_OP_CLEAR,
        storeOp: vk.VK_ATTACHMENT_STORE_OP_STORE,
        stencilLoadOp: vk.VK_ATTACHMENT_LOAD_OP_LOAD,
        stencilStoreOp: vk.VK_ATTACHMENT_STORE_OP_STORE,
        initialLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
        finalLayout: vk.VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
      }],
      pSubpasses: [{
        pColorAttachments: [{ attachment: 0, layout: vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL }],
      }],
    },
  }, { pRenderPass: "VkRenderPass#1" }),
  call("vkCreateImageView", {
    pCreateInfo: {
      image: "VkImage#2",
      viewType: vk.VK_IMAGE_VIEW_TYPE_2D,
      format: vk.VK_FORMAT_R8G8B8A8_UNORM,
      subresourceRange: { aspectMask: 1, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 },
    },
  }, { pView: "VkImageView#1" }),
  call("vkCreateFramebuffer", {
    pCreateInfo: {
      flags: 0,
      renderPass: "VkRenderPass#1",
      pAttachments: ["VkImageView#1"],
      width: 8,
      height: 4,
      layers: 1,
    },
  }, { pFramebuffer: "VkFramebuffer#1" }),
  call("vkAllocateCommandBuffers", { pAllocateInfo: { level: 0 } }, { pCommandBuffers: [COMMANDS] }),
  record("vkBeginCommandBuffer", { pBeginInfo: { flags: 0 } }),
  record("vkCmdBeginRenderPass", {
    pRenderPassBegin: {
      renderPass: "VkRenderPass#1",
      framebuffer: "VkFramebuffer#1",
      renderArea: { offset: { x: 0, y: 0 }, extent: { width: 8, height: 4 } },
      pClearValues: [{ color: { float32: [1, 0, 0, 1] } }],
    },
    contents: vk.VK_SUBPASS_CONTENTS_INLINE,
  }),
  record("vkCmdEndRenderPass"),
  record("vkEndCommandBuffer"),
  call("vkAcquireNextImageKHR", { swapchain: "VkSwapchainKHR#1" }, { pImageIndex: 1 }),
  call("vkQueueSubmit", { queue: "VkQueue#1", pSubmits: [{ pCommandBuffers: [COMMANDS] }] }),
];

/** The test of a script about a crash on B, in which nothing is compared. */
async function testOf(lines: readonly RecordedCall[]): Promise<string> {
  const stream = { lines, data: () => new Uint8Array() } as unknown as RecordedStream;
  const finding = { kind: "crashed", side: 1, differences: [], contents: new Map() } as unknown as DriverDifference;
  const driver = { driver: "lvp", identity: undefined };
  const { text } = await scriptOf({ stream, finding, drivers: [driver, driver] }, { isCondensed: true, isWide: true });
  return /^gpuTest\([^]*?^}\);/m.exec(text)![0];
}

Deno.test("a script of a window's program has an image in the place of the one that is drawn, and no window", async () => {
  const text = await testOf(WINDOW);
  assertEquals(/surface|swapchain|present/i.exec(text), null, text);
  assertStringIncludes(text, "const image2 = bareImage({");
  assertEquals(text.includes("image1"), false, text);
  assertStringIncludes(text, "finalLayout: vk.VK_IMAGE_LAYOUT_GENERAL");
});

Deno.test("a script writes a pass with its framebuffer, a whole view and a whole area in few words", async () => {
  const text = await testOf(WINDOW);
  assertStringIncludes(
    text,
    `  const imageView = view(image2);
  const pass = renderPass([{
    view: imageView, loadOp: vk.VK_ATTACHMENT_LOAD_OP_CLEAR, initialLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
    finalLayout: vk.VK_IMAGE_LAYOUT_GENERAL,
  }]);
`,
  );
  assertStringIncludes(text, "{ ...pass, pClearValues: [{ color: { float32: [1, 0, 0, 1] } }] }");
});
