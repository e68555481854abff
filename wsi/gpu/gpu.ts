import type {
  VkBufferImageCopy,
  VkCommandBuffer,
  VkDevice,
  VkFormat,
  VkImage,
  VkImageLayout,
  VkImageView,
  VkPipeline,
  VkPipelineLayout,
  VkRenderPass,
  VkSubpassDescription,
} from "../../loader/types.ts";
import type { Picture } from "../consumer/pixels/convert.ts";
import { bareImage, type BareImageInfo, KnownImages, readImage, type ViewInfo } from "./bare_image.ts";
import { type Bench, duringCall, ownedDevice, submit } from "./bench.ts";
import { type GpuBuffer, makeBuffer } from "./buffer.ts";
import { compute, type ComputeOptions, makeComputePipeline } from "./compute.ts";
import type { OpenedDevice } from "./device.ts";
import { type DescriptorInput, type DescriptorSetWithLayout, makeDescriptors } from "./inputs.ts";
import { draw, type DrawOptions, type GraphicsPipelineInfo, makeGraphicsPipeline } from "./draw.ts";
import { changeLayout, type GpuImage, type GpuImageOptions, makeImage } from "./image.ts";
import { type GpuSampler, makeSampler, type SamplerOptions } from "./sampler.ts";
import type { ShaderCode } from "./shader.ts";
import { makeViewsPass, type PassFacts, type ViewAttachment, type ViewsPass } from "./render_pass.ts";
import {
  VK_FORMAT_B8G8R8A8_SRGB,
  VK_FORMAT_B8G8R8A8_UNORM,
  VK_FORMAT_R8G8B8A8_SRGB,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
} from "../../loader/gen/enums_core_gen.js";

const RGBA: readonly VkFormat[] = [VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB];
const BGRA: readonly VkFormat[] = [VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB];

/**
 * Reads an image with four bytes in each pixel, RGBA or BGRA, as RGBA. Afterwards the image is in
 * VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL.
 *
 * @throws {TypeError} for another format.
 */
function readPixels(bench: Bench, image: GpuImage): Picture<Uint8Array> {
  const { width, height, format } = image, isSwapped = BGRA.includes(format);
  if (!isSwapped && !RGBA.includes(format)) {
    throw new TypeError(
      `Cannot read pixels of format ${format}: copy them to an image of VK_FORMAT_R8G8B8A8_UNORM first`,
    );
  }
  const data = duringCall(bench, (own) => copyOut(own, image));
  if (isSwapped) { for (let at = 0; at < data.length; at += 4) [data[at], data[at + 2]] = [data[at + 2], data[at]]; }
  return { width, height, data };
}

function copyOut(bench: Bench, image: GpuImage): Uint8Array {
  const { width, height, aspectMask } = image, layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  submit(bench, (commands) => changeLayout(commands, image, layout));
  const region = { imageSubresource: { aspectMask }, imageExtent: { width, height } };
  return readImage(bench, image.image, layout, 4 * width * height, region).bytes.slice();
}

/**
 * A device, and functions for the usual tasks of programs. Buffers, images and samplers that these functions make live
 * until the device is closed. A program destroys the objects that it makes with the device's own commands, or gives
 * them to `owned`; `ownedDevice` does the latter by itself.
 */
export interface GpuTools extends OpenedDevice {
  /** Disposed of before the device, in reverse order. */
  readonly owned: DisposableStack;
  /** The device again: what its commands create or allocate is given to `owned`. Do not destroy such objects yourself. */
  readonly ownedDevice: VkDevice;
  /**
   * Makes a buffer of a size in bytes, or with these contents, that the
   * processor sees and shaders use.
   *
   * @param usage VK_BUFFER_USAGE_… bits. Default: everything of Vulkan 1.0 but texel buffers.
   */
  buffer(contents: number | ArrayBufferView, usage?: number): GpuBuffer;
  /** Makes an image to draw into, to sample and to read. */
  image(options: GpuImageOptions): GpuImage;
  /**
   * Makes an image of any kind, without a view, in memory of its own, which is zero. Default: two dimensions, one level,
   * one layer, one sample.
   */
  bareImage(info: BareImageInfo): VkImage;
  /** Makes a view of an image of `bareImage`. Default: all of the image, with its format. */
  view(image: VkImage, info?: ViewInfo): VkImageView;
  /**
   * Makes a render pass of one subpass over views of `view`, with its framebuffer. The pass waits for all earlier
   * commands, and all later commands wait for the pass.
   *
   * @param subpass Default: all views with colour, and the first one with depth or stencil.
   */
  renderPass(attachments: readonly ViewAttachment[], subpass?: VkSubpassDescription): ViewsPass;
  /**
   * Makes a graphics pipeline. Default: triangles without vertex buffers, culling, depth test or blending, which cover
   * the pass that `renderPass` made; each member that is given replaces its default.
   */
  graphicsPipeline(info: GraphicsPipelineInfo): VkPipeline;
  /** Makes a compute pipeline. Default: a layout without descriptors and push constants. */
  computePipeline(shader: ShaderCode, layout?: VkPipelineLayout): VkPipeline;
  /** Makes a descriptor set with its layout, from the bindings and what is bound there. */
  descriptorSet(descriptors: readonly DescriptorInput[]): DescriptorSetWithLayout;
  /** Makes a sampler. */
  sampler(options?: SamplerOptions): GpuSampler;
  /** Milliseconds that the device has worked so far for these functions; `undefined` if its queue has no timestamps. */
  deviceTime(): number | undefined;
  /** Records commands, runs them and waits until they are finished. */
  submit(record: (commands: VkCommandBuffer) => void): void;
  /** Runs a compute shader and waits until it is finished. */
  compute(options: ComputeOptions): void;
  /** Draws with a pair of shaders and waits until the drawing is finished. */
  draw(options: DrawOptions): void;
  /**
   * Copies texels of an image into a new buffer, after all earlier commands.
   *
   * @param layout The layout that the image has, and keeps. Depth beside stencil can be read from
   * VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL and VK_IMAGE_LAYOUT_GENERAL alone.
   * @param bytes The size of the texels.
   * @param region The part of the image. Default: one texel of colour at 0, 0 of the first level and layer; each member
   * that is given replaces its default.
   */
  readImage(image: VkImage, layout: VkImageLayout, bytes: number, region?: VkBufferImageCopy): GpuBuffer;
  /** Reads an image with four bytes in each pixel, as RGBA, rows from the top. */
  pixels(image: GpuImage): Picture<Uint8Array>;
}

/** Makes the functions around a device. */
export function makeTools(bench: Bench): GpuTools {
  const { clock, ...opened } = bench, known = new KnownImages(), passes = new Map<VkRenderPass, PassFacts>();
  return {
    ...opened,
    ownedDevice: ownedDevice(bench.device, bench.owned),
    deviceTime: () => clock.milliseconds,
    buffer: (contents, usage) => makeBuffer(bench, contents, usage),
    image: (options) => makeImage(bench, options),
    bareImage: (info) => known.add(bareImage(bench, info), info),
    view: (image, info = {}) => known.view(bench, image, info),
    renderPass(attachments, subpass = {}) {
      const [pass, facts] = makeViewsPass(bench, known, attachments, subpass);
      passes.set(pass.renderPass, facts);
      return pass;
    },
    graphicsPipeline: (info) => makeGraphicsPipeline(bench, info, passes.get(info.renderPass as VkRenderPass)),
    computePipeline: (shader, layout) => makeComputePipeline(bench, shader, layout),
    descriptorSet: (descriptors) => makeDescriptors(bench, descriptors),
    sampler: (options) => makeSampler(bench, options),
    submit: (record) => submit(bench, record),
    compute: (options) => compute(bench, options),
    draw: (options) => draw(bench, options),
    readImage: (...place) => readImage(bench, ...place),
    pixels: (image) => readPixels(bench, image),
  };
}
