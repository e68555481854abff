import { assert } from "@std/assert";
import * as vk from "../../../../../loader/vk.ts";
import { formatOf } from "../../../../../loader/texels/format.ts";
import { lavapipePath, swiftshaderPath } from "../../../../../tools/setup/parts.ts";
import { blockFormat, decodedTexels } from "../../../../../workbench/recordings/view/blocks/decode.ts";
import { turnImage } from "../../../../../wsi/gpu/barriers.ts";
import { type Gpu, openGpu } from "../../../../../wsi/gpu/open_gpu.ts";
import { needs } from "../../../../support/require.ts";
import { randomBlocks } from "./random_blocks.ts";

/** Blocks of a side. */
const SIDE = 32;
const SUBRESOURCE = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, layerCount: 1 };

/** The texels of blocks as a driver decodes them: four floats each. */
function sampled(gpu: Gpu, format: number, width: number, height: number, blocks: Uint8Array): Float32Array {
  const image = (format: number, usage: number) =>
    gpu.bareImage({
      imageType: vk.VK_IMAGE_TYPE_2D,
      format,
      extent: { width, height, depth: 1 },
      arrayLayers: 1,
      usage,
    } as never);
  const source = image(format, vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  const wide = image(
    vk.VK_FORMAT_R32G32B32A32_SFLOAT,
    vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  );
  const given = gpu.buffer(blocks), read = gpu.buffer(16 * width * height), GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL;
  const corners = [{ x: 0, y: 0, z: 0 }, { x: width, y: height, z: 1 }];
  gpu.submit((commands) => {
    for (const each of [source, wide]) turnImage(commands, each as never, vk.VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    const region = { imageSubresource: SUBRESOURCE, imageExtent: { width, height, depth: 1 } };
    commands.vkCmdCopyBufferToImage(given.buffer, source as never, GENERAL, [region]);
    turnImage(commands, source as never, GENERAL, GENERAL);
    commands.vkCmdBlitImage(source as never, GENERAL, wide as never, GENERAL, [{
      srcSubresource: SUBRESOURCE,
      srcOffsets: corners,
      dstSubresource: SUBRESOURCE,
      dstOffsets: corners,
    }] as never, vk.VK_FILTER_NEAREST);
    turnImage(commands, wide as never, GENERAL, GENERAL);
    commands.vkCmdCopyImageToBuffer(wide as never, GENERAL, read.buffer, [region]);
  });
  return read.floats.slice();
}

/** The decoded numbers of a format, as shares of one. */
function decoded(format: number, width: number, height: number, bytes: Uint8Array): number[][] {
  const how = blockFormat(format)!, texels = decodedTexels({ format, width, height, bytes }, how, 1);
  const numbers = how.numbers === "bytes" ? texels : new Float32Array(texels.buffer), { channels } = how;
  return Array.from(
    { length: width * height },
    (_, at) =>
      Array.from(
        numbers.subarray(channels * at, channels * at + channels),
        (each) => how.numbers === "bytes" ? each / 255 : each,
      ),
  );
}

/** The largest difference of two texels of the formats that a driver has; `undefined` without the format. */
function difference(gpu: Gpu, format: number, permitted: number): string | undefined {
  const { blockSize, blockExtent: [wide, tall] } = formatOf(format), width = SIDE * wide - 1, height = SIDE * tall - 1;
  const blocks = randomBlocks(format, SIDE * SIDE, blockSize), expected = sampled(gpu, format, width, height, blocks);
  const found = decoded(format, width, height, blocks);
  // Blocks that mean nothing have one colour each, so that most of them must not be such blocks.
  const share = found.filter((numbers) => numbers.join() === "1,0,1,1").length / found.length;
  if (share > 0.7) return `VkFormat ${format}: ${share} of the texels mean nothing`;
  let bad = 0, first = "";
  for (const [at, numbers] of found.entries()) {
    for (const [channel, number] of numbers.entries()) {
      const value = isSrgb(format) && channel < 3 ? linear(number) : number;
      const other = expected[4 * at + channel];
      if (Math.abs(value - other) <= permitted * Math.max(1, Math.abs(other)) || value === other) continue;
      if (Number.isNaN(value) && Number.isNaN(other)) continue;
      const x = at % width, y = Math.floor(at / width), block = Math.floor(y / tall) * SIDE + Math.floor(x / wide);
      bad++;
      first ||= `texel ${x % wide}, ${y % tall} channel ${channel} of ${
        blocks.slice(block * blockSize, (block + 1) * blockSize).toHex()
      }: ${value}, the driver has ${other}`;
    }
  }
  return bad > 0 ? `VkFormat ${format}: ${bad} of ${found.length} texels, ${first}` : undefined;
}

const BC = Array.from({ length: 16 }, (_, at) => 131 + at), ETC = Array.from({ length: 10 }, (_, at) => 147 + at);
const ASTC = Array.from({ length: 28 }, (_, at) => 157 + at);
const isSrgb = (format: number) => formatOf(format).components.some(({ numericFormat }) => numericFormat === "SRGB");
/** A share of sRGB as the blit gives it. */
const linear = (share: number) => share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
/** Differences that rounding of drivers makes: they mix numbers in eight bits, and some cut instead of rounding. */
const roundingOf = (format: number, steps: number) =>
  blockFormat(format)!.numbers === "signed shares" ? steps / 127 : (isSrgb(format) ? 2.4 : 1) * steps / 255;

for (
  const [name, driver, formats, steps] of [
    ["Mesa lavapipe", lavapipePath(), BC, 2],
    ["SwiftShader", swiftshaderPath(), [...BC, ...ETC, ...ASTC], 1.3],
  ] as const
) {
  Deno.test(`decoded blocks of random bytes are what ${name} has`, {
    ...needs(name, driver),
    sanitizeOps: false,
    sanitizeResources: false,
  }, () => {
    using gpu = openGpu({ driver: driver! });
    const faults = formats.flatMap((format) => difference(gpu, format, roundingOf(format, steps)) ?? []);
    assert(faults.length === 0, faults.join("\n"));
  });
}
