import { assertEquals } from "@std/assert";
import type { Layer } from "../../../../../loader/layer.ts";
import type { VkBufferImageCopy, VkCommandBuffer, VkFormat, VkImage } from "../../../../../loader/types.ts";
import * as vk from "../../../../../loader/vk.ts";
import { lavapipePath } from "../../../../../tools/setup/parts.ts";
import { fullBarrier, turnImage } from "../../../../../wsi/gpu/barriers.ts";
import type { Gpu } from "../../../../../wsi/gpu/open_gpu.ts";
import { needs } from "../../../../support/require.ts";
import { planted } from "../programs/planted_layer.ts";
import { overwriting } from "./programs.ts";
import { amountsIn } from "./recorded.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
const USAGE = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT;
const COLOR = vk.VK_IMAGE_ASPECT_COLOR_BIT, DEPTH = vk.VK_IMAGE_ASPECT_DEPTH_BIT;

function imageOf({ bareImage }: Gpu, format: VkFormat, width: number, height = 1): VkImage {
  return bareImage({ format, extent: { width, height }, usage: USAGE });
}

function open(commands: VkCommandBuffer, image: VkImage, aspectMask: number): void {
  turnImage(commands, image, vk.VK_IMAGE_LAYOUT_UNDEFINED, GENERAL, aspectMask);
}

/** A part of an image in a buffer. */
function region(aspectMask: number, width: number, height = 1, more: VkBufferImageCopy = {}): VkBufferImageCopy {
  return { imageSubresource: { aspectMask, layerCount: 1 }, imageExtent: { width, height, depth: 1 }, ...more };
}

/** Adds to the bits of the number that an image is cleared to, behind the zeros of undefined contents. */
function cleared(by: number): Layer {
  return planted({ command: "vkCmdClearColorImage", nth: 1, change: "word", at: 3, by });
}

/** Four numbers of 16 bits, which are as large as a block. */
const NUMBERS = vk.VK_FORMAT_R16G16B16A16_SFLOAT, BLOCKS = vk.VK_FORMAT_BC1_RGBA_UNORM_BLOCK;

Deno.test(
  "a computed block of a compressed image may differ as its numbers may, and so may its copies; other blocks may not",
  LAVAPIPE,
  () => {
    const record = (gpu: Gpu) => {
      const words = gpu.buffer(Uint32Array.from({ length: 16 }, (_, index) => index)),
        [rows, row] = [64, 16].map((size) => gpu.buffer(size));
      const numbers = imageOf(gpu, NUMBERS, 2),
        [blocks, more] = [8, 4].map((height) => imageOf(gpu, BLOCKS, 8, height));
      const layers = { aspectMask: COLOR, layerCount: 1 };
      gpu.submit((commands) => {
        for (const image of [numbers, blocks, more]) open(commands, image, COLOR);
        commands.vkCmdClearColorImage(numbers, GENERAL, { float32: [1 / 3, 0, 0, 1] }, [{ ...layers, levelCount: 1 }]);
        commands.vkCmdCopyBufferToImage(words.buffer, blocks, GENERAL, [region(COLOR, 8, 8)]);
        fullBarrier(commands);
        // One number becomes the second block of the second row.
        const place = { srcSubresource: layers, dstSubresource: layers, dstOffset: { x: 4, y: 4 } };
        commands.vkCmdCopyImage(numbers, GENERAL, blocks, GENERAL, [{
          ...place,
          extent: { width: 1, height: 1, depth: 1 },
        }]);
        fullBarrier(commands);
        commands.vkCmdCopyImageToBuffer(blocks, GENERAL, rows.buffer, [region(COLOR, 8, 8, { bufferRowLength: 16 })]);
        fullBarrier(commands);
        commands.vkCmdCopyBuffer(rows.buffer, row.buffer, [{ srcOffset: 32n, size: 16n }]);
        fullBarrier(commands);
        commands.vkCmdCopyBufferToImage(row.buffer, more, GENERAL, [region(COLOR, 8, 4)]);
      });
    };
    // Each word that is uploaded is larger by two then, which is a byte.
    const members = { bufferOffset: "8" },
      others = planted({
        command: "vkCmdCopyBufferToImage",
        nth: 0,
        change: "struct",
        at: 5,
        struct: "VkBufferImageCopy",
        members,
      });
    const copies = { "VkImage#2 level 0 color": 1, "VkImage#3 level 0 color": 1 };
    assertEquals(amountsIn(lavapipePath()!, record, [cleared(1 << 13), cleared(1 << 23), others]), [
      {},
      { "VkImage#1 level 0 color": 2, "VkBuffer#2": 8, "VkBuffer#3": 8, ...copies },
      { "VkBuffer#2": 6, "VkBuffer#3": 2, ...copies, "VkImage#2 level 0 color": 3 },
    ]);
  },
);

/** Depth in a copy, with eight bits that mean nothing. */
const D24 = vk.VK_FORMAT_X8_D24_UNORM_PACK32, WORDS = vk.VK_FORMAT_R32_UINT;

Deno.test(
  "bits beside 24 bits of depth are left out wherever they are copied, and mean something in no depth image",
  LAVAPIPE,
  () => {
    const record = (depth: number) => (gpu: Gpu) => {
      const [first, second] = [16, 16].map((size) => gpu.buffer(size)),
        [from, back] = [0, 1].map(() => imageOf(gpu, D24, 2)),
        words = imageOf(gpu, WORDS, 2);
      gpu.submit((commands) => {
        for (const image of [from, back]) open(commands, image, DEPTH);
        open(commands, words, COLOR);
        commands.vkCmdClearDepthStencilImage(from, GENERAL, { depth, stencil: 0 }, [{
          aspectMask: DEPTH,
          levelCount: 1,
          layerCount: 1,
        }]);
        fullBarrier(commands);
        commands.vkCmdCopyImageToBuffer(from, GENERAL, first.buffer, [region(DEPTH, 2)]);
        fullBarrier(commands);
        commands.vkCmdCopyBufferToImage(first.buffer, back, GENERAL, [region(DEPTH, 2)]);
        commands.vkCmdCopyBufferToImage(first.buffer, words, GENERAL, [region(COLOR, 2)]);
        fullBarrier(commands);
        commands.vkCmdCopyImageToBuffer(back, GENERAL, second.buffer, [region(DEPTH, 2)]);
      });
    };
    const word = (value: number) => overwriting("vkCmdCopyImageToBuffer", 3, value);
    const all = { "VkBuffer#1": 4, "VkBuffer#2": 4, "VkImage#2 level 0 depth": 1, "VkImage#3 level 0 color": 1 };
    assertEquals(amountsIn(lavapipePath()!, record(1), [word(0xaaff_ffff), word(0x00ff_fffe)], word(0x00ff_ffff)), [
      {},
      all,
    ]);
    // A third is rounded: its next number is as right, another is not.
    assertEquals(amountsIn(lavapipePath()!, record(1 / 3), [word(0xaa55_5556), word(0x0066_6666)], word(0x0055_5555)), [
      {},
      all,
    ]);
  },
);
