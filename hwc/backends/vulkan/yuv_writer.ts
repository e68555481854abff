import type {
  VkBuffer,
  VkCommandBuffer,
  VkDescriptorSet,
  VkFence,
  VkPipeline,
  VkPipelineLayout,
} from "../../../loader/gen/types_core_gen.ts";
import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_SHADER_READ_BIT,
  VK_ACCESS_SHADER_WRITE_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import { waitForSubmission } from "../../../wsi/gpu/bench.ts";
import type { Rect } from "../../types.ts";
import type { RgbToYuv, YuvChannel } from "../colors/yuv_coefficients.ts";
import type { Surface, YuvPlanes } from "../surface.ts";
import { chromaOf } from "../yuv_target.ts";
import type { ComposeDevice } from "./device.ts";
import { yuvComp } from "./shaders_gen.ts";

const PUSH_BYTES = 80, GROUP = { width: 32, height: 8 }, PATIENCE = 5_000_000_000n;
/** The flags of yuv.comp. */
const WIDE = 1, PAIRS = 2, SECOND_FIRST = 4, SHARED_ACROSS = 8, SHARED_DOWN = 16, AT_LEFT = 32, AT_TOP = 64, LUMA = 128;

/** One plane for the shader. */
interface Plane {
  readonly area: Rect;
  /** Bytes from the start of the buffer, from row to row, and from sample, or pair of samples, to the next. */
  readonly offset: number;
  readonly stride: number;
  readonly step: number;
  readonly flags: number;
  readonly channels: readonly (readonly number[])[];
}

/** Turns RGBA pictures into YUV on a device. */
export class YuvWriter {
  readonly #on: ComposeDevice;
  readonly #layout: VkPipelineLayout;
  readonly #pipeline: VkPipeline;
  readonly #set: VkDescriptorSet;
  readonly #commands: VkCommandBuffer;
  readonly #fence: VkFence;
  readonly #push = new DataView(new ArrayBuffer(PUSH_BYTES));

  /** Compiles the shader. All of it ends with the device. */
  constructor(on: ComposeDevice) {
    const { device, owned, family } = this.#on = on, stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    using made = new DisposableStack();
    const storage = { descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 1, stageFlags };
    const setLayout = device.vkCreateDescriptorSetLayout({
      pBindings: [0, 1].map((binding) => ({ binding, ...storage })),
    });
    made.defer(() => device.vkDestroyDescriptorSetLayout(setLayout));
    const pPushConstantRanges = [{ stageFlags, size: PUSH_BYTES }];
    const layout = this.#layout = device.vkCreatePipelineLayout({ pSetLayouts: [setLayout], pPushConstantRanges });
    made.defer(() => device.vkDestroyPipelineLayout(layout));
    const module = device.vkCreateShaderModule({ pCode: yuvComp() });
    made.defer(() => device.vkDestroyShaderModule(module));
    const stage = { stage: stageFlags, module, pName: "main" };
    const pipeline = this.#pipeline = device.vkCreateComputePipelines(0n as never, [{ stage, layout }]).pipelines[0];
    made.defer(() => device.vkDestroyPipeline(pipeline));
    const pPoolSizes = [{ type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptorCount: 2 }];
    const descriptorPool = device.vkCreateDescriptorPool({ maxSets: 1, pPoolSizes });
    made.defer(() => device.vkDestroyDescriptorPool(descriptorPool));
    [this.#set] = device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts: [setLayout] });
    const flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    const commandPool = device.vkCreateCommandPool({ flags, queueFamilyIndex: family });
    made.defer(() => device.vkDestroyCommandPool(commandPool));
    const level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    [this.#commands] = device.vkAllocateCommandBuffers({ commandPool, level, commandBufferCount: 1 });
    this.#fence = made.adopt(device.vkCreateFence({}), (each) => device.vkDestroyFence(each));
    owned.use(made.move());
  }

  /** Writes parts of a picture. The samples are complete when the function returns. */
  write(from: VkBuffer, to: VkBuffer, picture: Surface, target: Surface, rects: readonly Rect[], by: RgbToYuv): void {
    const { device, queue } = this.#on, commands = this.#commands;
    device.vkUpdateDescriptorSets([from, to].map((buffer, dstBinding) => ({
      dstSet: this.#set,
      dstBinding,
      descriptorCount: 1,
      descriptorType: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      pBufferInfo: [{ buffer, range: WHOLE }],
    })));
    commands.vkBeginCommandBuffer({});
    commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, this.#pipeline);
    commands.vkCmdBindDescriptorSets(VK_PIPELINE_BIND_POINT_COMPUTE, this.#layout, 0, [this.#set]);
    rects.flatMap((rect) => planesOf(rect, target.yuv!, picture, by)).forEach((plane, index) => {
      if (index > 0) barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, READ_AND_WRITE);
      this.#dispatch(plane, picture, by);
    });
    barrier(commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    commands.vkEndCommandBuffer();
    queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], this.#fence);
    waitForSubmission(device, queue, this.#fence, PATIENCE);
    device.vkResetFences([this.#fence]);
  }

  #dispatch({ area, offset, stride, step, flags, channels }: Plane, picture: Surface, { most }: RgbToYuv): void {
    const { left, top, right, bottom } = area, [first, second = first] = channels;
    const begin = left * step >> 2, words = (right * step + 3 >> 2) - begin;
    if (words <= 0 || bottom <= top) return;
    [
      ...[left, top, right, bottom],
      ...[picture.width, picture.height, picture.pitch >> 2, flags],
      ...[offset >> 2, stride >> 2, most, begin],
      ...first,
      ...second,
    ].forEach((value, index) => this.#push.setInt32(4 * index, value, true));
    this.#commands.vkCmdPushConstants(this.#layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, this.#push);
    this.#commands.vkCmdDispatch(Math.ceil(words / GROUP.width), Math.ceil((bottom - top) / GROUP.height), 1);
  }
}

const READ_AND_WRITE = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
const WHOLE = 0xffff_ffff_ffff_ffffn;

/** Whether the shader writes such planes: each word belongs to one plane. */
export function isInWords({ y, cb, cr, ystride, cstride, ystep, wide }: YuvPlanes): boolean {
  const isPair = Math.abs(cb - cr) <= 2, bases = isPair ? [Math.min(cb, cr)] : [cb, cr];
  return ystep === (wide ? 2 : 1) && [y, ystride, cstride, ...bases].every((bytes) => bytes % 4 === 0);
}

function planesOf(rect: Rect, planes: YuvPlanes, picture: Surface, by: RgbToYuv): Plane[] {
  const { y, cb, cr, ystride, cstride, ystep, cstep, wide, shiftX, shiftY } = planes, unit = wide ? WIDE : 0;
  const factors = ({ r, g, b }: YuvChannel, add: number) => [r, g, b, add], add = (by.gray << 20) + (1 << 19);
  const luma = { area: rect, offset: y, stride: ystride, step: ystep, flags: unit | LUMA };
  const shared = (shiftX ? SHARED_ACROSS : 0) | (shiftY ? SHARED_DOWN : 0);
  const flags = unit | shared | (by.isLeft ? AT_LEFT : 0) | (by.isTop ? AT_TOP : 0);
  const chroma = { area: chromaOf(rect, planes, picture), stride: cstride, step: cstep };
  const blue = factors(by.cb, add), red = factors(by.cr, add), order = cr < cb ? SECOND_FIRST : 0;
  const isPair = cstep > ystep;
  return [
    { ...luma, channels: [factors(by.y, (by.black << 16) + 32768)] },
    ...isPair
      ? [{ ...chroma, offset: Math.min(cb, cr), flags: flags | PAIRS | order, channels: [blue, red] }]
      : [{ ...chroma, offset: cb, flags, channels: [blue] }, { ...chroma, offset: cr, flags, channels: [red] }],
  ];
}

function barrier(commands: VkCommandBuffer, stage: number, dstAccessMask: number): void {
  const written = { srcAccessMask: VK_ACCESS_SHADER_WRITE_BIT, dstAccessMask };
  commands.vkCmdPipelineBarrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, stage, 0, [written]);
}
