import { closeDescriptor, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { copyMemory } from "../../../ffi/machine.ts";
import type { VkCommandBuffer, VkCommandPool, VkDeviceMemory, VkFence, VkImage } from "../../../loader/types.ts";
import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_TRANSFER_READ_BIT,
  VK_ACCESS_TRANSFER_WRITE_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
  VK_FORMAT_FEATURE_TRANSFER_SRC_BIT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
  VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_SAMPLE_COUNT_1_BIT,
} from "../../../loader/gen/enums_core_gen.js";
import {
  VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT,
  VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
  VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
  VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
  VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
} from "../../../loader/gen/enums_stype_gen.js";
import { VulkanError } from "../../../loader/error.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { modifierName } from "../../../wsi/buffer/modifier.ts";
import { waitForSubmission } from "../../../wsi/gpu/bench.ts";
import { CompositionError } from "../backend.ts";
import type { TileReader } from "../tiles/tile_reader.ts";
import type { ComposeDevice } from "./device.ts";
import { type GpuBuffer, hostBuffer } from "./gpu_buffer.ts";

const DMA_BUF = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
const PATIENCE = 5_000_000_000n;
const COLOR = { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, baseMipLevel: 0, baseArrayLayer: 0 };

/** A tiled buffer as the device sees it, and the rows that the device copies it to. */
interface Entry {
  readonly image: VkImage;
  readonly rows: GpuBuffer;
  /** Destroys all of it. */
  readonly owned: DisposableStack;
}

/** The means of copying. */
interface Work {
  readonly pool: VkCommandPool;
  readonly commands: VkCommandBuffer;
  readonly fence: VkFence;
  /** Destroys them. */
  readonly owned: DisposableStack;
}

/** Reads tiles as images whose modifiers the driver lists (VK_EXT_image_drm_format_modifier). */
export class VulkanTiles implements TileReader {
  readonly #on: ComposeDevice;
  /** The modifiers of each VkFormat from which the driver copies. */
  readonly #modifiers = new Map<number, readonly bigint[]>();
  readonly #entries = new Map<bigint, Entry>();
  #work: Work | undefined;

  /** Has imported no buffer yet. */
  constructor(on: ComposeDevice) {
    this.#on = on;
  }

  /** Whether the driver lists the modifier for the format. */
  reads({ memory, modifier, pixelFormat: { vk, name } }: GraphicBuffer): true | string {
    if (this.#on.tileMemory === 0) return "its device imports no images by a modifier";
    if (memory.fd < 0) return "its memory has no file to import";
    return this.#listed(vk).includes(modifier) || `its driver reads no ${name} in ${modifierName(modifier)}`;
  }

  /** The device copies the image to memory that the processor sees. */
  copy(from: GraphicBuffer, to: GraphicBuffer): void {
    const entry = this.#entries.get(from.id) ?? this.#import(from, to.memory.size);
    this.#submit((commands) => this.#record(commands, entry, from, to.stride));
    copyMemory(to.memory.address, entry.rows.address, to.rowPitch * to.height);
  }

  /** Destroys the image of a buffer. */
  forget({ id }: GraphicBuffer): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    entry?.owned.dispose();
  }

  /** Destroys everything. The device must not be busy with a copy. */
  close(): void {
    for (const id of [...this.#entries.keys()]) this.forget({ id } as GraphicBuffer);
    this.#work?.owned.dispose();
    this.#work = undefined;
  }

  #listed(format: number): readonly bigint[] {
    let found = this.#modifiers.get(format);
    if (!found) this.#modifiers.set(format, found = format === 0 ? [] : modifiersOf(this.#on, format));
    return found;
  }

  #import(buffer: GraphicBuffer, size: number): Entry {
    using made = new DisposableStack();
    const { device } = this.#on, image = device.vkCreateImage(this.#imageInfo(buffer));
    made.defer(() => device.vkDestroyImage(image));
    try {
      const memory = this.#importMemory(image, buffer);
      made.defer(() => device.vkFreeMemory(memory));
      device.vkBindImageMemory(image, memory, 0n);
      const rows = hostBuffer(this.#on, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
      made.defer(() => rows.close());
      const entry = { image, rows, owned: made.move() };
      this.#entries.set(buffer.id, entry);
      return entry;
    } catch (error) {
      if (!(error instanceof VulkanError)) throw error;
      const message = `Cannot compose buffer ${buffer.id}: its driver does not import it: ${error.message}`;
      throw new CompositionError("cannot-compose", message, { cause: error });
    }
  }

  #imageInfo({ width, height, rowPitch, modifier, pixelFormat: { vk: format } }: GraphicBuffer) {
    const rows = { offset: 0n, size: 0n, rowPitch: BigInt(rowPitch), arrayPitch: 0n, depthPitch: 0n };
    const layout = {
      sType: VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
      drmFormatModifier: modifier,
      pPlaneLayouts: [rows],
    } as const;
    const memory = {
      sType: VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
      handleTypes: this.#on.tileMemory,
    } as const;
    return {
      pNext: [memory, layout] as const,
      imageType: VK_IMAGE_TYPE_2D,
      format,
      extent: { width, height, depth: 1 },
      mipLevels: 1,
      arrayLayers: 1,
      samples: VK_SAMPLE_COUNT_1_BIT,
      tiling: VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
      usage: VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
    };
  }

  #importMemory(image: VkImage, { id, memory: { fd, size } }: GraphicBuffer): VkDeviceMemory {
    const { device, tileMemory: handleType } = this.#on, needs = device.vkGetImageMemoryRequirements(image);
    const known = handleType === DMA_BUF ? device.vkGetMemoryFdPropertiesKHR(handleType, fd).memoryTypeBits : ~0;
    const types = needs.memoryTypeBits & known, copy = types === 0 || needs.size > BigInt(size) ? -1 : duplicate(fd);
    if (copy < 0) {
      const message = `Cannot compose buffer ${id}: its image needs ${needs.size} bytes of memory types ` +
        `0x${needs.memoryTypeBits.toString(16)}, and its file has ${size} of 0x${(known >>> 0).toString(16)}`;
      throw new CompositionError("cannot-compose", message);
    }
    try {
      return device.vkAllocateMemory({
        pNext: [
          { sType: VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, handleType, fd: copy },
          { sType: VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, image },
        ],
        allocationSize: needs.size,
        memoryTypeIndex: 31 - Math.clz32(types & -types),
      });
    } catch (error) {
      closeDescriptor(copy); // the driver owns it only if it has taken it
      throw error;
    }
  }

  #record(commands: VkCommandBuffer, { image, rows }: Entry, { width, height }: GraphicBuffer, stride: number): void {
    const { family, otherFamily } = this.#on, stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    const subresourceRange = { ...COLOR, levelCount: 1, layerCount: 1 };
    const outside = { layout: VK_IMAGE_LAYOUT_GENERAL, family: otherFamily, access: 0 };
    const inside = { layout: VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, family, access: VK_ACCESS_TRANSFER_READ_BIT };
    const pass = (from: typeof outside | typeof inside, to: typeof outside | typeof inside) =>
      commands.vkCmdPipelineBarrier(stage, stage, 0, null, null, [{
        image,
        subresourceRange,
        srcAccessMask: from.access,
        dstAccessMask: to.access,
        oldLayout: from.layout,
        newLayout: to.layout,
        srcQueueFamilyIndex: from.family,
        dstQueueFamilyIndex: to.family,
      }]);
    pass(outside, inside);
    commands.vkCmdCopyImageToBuffer(image, inside.layout, rows.buffer, [{
      bufferRowLength: stride,
      imageSubresource: { aspectMask: COLOR.aspectMask, mipLevel: 0, baseArrayLayer: 0, layerCount: 1 },
      imageExtent: { width, height, depth: 1 },
    }]);
    pass(inside, outside);
    const written = { srcAccessMask: VK_ACCESS_TRANSFER_WRITE_BIT, dstAccessMask: VK_ACCESS_HOST_READ_BIT };
    commands.vkCmdPipelineBarrier(stage, VK_PIPELINE_STAGE_HOST_BIT, 0, [written]);
  }

  #submit(record: (commands: VkCommandBuffer) => void): void {
    const { device, queue } = this.#on, { pool, commands, fence } = this.#work ??= this.#makeWork();
    device.vkResetCommandPool(pool);
    commands.vkBeginCommandBuffer({});
    record(commands);
    commands.vkEndCommandBuffer();
    queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
    waitForSubmission(device, queue, fence, PATIENCE);
    device.vkResetFences([fence]);
  }

  #makeWork(): Work {
    using made = new DisposableStack();
    const { device, family: queueFamilyIndex } = this.#on, pool = device.vkCreateCommandPool({ queueFamilyIndex });
    made.defer(() => device.vkDestroyCommandPool(pool));
    const level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level, commandBufferCount: 1 });
    const fence = made.adopt(device.vkCreateFence({}), (each) => device.vkDestroyFence(each));
    return { pool, commands, fence, owned: made.move() };
  }
}

/** The modifiers of a format that a driver lists, from which it copies, and whose pixels lie in one plane of memory. */
export function modifiersOf({ gpu }: ComposeDevice, format: number): bigint[] {
  const sType = VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT;
  const { pNext: [{ drmFormatModifierCount: count }] } = gpu.vkGetPhysicalDeviceFormatProperties2(format, [{ sType }]);
  const room = { drmFormatModifier: 0n, drmFormatModifierPlaneCount: 0, drmFormatModifierTilingFeatures: 0 };
  const pDrmFormatModifierProperties = Array.from({ length: count }, () => room);
  const { pNext: [list] } = gpu.vkGetPhysicalDeviceFormatProperties2(format, [{ sType, pDrmFormatModifierProperties }]);
  const isRead = VK_FORMAT_FEATURE_TRANSFER_SRC_BIT;
  return (list.pDrmFormatModifierProperties ?? []).filter((each) =>
    each.drmFormatModifierPlaneCount === 1 && (each.drmFormatModifierTilingFeatures & isRead) !== 0
  ).map(({ drmFormatModifier }) => drmFormatModifier);
}
