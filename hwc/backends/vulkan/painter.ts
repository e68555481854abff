import type { VkBuffer, VkCommandBuffer, VkDescriptorSet, VkFence } from "../../../loader/gen/types_core_gen.ts";
import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_SHADER_READ_BIT,
  VK_ACCESS_SHADER_WRITE_BIT,
  VK_ACCESS_TRANSFER_WRITE_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_PIPELINE_BIND_POINT_COMPUTE,
  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_SHADER_STAGE_COMPUTE_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { waitForSubmission } from "../../../wsi/gpu/bench.ts";
import type { Rect } from "../../types.ts";
import type { CompositionRule } from "../backend.ts";
import type { Painter, Run, Step, YuvJob } from "../plan/step.ts";
import type { Surface } from "../surface.ts";
import { COLOR_BYTES, ColorStore } from "../shader/color_store.ts";
import type { ComposeDevice } from "./device.ts";
import { type GpuBuffer, hostBuffer } from "./gpu_buffer.ts";
import { COMMON_BINDINGS, LAYERS_BINDING, Pipelines, PUSH_BYTES } from "./pipelines.ts";
import {
  areaOfRun,
  type Chunk,
  chunksOf,
  GOES_ON,
  LAYER_BYTES,
  shapeOf,
  TARGETS,
  wordOf,
  writeLayer,
  writeNothing,
} from "../shader/shape.ts";
import { type PendingCopy, SurfaceBuffers } from "./surface_buffers.ts";
import { VulkanTiles } from "./tiles.ts";
import { isInWords, YuvWriter } from "./yuv_writer.ts";

const GROUP = { width: 32, height: 8 };
const BLOCK_BYTES = 2048;
const PATIENCE = 5_000_000_000n;

/** Draws by compute shaders, directly in the buffers' memory if the driver can. */
export class VulkanPainter implements Painter {
  /** The backend's name. */
  readonly name = "vulkan";
  /** Reads tiles that the driver lists. */
  readonly tiles: VulkanTiles;
  readonly #on: ComposeDevice;
  /** Dispatches of one submission, each with a descriptor set and a block of its own; so many that their conversions have room. */
  readonly #most: number;
  readonly #pipelines: Pipelines;
  readonly #buffers: SurfaceBuffers;
  readonly #tables: GpuBuffer;
  readonly #colors: ColorStore;
  readonly #blocks: GpuBuffer;
  readonly #view: DataView;
  readonly #sets: readonly VkDescriptorSet[];
  readonly #commands: VkCommandBuffer;
  readonly #fence: VkFence;
  readonly #push = new DataView(new ArrayBuffer(PUSH_BYTES));
  #yuv: YuvWriter | undefined;

  /** Takes the device over. */
  constructor(on: ComposeDevice) {
    const { device, owned } = this.#on = on;
    this.#most = ColorStore.places / on.layersAtOnce;
    this.#pipelines = new Pipelines(on);
    const { kept } = this.#buffers = new SurfaceBuffers(on);
    owned.defer(() => kept.close());
    this.tiles = owned.adopt(new VulkanTiles(on), (each) => each.close());
    this.#tables = this.#hostBuffer(COLOR_BYTES, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    this.#colors = new ColorStore(viewOf(this.#tables));
    this.#blocks = this.#hostBuffer(this.#most * BLOCK_BYTES, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
    this.#view = viewOf(this.#blocks);
    this.#sets = this.#makeSets();
    const flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    const commandPool = device.vkCreateCommandPool({ flags, queueFamilyIndex: on.family });
    owned.defer(() => device.vkDestroyCommandPool(commandPool));
    const level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    [this.#commands] = device.vkAllocateCommandBuffers({ commandPool, level, commandBufferCount: 1 });
    this.#fence = owned.adopt(device.vkCreateFence({}), (each) => device.vkDestroyFence(each));
  }

  /** RGBA, RGBX and BGRA of eight bits. */
  writes({ kind, size }: Surface, rule: CompositionRule): true | string {
    if (rule !== "p") return `its shaders have no rule "${rule}"`;
    if (size > this.#on.mostBytes) return `its device sees ${this.#on.mostBytes} bytes of a buffer`;
    return TARGETS[kind] !== undefined || `its shaders do not write ${kind}`;
  }

  /** All formats and blend modes. */
  can({ source }: Step): true | string {
    if (!source || source.surface.size <= this.#on.mostBytes) return true;
    return `its device sees ${this.#on.mostBytes} bytes of a buffer`;
  }

  /** Draws. When it returns, the pixels are there. */
  paint(target: Surface, run: Run, buffer?: GraphicBuffer): void {
    const area = areaOfRun(run);
    if (area.length === 0) return;
    const chunks = chunksOf(run, this.#on.layersAtOnce), to = this.#buffers.target(buffer!, !run.isFirst);
    for (let begin = 0; begin < chunks.length; begin += this.#most) {
      this.#submit(chunks.slice(begin, begin + this.#most), to, target, run, area);
    }
    this.#buffers.finish(buffer!, target, area);
    this.#buffers.kept.endFrame();
  }

  /** Writes YUV by a shader, where each word of memory belongs to one plane. */
  writeYuv({ picture, from, target, to, rects, conversion }: YuvJob): boolean {
    if (!isInWords(to.yuv!) || [from, to].some(({ size }) => size > this.#on.mostBytes)) return false;
    this.#yuv ??= new YuvWriter(this.#on);
    const source = this.#buffers.drawn(picture), into = this.#buffers.target(target, true);
    this.#yuv.write(source, into, from, to, rects, conversion);
    this.#buffers.finishAll(target);
    this.#buffers.kept.endFrame();
    return true;
  }

  /** Frees what is kept about a buffer. */
  forget(buffer: GraphicBuffer): void {
    this.#buffers.kept.forget(buffer);
  }

  /** Destroys everything. */
  close(): void {
    this.#on.owned.dispose();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #hostBuffer(size: number, usage: number): GpuBuffer {
    return this.#on.owned.adopt(hostBuffer(this.#on, size, usage), (each) => each.close());
  }

  #makeSets(): VkDescriptorSet[] {
    const { device, owned } = this.#on,
      pPoolSizes = [
        {
          type: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
          descriptorCount: this.#most * (COMMON_BINDINGS - 1 + this.#on.layersAtOnce),
        },
        { type: VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, descriptorCount: this.#most },
      ];
    const descriptorPool = device.vkCreateDescriptorPool({ maxSets: this.#most, pPoolSizes });
    owned.defer(() => device.vkDestroyDescriptorPool(descriptorPool));
    const pSetLayouts = Array.from({ length: this.#most }, () => this.#pipelines.setLayout);
    return device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts });
  }

  #submit(chunks: readonly Chunk[], to: VkBuffer, target: Surface, run: Run, area: readonly Rect[]): void {
    const commands = this.#commands, { device, queue } = this.#on, copies: PendingCopy[] = [];
    this.#colors.makeRoom(chunks.flatMap(({ steps }) => steps.flatMap(({ conversion }) => conversion ?? [])));
    chunks.forEach(({ steps }, index) => this.#prepare(index, steps, to, copies));
    commands.vkBeginCommandBuffer({});
    recordCopies(commands, copies);
    chunks.forEach((chunk, index) => {
      if (index > 0) barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
      this.#dispatch(index, chunk, target, run, area);
    });
    barrier(commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    commands.vkEndCommandBuffer();
    queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], this.#fence);
    waitForSubmission(device, queue, this.#fence, PATIENCE);
    device.vkResetFences([this.#fence]);
  }

  /** Writes a chunk's block, and has its set show its buffers. */
  #prepare(index: number, steps: readonly Step[], to: VkBuffer, copies: PendingCopy[]): void {
    const sources: VkBuffer[] = [];
    for (let layer = 0; layer < this.#on.layersAtOnce; layer++) {
      const step = steps[layer], at = index * BLOCK_BYTES + layer * LAYER_BYTES;
      if (step) writeLayer(this.#view, at, step, this.#colors.placeOf(step.conversion));
      else writeNothing(this.#view, at);
      const source = step?.source;
      // A binding must not be empty: the target stands in for a source that the shader does not read.
      sources.push(source ? this.#buffers.source(source, copies) : to);
    }
    const buffers = [to, this.#tables.buffer, this.#blocks.buffer, ...sources];
    this.#bind(index, buffers);
  }

  #bind(index: number, buffers: VkBuffer[]): void {
    this.#on.device.vkUpdateDescriptorSets(buffers.map((buffer, dstBinding) => ({
      dstSet: this.#sets[index],
      dstBinding,
      descriptorCount: 1,
      descriptorType: dstBinding === LAYERS_BINDING
        ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
        : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      pBufferInfo: [
        dstBinding === LAYERS_BINDING
          ? { buffer, offset: BigInt(index * BLOCK_BYTES), range: BigInt(this.#on.layersAtOnce * LAYER_BYTES) }
          : { buffer, range: WHOLE },
      ],
    })));
  }

  #dispatch(index: number, { steps, isFirst }: Chunk, target: Surface, run: Run, area: readonly Rect[]): void {
    const commands = this.#commands, { layout } = this.#pipelines;
    const pipeline = this.#pipelines.of(steps.map(shapeOf), TARGETS[target.kind]! | (isFirst ? 0 : GOES_ON));
    commands.vkCmdBindPipeline(VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    commands.vkCmdBindDescriptorSets(VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, [this.#sets[index]]);
    this.#push.setInt32(16, target.pitch >> 2, true);
    this.#push.setInt32(20, wordOf(run.backgroundColor), true);
    for (const { left, top, right, bottom } of area) {
      [left, top, right, bottom].forEach((value, word) => this.#push.setInt32(4 * word, value, true));
      commands.vkCmdPushConstants(layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, this.#push);
      const groups = [Math.ceil((right - left) / GROUP.width), Math.ceil((bottom - top) / GROUP.height)];
      commands.vkCmdDispatch(groups[0], groups[1], 1);
    }
  }
}

const WHOLE = 0xffff_ffff_ffff_ffffn;

/** The host's view of a buffer. */
function viewOf({ address, size }: GpuBuffer): DataView {
  return new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size));
}

function recordCopies(commands: VkCommandBuffer, copies: readonly PendingCopy[]): void {
  if (copies.length === 0) return;
  for (const { from, to, size } of copies) commands.vkCmdCopyBuffer(from, to, [{ size: BigInt(size) }]);
  const written = { srcAccessMask: VK_ACCESS_TRANSFER_WRITE_BIT, dstAccessMask: VK_ACCESS_SHADER_READ_BIT };
  commands.vkCmdPipelineBarrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, [written]);
}

/** Makes the composed pixels visible to the next commands. */
function barrier(commands: VkCommandBuffer, stage: number, access: number): void {
  const written = { srcAccessMask: VK_ACCESS_SHADER_WRITE_BIT, dstAccessMask: access | VK_ACCESS_SHADER_WRITE_BIT };
  const dstAccessMask = stage === VK_PIPELINE_STAGE_HOST_BIT ? access : written.dstAccessMask;
  commands.vkCmdPipelineBarrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, stage, 0, [{ ...written, dstAccessMask }]);
}
