/**
 * Scenes as programs of steps, of which a program can carry out the first ones alone and then read its own images and
 * buffers.
 *
 * @module
 */
import * as vk from "../../../../../loader/vk.ts";
import type { VkCommandBuffer, VkImage, VkPipelineLayout } from "../../../../../loader/types.ts";
import type { VulkanOptions } from "../../../../../loader/mod.ts";
import { fullBarrier, turnImage } from "../../../../../wsi/gpu/barriers.ts";
import { type Gpu, openGpu } from "../../../../../wsi/gpu/open_gpu.ts";
import { apiRecording } from "../../../../../workbench/layers.ts";
import { compileShader } from "../../../../support/compile_shader.ts";

/** Texels of a side of every image. */
export const SIDE = 16;
export const COLOR = vk.VK_FORMAT_R8G8B8A8_UNORM, DEPTH = vk.VK_FORMAT_D32_SFLOAT;
/** Bytes of a texel of both formats. */
const TEXEL = 4;

/** A step of a scene: one action, and commands around it that are none. */
export interface Step {
  /** Records the action. */
  readonly record: (commands: VkCommandBuffer) => void;
  /** Whether the action begins a pass or ends one, or is inside of a secondary command buffer. */
  readonly role?: "begin" | "end" | "secondary";
}

/** A level of an image of a scene. */
interface StagedImage {
  readonly image: VkImage;
  readonly level: number;
  readonly format: number;
  /** Whether the program can read it: images of several samples cannot be copied to buffers. */
  readonly isRead: boolean;
  /** Whether the ends of passes write it. */
  isResolved: boolean;
}

/** A scene that is set up: its steps in order, and what is looked at. */
export interface Scene {
  readonly steps: readonly Step[];
  /** Levels of images, in the order in which these are made, with their kind. */
  readonly images: readonly StagedImage[];
  /** Buffers of sizes that no other buffer has. */
  readonly buffers: readonly { readonly bytes: Uint8Array }[];
}

/** The tools of a scene. */
export class Stage {
  readonly images: StagedImage[] = [];
  readonly steps: Step[] = [];
  readonly buffers: { bytes: Uint8Array }[] = [];

  /** `canCount` says whether the device draws as often as a buffer says. */
  constructor(readonly gpu: Gpu, readonly canCount: boolean) {}

  /** Makes an image in the general layout. */
  image(format: number, samples = 1, mipLevels = 1): VkImage {
    const use = format === DEPTH
      ? vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
      : vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | (samples === 1 ? vk.VK_IMAGE_USAGE_STORAGE_BIT : 0);
    const usage = use | vk.VK_IMAGE_USAGE_SAMPLED_BIT | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
      vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const image = this.gpu.bareImage({
      format: format as never,
      extent: { width: SIDE, height: SIDE },
      samples: samples as never,
      mipLevels,
      usage,
    });
    for (let level = 0; level < mipLevels; level++) {
      this.images.push({ image, level, format, isRead: samples === 1, isResolved: false });
    }
    return image;
  }

  /** Makes a buffer whose contents are looked at. */
  buffer(contents: number | ArrayBufferView) {
    const made = this.gpu.buffer(contents);
    this.buffers.push(made);
    return made;
  }

  step(record: Step["record"], role?: Step["role"]): void {
    this.steps.push({ record, ...role && { role } });
  }

  /** Begins a pass over images that are in the general layout before and after. */
  pass(images: readonly VkImage[], loadOp: number, resolve?: VkImage, isSecondary = false) {
    const GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL, layouts = { initialLayout: GENERAL, finalLayout: GENERAL } as const;
    const all = [...images, ...resolve ? [resolve] : []].map((image) => ({
      ...layouts,
      view: this.gpu.view(image),
      loadOp: loadOp as never,
    }));
    const subpass = resolve
      ? {
        pColorAttachments: [{ attachment: 0, layout: vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL }],
        pResolveAttachments: [{ attachment: 1, layout: vk.VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL }],
      }
      : undefined;
    for (const each of this.images) if (each.image === resolve) each.isResolved = true;
    const pass = this.gpu.renderPass(all, subpass as never);
    const isDepth = (image: VkImage) => this.images.find((each) => each.image === image)!.format === DEPTH;
    const pClearValues = images.map((image) =>
      isDepth(image) ? { depthStencil: { depth: 1, stencil: 0 } } : { color: { float32: [0.125, 0.25, 0.5, 1] } }
    );
    const contents = isSecondary ? vk.VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : vk.VK_SUBPASS_CONTENTS_INLINE;
    this.step((commands) => commands.vkCmdBeginRenderPass({ ...pass, pClearValues } as never, contents), "begin");
    return pass;
  }

  endPass(): void {
    this.step((commands) => commands.vkCmdEndRenderPass(), "end");
  }

  /** A compute pipeline with images and buffers at the bindings of set 0, in order. */
  dispatch(source: string, resources: readonly (VkImage | { readonly buffer: bigint })[], groups = SIDE / 4): void {
    const { gpu } = this, stageFlags = vk.VK_SHADER_STAGE_COMPUTE_BIT;
    const { set, layout } = gpu.descriptorSet(
      resources.map((each) =>
        typeof each === "object"
          ? {
            descriptorType: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            stageFlags,
            pBufferInfo: [{ buffer: each.buffer as never }],
          }
          : {
            descriptorType: vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
            stageFlags,
            pImageInfo: [{ imageView: gpu.view(each), imageLayout: vk.VK_IMAGE_LAYOUT_GENERAL }],
          }
      ) as never,
    );
    const pipelineLayout = gpu.ownedDevice.vkCreatePipelineLayout({ pSetLayouts: [layout] });
    const pipeline = gpu.computePipeline(compileShader(source), pipelineLayout);
    this.step((commands) => {
      commands.vkCmdBindPipeline(vk.VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      commands.vkCmdBindDescriptorSets(vk.VK_PIPELINE_BIND_POINT_COMPUTE, pipelineLayout, 0, [set], []);
      commands.vkCmdDispatch(groups, groups, 1);
    });
  }

  layout(): VkPipelineLayout {
    return this.gpu.ownedDevice.vkCreatePipelineLayout({});
  }
}

/** Sets a scene up, and carries out its first steps. `isDone` is called while its objects are alive. */
function perform(
  gpu: Gpu,
  canCount: boolean,
  build: (stage: Stage) => void,
  count: number,
  isDone: (scene: Scene) => void,
): void {
  const stage = new Stage(gpu, canCount);
  build(stage);
  const steps = stage.steps.slice(0, count), secondaries = secondariesOf(gpu, steps);
  gpu.submit((commands) => {
    for (const { image, format } of stage.images.filter(({ level }) => level === 0)) {
      const aspect = format === DEPTH ? vk.VK_IMAGE_ASPECT_DEPTH_BIT : vk.VK_IMAGE_ASPECT_COLOR_BIT;
      turnImage(commands, image, vk.VK_IMAGE_LAYOUT_UNDEFINED, vk.VK_IMAGE_LAYOUT_GENERAL, aspect);
    }
    let isInside = false;
    for (const step of steps) {
      if (!isInside) fullBarrier(commands);
      if (step.role === "begin" || step.role === "end") isInside = step.role === "begin";
      if (step.role !== "secondary") step.record(commands);
      else if (secondaries.has(step)) commands.vkCmdExecuteCommands([secondaries.get(step)!]);
    }
    if (isInside) commands.vkCmdEndRenderPass();
  });
  isDone(stage);
}

/** A secondary command buffer for all steps that follow each other in one, by the last of them. */
function secondariesOf(gpu: Gpu, steps: readonly Step[]): Map<Step, VkCommandBuffer> {
  const inside = steps.filter(({ role }) => role === "secondary"), found = new Map<Step, VkCommandBuffer>();
  if (inside.length === 0) return found;
  const commandPool = gpu.ownedDevice.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = gpu.ownedDevice.vkAllocateCommandBuffers({
    commandPool,
    level: vk.VK_COMMAND_BUFFER_LEVEL_SECONDARY,
    commandBufferCount: 1,
  });
  commands.vkBeginCommandBuffer({
    flags: vk.VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
    pInheritanceInfo: { renderPass: inheritedPass.get(gpu)! as never, subpass: 0 },
  });
  for (const { record } of inside) record(commands);
  commands.vkEndCommandBuffer();
  return found.set(inside.at(-1)!, commands);
}

/** The pass that secondary command buffers are for. */
export const inheritedPass: WeakMap<Gpu, bigint> = new WeakMap();

/** Bytes of what a scene's program reads after its first steps: levels of images by their number, then buffers. */
export interface ReadBack {
  readonly images: readonly (Uint8Array | undefined)[];
  readonly buffers: readonly Uint8Array[];
}

const OPTIONS = {
  apiVersion: vk.VK_API_VERSION_1_2,
  features: { multiDrawIndirect: true, drawIndirectFirstInstance: true },
} as const;
const FEATURES = vk.VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;

/** Whether a driver draws as often as a buffer says. */
export function canCountIn(driver: string): boolean {
  using gpu = openGpu({ ...OPTIONS, driver });
  return gpu.physicalDevice.vkGetPhysicalDeviceFeatures2([FEATURES]).pNext[0].drawIndirectCount;
}

/** Opens a driver with what the scenes need. */
function open({ driver, canCount }: StageDriver, layers: VulkanOptions["layers"] = []): Gpu {
  const pNext = canCount ? [{ sType: FEATURES, drawIndirectCount: true }] as const : [];
  return openGpu({ ...OPTIONS, pNext, driver, layers });
}

/** A driver, and whether it draws as often as a buffer says. */
export interface StageDriver {
  readonly driver: string;
  readonly canCount: boolean;
}

/** The scene's own reading after its first steps. */
export function readBack(driver: StageDriver, build: (stage: Stage) => void, count: number): ReadBack {
  using gpu = open(driver);
  let found: ReadBack | undefined;
  perform(gpu, driver.canCount, build, count, ({ images, buffers }) => {
    found = {
      images: images.map(({ image, level, format, isRead }) => {
        const aspectMask = format === DEPTH ? vk.VK_IMAGE_ASPECT_DEPTH_BIT : vk.VK_IMAGE_ASPECT_COLOR_BIT;
        const side = SIDE >> level, imageExtent = { width: side, height: side };
        const region = { imageSubresource: { aspectMask, mipLevel: level }, imageExtent };
        if (!isRead) return undefined;
        return gpu.readImage(image, vk.VK_IMAGE_LAYOUT_GENERAL, TEXEL * side * side, region as never).bytes.slice();
      }),
      buffers: buffers.map(({ bytes }) => bytes.slice()),
    };
  });
  return found!;
}

/**
 * Records all steps of a scene. Returns their roles, the image and level of each number, and the numbers that the ends
 * of passes write.
 */
export function recordStage(path: string, driver: StageDriver, build: (stage: Stage) => void) {
  using recording = apiRecording({ path });
  let roles: Step["role"][] = [], resolved: number[] = [], places: { image: number; level: number }[] = [];
  {
    using gpu = open(driver, [recording.layer]);
    perform(gpu, driver.canCount, build, Infinity, ({ steps, images }) => {
      roles = steps.map(({ role }) => role);
      const made = [...new Set(images.map(({ image }) => image))];
      places = images.map(({ image, level }) => ({ image: made.indexOf(image), level }));
      resolved = images.flatMap(({ isResolved }, at) => isResolved ? [at] : []);
    });
  }
  recording.close();
  if (recording.error !== undefined || recording.gaps.length > 0) throw recording.error ?? recording.gaps;
  return { roles, resolved, places };
}
