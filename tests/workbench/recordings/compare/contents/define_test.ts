import { assertEquals } from "@std/assert";
import { Definer } from "../../../../../workbench/recordings/compare/contents/define.ts";
import { StateTracker } from "../../../../../workbench/recordings/state_tracker/state_tracker.ts";
import type { RecordedCall } from "../../../../../workbench/layers.ts";
import * as vk from "../../../../../loader/vk.ts";

const commandBuffer = "VkCommandBuffer#1", device = "VkDevice#1";
const undef = {
  image: "VkImage#1",
  oldLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
  newLayout: vk.VK_IMAGE_LAYOUT_GENERAL,
  srcQueueFamilyIndex: 0,
  dstQueueFamilyIndex: 0,
  subresourceRange: { aspectMask: 1, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 },
};

/** The lines that stand for the last of some calls. */
function rewritten(calls: readonly RecordedCall[], isClearable = true): RecordedCall[] {
  const tracker = new StateTracker(), definer = new Definer(tracker, () => isClearable);
  const lines = calls.map((call, index) => {
    tracker.note(index, call);
    return definer.rewrite(call) as RecordedCall[];
  });
  return lines.at(-1)!;
}

Deno.test("Definer loads and stores what nobody says, also where nothing is loaded or stored", () => {
  const ops = (load: number, store: number) => ({ loadOp: load, storeOp: store });
  const rows = [
    [vk.VK_ATTACHMENT_LOAD_OP_NONE, vk.VK_ATTACHMENT_STORE_OP_NONE, vk.VK_ATTACHMENT_LOAD_OP_LOAD],
    [vk.VK_ATTACHMENT_LOAD_OP_DONT_CARE, vk.VK_ATTACHMENT_STORE_OP_DONT_CARE, vk.VK_ATTACHMENT_LOAD_OP_CLEAR],
    [vk.VK_ATTACHMENT_LOAD_OP_LOAD, vk.VK_ATTACHMENT_STORE_OP_STORE, vk.VK_ATTACHMENT_LOAD_OP_LOAD],
  ];
  for (const [load, store, wanted] of rows) {
    const pass = rewritten([{
      command: "vkCreateRenderPass",
      args: {
        device,
        pCreateInfo: {
          pAttachments: [{
            format: vk.VK_FORMAT_D32_SFLOAT_S8_UINT,
            initialLayout: vk.VK_IMAGE_LAYOUT_GENERAL,
            ...ops(load, store),
            stencilLoadOp: load,
            stencilStoreOp: store,
          }],
        },
      },
      out: { pRenderPass: "VkRenderPass#1" },
    }])[0].args.pCreateInfo.pAttachments[0];
    assertEquals(
      [pass.loadOp, pass.storeOp, pass.stencilLoadOp, pass.stencilStoreOp],
      [wanted, vk.VK_ATTACHMENT_STORE_OP_STORE, wanted, vk.VK_ATTACHMENT_STORE_OP_STORE],
    );
    const [rendering] = rewritten([{
      command: "vkCmdBeginRendering",
      args: {
        commandBuffer,
        pRenderingInfo: { pDepthAttachment: { imageView: "VkImageView#1", ...ops(load, store) } },
      },
    }]);
    const { loadOp, storeOp } = rendering.args.pRenderingInfo.pDepthAttachment;
    assertEquals([loadOp, storeOp], [wanted, vk.VK_ATTACHMENT_STORE_OP_STORE]);
  }
});

Deno.test("Definer clears an image that leaves the undefined layout, where the queue can", () => {
  const image = {
    command: "vkCreateImage",
    args: { device, pCreateInfo: { format: vk.VK_FORMAT_R8_UNORM, extent: { width: 4, height: 4, depth: 1 } } },
    out: { pImage: "VkImage#1" },
  };
  const barrier = { command: "vkCmdPipelineBarrier", args: { commandBuffer, pImageMemoryBarriers: [undef] } };
  assertEquals(rewritten([image, barrier]).map(({ command }) => command), [
    "vkCmdPipelineBarrier",
    "vkCmdPipelineBarrier",
    "vkCmdClearColorImage",
    "vkCmdPipelineBarrier",
  ]);
  assertEquals(rewritten([image, barrier], false), [barrier]);
});

Deno.test("Definer copies zeros in place of times and numbers of invocations, which are the driver's own", () => {
  const pool = (queryType: number, pipelineStatistics = 0) => ({
    command: "vkCreateQueryPool",
    args: { device, pCreateInfo: { queryType, queryCount: 3, pipelineStatistics } },
    out: { pQueryPool: "VkQueryPool#1" },
  });
  const args = {
    commandBuffer,
    queryPool: "VkQueryPool#1",
    firstQuery: 0,
    queryCount: 3,
    dstBuffer: "VkBuffer#1",
    dstOffset: "8",
    stride: "32",
  };
  const copy = (flags: number) => ({ command: "vkCmdCopyQueryPoolResults", args: { ...args, flags } });
  const fill = (size: number) => ({
    command: "vkCmdFillBuffer",
    args: { commandBuffer, dstBuffer: "VkBuffer#1", dstOffset: "8", size: `${size}`, data: 0 },
  });
  const both = vk.VK_QUERY_RESULT_64_BIT | vk.VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
  assertEquals(rewritten([pool(vk.VK_QUERY_TYPE_TIMESTAMP), copy(0)]), [fill(2 * 32 + 4)]);
  assertEquals(rewritten([pool(vk.VK_QUERY_TYPE_TIMESTAMP), copy(both)]), [fill(2 * 32 + 16)]);
  assertEquals(rewritten([pool(vk.VK_QUERY_TYPE_PIPELINE_STATISTICS, 0b101), copy(both)]), [fill(2 * 32 + 24)]);
  assertEquals(rewritten([pool(vk.VK_QUERY_TYPE_OCCLUSION), copy(both)]), [copy(both)]);
});
