import { assertEquals } from "@std/assert";
import * as vk from "../../../../../loader/vk.ts";
import { lavapipePath } from "../../../../../tools/setup/parts.ts";
import { fullBarrier, turnImage } from "../../../../../wsi/gpu/barriers.ts";
import type { Gpu } from "../../../../../wsi/gpu/open_gpu.ts";
import { needs } from "../../../../support/require.ts";
import { planted } from "../programs/planted_layer.ts";
import { apart, barrier, buffer, EXTENT, image, LAYERS, overwriting, program } from "./programs.ts";
import { withRecorded } from "./recorded.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
/** The bits of 1 and of the next float. */
const ONE = 0x3f80_0000, NEXT = ONE + 1;
/** The same of floats of 16 bits. */
const HALF_ONE = 0x3c00, HALF_NEXT = HALF_ONE + 1;
const ORIGIN = { x: 0, y: 0, z: 0 }, FIRST = { width: 1, height: 1, depth: 1 };

/** An image with a float in its first texel, which is copied there from another image or computed by a blit, then copied on. */
const carried = (computes: boolean) =>
  program((model) => {
    const { writer } = model, words = buffer(model, [ONE, NEXT]), back = buffer(model);
    const [source, target, last] = [0, 0, 0].map(() => image(model, vk.VK_FORMAT_R32_SFLOAT));
    const layouts = { srcImageLayout: GENERAL, dstImageLayout: GENERAL };
    const copied = { imageSubresource: LAYERS, imageOffset: ORIGIN, bufferRowLength: 0, bufferImageHeight: 0 };
    const placed = { srcSubresource: LAYERS, dstSubresource: LAYERS };
    const copy = { ...placed, srcOffset: ORIGIN, dstOffset: ORIGIN, extent: FIRST };
    const corners = [ORIGIN, { x: 1, y: 1, z: 1 }];
    const blit = { ...placed, srcOffsets: corners, dstOffsets: corners };
    writer.command("vkCmdCopyBufferToImage", {
      srcBuffer: words,
      dstImage: source,
      dstImageLayout: GENERAL,
      pRegions: [{ ...copied, bufferOffset: 0, imageExtent: EXTENT }],
    });
    barrier(writer);
    const one = { srcImage: source, dstImage: target, ...layouts };
    if (computes) writer.command("vkCmdBlitImage", { ...one, pRegions: [blit], filter: 0 });
    else writer.command("vkCmdCopyImage", { ...one, pRegions: [copy] });
    barrier(writer);
    writer.command("vkCmdCopyImage", { srcImage: target, dstImage: last, ...layouts, pRegions: [copy] });
    writer.command("vkCmdCopyImageToBuffer", {
      srcImage: target,
      srcImageLayout: GENERAL,
      dstBuffer: back,
      pRegions: [{ ...copied, bufferOffset: 0, imageExtent: FIRST }],
    });
  });

Deno.test(
  "floats that were only copied differ by their last bit, computed ones do not, wherever they are copied to",
  LAVAPIPE,
  () => {
    const driver = lavapipePath()!, all = ["VkBuffer#2", "VkImage#2 level 0 color", "VkImage#3 level 0 color"];
    const fault = (command: string, at: number, struct: string, members: Record<string, unknown>) =>
      planted({ command, nth: 0, change: "struct", at, struct, members });
    const copy = fault("vkCmdCopyImage", 6, "VkImageCopy", { "srcOffset.x": 1 });
    const blit = fault("vkCmdBlitImage", 6, "VkImageBlit", { "srcOffsets.0.x": 1, "srcOffsets.1.x": 2 });
    assertEquals(apart(driver, carried(false), undefined, copy).sort(), all);
    assertEquals(apart(driver, carried(true), undefined, blit), []);
  },
);

Deno.test(
  "an image that is cleared to a number that its format has is the same everywhere, rounded ones are not",
  LAVAPIPE,
  () => {
    const cleared = (value: number) =>
      program((model) => {
        const name = image(model, vk.VK_FORMAT_R16_SFLOAT);
        const range = { aspectMask: 1, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 };
        const args = { image: name, imageLayout: GENERAL, pColor: { float32: [value, 0, 0, 0] }, pRanges: [range] };
        model.writer.command("vkCmdClearColorImage", args);
      });
    // The second clear, behind that of undefined contents, has the next number of 16 bits.
    const next = planted({ command: "vkCmdClearColorImage", nth: 1, change: "word", at: 3, by: 1 << 13 });
    assertEquals(apart(lavapipePath()!, cleared(1), undefined, next), ["VkImage#1 level 0 color"]);
    assertEquals(apart(lavapipePath()!, cleared(1 / 3), undefined, next), []);
  },
);

Deno.test(
  "what a pass leaves undefined outside of its area is left out, and what it keeps there is not",
  LAVAPIPE,
  () => {
    const passed = (initialLayout: number) =>
      program((model) => {
        const { writer } = model, format = vk.VK_FORMAT_R8G8B8A8_UNORM;
        const name = image(model, format, vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
        const renderPass = writer.create("VkRenderPass", {
          pAttachments: [{
            format,
            samples: 1,
            loadOp: vk.VK_ATTACHMENT_LOAD_OP_CLEAR,
            storeOp: vk.VK_ATTACHMENT_STORE_OP_STORE,
            stencilLoadOp: vk.VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            stencilStoreOp: vk.VK_ATTACHMENT_STORE_OP_DONT_CARE,
            initialLayout,
            finalLayout: GENERAL,
          }],
          pSubpasses: [{ pipelineBindPoint: 0, pColorAttachments: [{ attachment: 0, layout: GENERAL }] }],
          pDependencies: [],
        });
        const view = writer.create("VkImageView", {
          image: name,
          viewType: vk.VK_IMAGE_VIEW_TYPE_2D,
          format,
          subresourceRange: { aspectMask: 1, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 },
        });
        const { width, height } = EXTENT;
        const framebuffer = writer.create("VkFramebuffer", {
          renderPass,
          pAttachments: [view],
          width,
          height,
          layers: 1,
        });
        writer.command("vkCmdBeginRenderPass", {
          pRenderPassBegin: {
            renderPass,
            framebuffer,
            renderArea: { offset: { x: 0, y: 0 }, extent: { width: 1, height: 1 } },
            pClearValues: [{ color: { float32: [1, 1, 1, 1] } }],
          },
          contents: 0,
        });
        writer.command("vkCmdEndRenderPass");
      });
    const wide = planted({
      command: "vkCmdBeginRenderPass",
      nth: 0,
      change: "struct",
      at: 1,
      struct: "VkRenderPassBeginInfo",
      members: { "renderArea.extent.width": EXTENT.width },
    });
    assertEquals(apart(lavapipePath()!, passed(vk.VK_IMAGE_LAYOUT_UNDEFINED), undefined, wide), []);
    assertEquals(apart(lavapipePath()!, passed(GENERAL), undefined, wide), ["VkImage#1 level 0 color"]);
  },
);

Deno.test("the bits beside 24 bits of depth in a buffer are left out, and the depth is not", LAVAPIPE, () => {
  const copied = program((model) => {
    const { writer } = model, back = buffer(model), more = buffer(model);
    const name = image(model, vk.VK_FORMAT_X8_D24_UNORM_PACK32), aspectMask = vk.VK_IMAGE_ASPECT_DEPTH_BIT;
    writer.command("vkCmdClearDepthStencilImage", {
      image: name,
      imageLayout: GENERAL,
      pDepthStencil: { depth: 1, stencil: 0 },
      pRanges: [{ aspectMask, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 }],
    });
    barrier(writer);
    writer.command("vkCmdCopyImageToBuffer", {
      srcImage: name,
      srcImageLayout: GENERAL,
      dstBuffer: back,
      pRegions: [{
        bufferOffset: 0,
        bufferRowLength: 0,
        bufferImageHeight: 0,
        imageSubresource: { ...LAYERS, aspectMask },
        imageOffset: ORIGIN,
        imageExtent: EXTENT,
      }],
    });
    barrier(writer);
    const pRegions = [{ srcOffset: 0, dstOffset: 4, size: 4 }];
    writer.command("vkCmdCopyBuffer", { srcBuffer: back, dstBuffer: more, pRegions });
  });
  const other = (word: number) => overwriting("vkCmdCopyImageToBuffer", 3, word), plain = other(0x00ff_ffff);
  assertEquals(apart(lavapipePath()!, copied, plain, other(0xaaff_ffff)), []);
  assertEquals(apart(lavapipePath()!, copied, plain, other(0x00ff_fffe)), ["VkBuffer#1", "VkBuffer#2"]);
});

Deno.test("counts of samples that need not be precise differ only from zero", LAVAPIPE, () => {
  const counted = (flags: number) =>
    program((model) => {
      const { writer } = model, back = buffer(model);
      const queryPool = writer.create("VkQueryPool", { queryType: vk.VK_QUERY_TYPE_OCCLUSION, queryCount: 1 });
      writer.command("vkCmdResetQueryPool", { queryPool, firstQuery: 0, queryCount: 1 });
      writer.command("vkCmdBeginQuery", { queryPool, query: 0, flags });
      writer.command("vkCmdEndQuery", { queryPool, query: 0 });
      writer.command("vkCmdCopyQueryPoolResults", {
        queryPool,
        firstQuery: 0,
        queryCount: 1,
        dstBuffer: back,
        dstOffset: 0,
        stride: 8,
        flags: vk.VK_QUERY_RESULT_WAIT_BIT,
      });
    });
  const count = (word: number) => overwriting("vkCmdCopyQueryPoolResults", 4, word), driver = lavapipePath()!;
  assertEquals(apart(driver, counted(0), count(3), count(7)), []);
  assertEquals(apart(driver, counted(0), count(0), count(7)), ["VkBuffer#1"]);
  assertEquals(apart(driver, counted(vk.VK_QUERY_CONTROL_PRECISE_BIT), count(3), count(7)), ["VkBuffer#1"]);
});

Deno.test(
  "what the program itself writes over computed bytes is the same everywhere, and what is left of them is not",
  LAVAPIPE,
  () => {
    const driver = lavapipePath()!,
      third = { float32: [1 / 3, 0, 0, 0] as const },
      imageExtent = { width: 4, height: 1, depth: 1 };
    const record = ({ bareImage, buffer: hostBuffer, submit }: Gpu) => {
      const usage = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT;
      const computed = bareImage({ format: vk.VK_FORMAT_R16_SFLOAT, extent: imageExtent, usage });
      const host = hostBuffer(8), copied = hostBuffer(8);
      submit((commands) => {
        turnImage(commands, computed, vk.VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
        commands.vkCmdClearColorImage(computed, GENERAL, third, [{ aspectMask: 1, levelCount: 1, layerCount: 1 }]);
        fullBarrier(commands);
        commands.vkCmdCopyImageToBuffer(computed, GENERAL, host.buffer, [{
          imageSubresource: { aspectMask: 1, layerCount: 1 },
          imageExtent,
        }]);
      });
      host.words[0] = HALF_ONE | HALF_NEXT << 16;
      submit((commands) => {
        commands.vkCmdCopyBuffer(host.buffer, copied.buffer, [{ size: 2n }]);
        commands.vkCmdCopyBuffer(host.buffer, copied.buffer, [{ srcOffset: 4n, dstOffset: 4n, size: 4n }]);
      });
    };
    const cleared = planted({ command: "vkCmdClearColorImage", nth: 1, change: "word", at: 3, by: 1 << 13 });
    const shifted = planted({
      command: "vkCmdCopyBuffer",
      nth: 0,
      change: "struct",
      at: 4,
      struct: "VkBufferCopy",
      members: { srcOffset: "2" },
    });
    withRecorded({ driver }, record, (stream) => {
      assertEquals([cleared, shifted].map((fault) => apart(driver, stream, undefined, fault)), [[], ["VkBuffer#3"]]);
    });
  },
);
