import { assert, assertEquals } from "@std/assert";
import { texelDifference } from "../../../../../workbench/recordings/compare/contents/difference.ts";
import { isPackable, packed } from "../../../../../workbench/recordings/compare/contents/pack.ts";
import { type ComparedPiece, layerSize } from "../../../../../workbench/recordings/compare/contents/piece.ts";
import { stepRule } from "../../../../../workbench/recordings/compare/contents/tolerance.ts";
import { readSamples } from "../../../../../workbench/recordings/compare/contents/samples.ts";
import { type Gpu, openGpu } from "../../../../../examples/draw/gpu.ts";
import type { VkCommandBuffer, VkImage, VkPhysicalDevice } from "../../../../../loader/gen/types_core_gen.ts";
import { VulkanError } from "../../../../../loader/error.ts";
import { allFormats, type Format } from "../../../../../workbench/programs/formats.ts";
import { loadVulkan } from "../../../../../loader/mod.ts";
import { copyOut } from "../../../../../workbench/recordings/replay/copy_out.ts";
import { aspectsOf, formatOf, type ImageAspect } from "../../../../../loader/texels/format.ts";
import * as vk from "../../../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../../../tools/setup/parts.ts";
import { createMessenger, listen } from "../../../../support/messenger.ts";
import { needs } from "../../../../support/require.ts";

const EXTENT = { width: 5, height: 3, depth: 1 }, LAYERS = 2, SAMPLES = 4;
const BITS = { color: 1, depth: 2, stencil: 4 };
const COPY = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT;

function usageOf(aspects: readonly ImageAspect[]): number {
  const attachment = aspects[0] === "color"
    ? vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
    : vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  return attachment | vk.VK_IMAGE_USAGE_SAMPLED_BIT | COPY;
}

function hasSamples(gpu: VkPhysicalDevice, { value }: Format): boolean {
  try {
    const found = gpu.vkGetPhysicalDeviceImageFormatProperties(value as never, 1, 0, usageOf(aspectsOf(value)));
    return (found.sampleCounts & SAMPLES) !== 0;
  } catch (error) {
    if (error instanceof VulkanError) return false;
    throw error;
  }
}

/** The value that a layer is cleared to: no number that all formats store alike. */
function clearOf({ numbers }: Format, layer: number) {
  if (numbers === "uint") return { uint32: [7 + layer, 201, 90, 1] } as const;
  if (numbers === "sint") return { int32: [-7 - layer, 101, -90, 1] } as const;
  return { float32: [0.03 + layer / 2, numbers === "snorm" ? -0.7 : 0.7, 0.21, 0.4] } as const;
}

function cleared(gpu: Gpu, format: Format, samples: number): VkImage {
  const aspects = aspectsOf(format.value);
  const image = gpu.device.vkCreateImage({
    imageType: vk.VK_IMAGE_TYPE_2D,
    format: format.value as never,
    extent: EXTENT,
    mipLevels: 1,
    arrayLayers: LAYERS,
    samples: samples as never,
    usage: usageOf(aspects),
  });
  gpu.owned.defer(() => gpu.device.vkDestroyImage(image));
  gpu.bind({ image }, 0);
  return image;
}

function rangeOf({ value }: Format, layer: number) {
  const aspectMask = aspectsOf(value).reduce((bits, each) => bits | BITS[each], 0);
  return { aspectMask, levelCount: 1, baseArrayLayer: layer, layerCount: 1 };
}

/** Clears the layers of an image differently, before something else is recorded. */
function clearing(commands: VkCommandBuffer, image: VkImage, format: Format): void {
  for (let layer = 0; layer < LAYERS; layer++) {
    const range = rangeOf(format, layer), general = vk.VK_IMAGE_LAYOUT_GENERAL;
    turn(commands, image, range, vk.VK_IMAGE_LAYOUT_UNDEFINED, general);
    if (range.aspectMask === 1) commands.vkCmdClearColorImage(image, general, clearOf(format, layer), [range]);
    else commands.vkCmdClearDepthStencilImage(image, general, { depth: 0.3 + layer / 2, stencil: 77 + layer }, [range]);
    turn(commands, image, range, general, general);
  }
}

function turn(commands: VkCommandBuffer, image: VkImage, subresourceRange: object, from: number, to: number): void {
  commands.vkCmdPipelineBarrier(0x10000, 0x10000, 0, [], [], [{
    srcAccessMask: 0x18000,
    dstAccessMask: 0x18000,
    oldLayout: from as never,
    newLayout: to as never,
    srcQueueFamilyIndex: vk.VK_QUEUE_FAMILY_IGNORED,
    dstQueueFamilyIndex: vk.VK_QUEUE_FAMILY_IGNORED,
    image,
    subresourceRange: subresourceRange as never,
  }]);
}

/** The bytes that a copy of one sample has, and those that a shader reads of several. */
function both(physical: VkPhysicalDevice, gpu: Gpu, format: Format, aspect: ImageAspect) {
  const copier = {
    gpu: physical,
    device: gpu.device,
    queue: gpu.queue,
    family: gpu.queueFamilyIndex,
    patience: 60_000_000_000n,
  };
  const one = cleared(gpu, format, 1), several = cleared(gpu, format, SAMPLES);
  const piece: ComparedPiece = {
    name: "image",
    resource: "image",
    image: { level: 0, aspect, format: format.value, layers: [0, 1], samples: SAMPLES, ...EXTENT },
  };
  const size = layerSize(piece), stride = size * 4; // copies begin at multiples of four bytes
  const copied = copyOut(copier, stride * LAYERS, (commands, buffer) => {
    clearing(commands, one, format);
    for (let layer = 0; layer < LAYERS; layer++) {
      commands.vkCmdCopyImageToBuffer(one, vk.VK_IMAGE_LAYOUT_GENERAL, buffer, [{
        bufferOffset: BigInt(layer * stride),
        imageSubresource: { aspectMask: BITS[aspect], baseArrayLayer: layer, layerCount: 1 },
        imageExtent: EXTENT,
      }]);
    }
  });
  const layers = [0, 1].map((layer) => copied.subarray(layer * stride, layer * stride + size));
  copyOut(copier, 1, (commands) => clearing(commands, several, format));
  const around = (commands: VkCommandBuffer, layer: number, record: () => void) => {
    const range = rangeOf(format, layer), readable = vk.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    turn(commands, several, range, vk.VK_IMAGE_LAYOUT_GENERAL, readable);
    record();
    turn(commands, several, range, readable, vk.VK_IMAGE_LAYOUT_GENERAL);
  };
  const read = readSamples(copier, piece, { image: several, aspect: BITS[aspect], around });
  const wanted = layers.flatMap((layer) => Array.from({ length: SAMPLES }, () => [...layer])).flat();
  return { wanted: Uint8Array.from(wanted), read };
}

/** Depth of 24 bits is rounded on the way through floats of 32. */
function stepsOf(format: Format, aspect: ImageAspect): number {
  return formatOf(format.value, aspect).components[0].bits === 24 ? 1 : 0;
}

for (const [name, path] of [["lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const) {
  Deno.test(`readSamples() reads every sample as a copy would, in every format of ${name}`, needs(name, path), () => {
    using messenger = createMessenger();
    const validation = validationManifest() === undefined ? [] : ["VK_LAYER_KHRONOS_validation"];
    using vulkan = loadVulkan({ driver: path!, layers: validation });
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_EXT_debug_utils"] });
    using _listening = listen(instance, messenger);
    const [physical] = instance.vkEnumeratePhysicalDevices(), gpu = openGpu(physical);
    using _owned = gpu.owned;
    const formats = allFormats().filter((format) => hasSamples(physical, format)), wrong: string[] = [];
    for (const format of formats) {
      for (const aspect of aspectsOf(format.value)) {
        const { wanted, read } = both(physical, gpu, format, aspect);
        const texels = formatOf(format.value, aspect), rule = stepRule(texels, stepsOf(format, aspect));
        const found = texelDifference(texels, wanted, read, () => rule);
        if (found || wanted.length !== read.length) wrong.push(`${format.name} ${aspect}: ${found?.values}`);
      }
    }
    const said = messenger.messages.filter((message) => !message.includes("Performance Warning"));
    assertEquals([wrong, said], [[], []]);
    assert(formats.length >= 20, `${formats.length} formats`);
  });
}

Deno.test("packed() keeps the bits of floats of 32 bits and the ends of shorter ones; wider ones cannot be packed", () => {
  const words = Uint32Array.of(0x7fc0_1234, 0x8000_0000, 0x7f80_0000, 1);
  const whole = packed(formatOf(vk.VK_FORMAT_R32G32B32A32_SFLOAT), new Uint8Array(words.buffer));
  assertEquals([...new Uint32Array(whole.buffer)], [...words]);
  const floats = new Uint8Array(Float32Array.of(-0, Infinity, 65504, 2 ** -24).buffer);
  const halves = packed(formatOf(vk.VK_FORMAT_R16G16B16A16_SFLOAT), floats);
  assertEquals([...new Uint16Array(halves.buffer)], [0x8000, 0x7c00, 0x7bff, 1]);
  const [packable, ...others] = [
    vk.VK_FORMAT_B10G11R11_UFLOAT_PACK32,
    vk.VK_FORMAT_E5B9G9R9_UFLOAT_PACK32,
    vk.VK_FORMAT_R64_UINT,
  ].map((format) => isPackable(formatOf(format)));
  assertEquals([packable, others], [true, [false, false]]);
});
