import { poke64 } from "../../../ffi/machine.ts";
import { defineLayer, type Layer, type LayerContext } from "../../../loader/mod.ts";
import * as vk from "../../../loader/vk.ts";
import { digestOf } from "./digest.ts";

/** The most images of a swapchain. */
const MOST_IMAGES = 16;

interface Swapchain {
  readonly width: number;
  readonly height: number;
  /** Bytes of a texel. */
  readonly texel: number;
}

interface Queue {
  readonly device: bigint;
  readonly family: number;
}

/**
 * Returns a layer below the recording that tells the digest of each picture which a program presents, so that a replay
 * can be compared with what the program showed, and not with what the recording says. The layer is for software drivers,
 * whose only memory type the host can see.
 */
export function pictureWitness(tell: (digest: string) => void): Layer {
  const swapchains = new Map<bigint, Swapchain>();
  const queues = new Map<bigint, Queue>();
  return defineLayer({
    name: "VK_LAYER_PUMICE_witness",
    commands: {
      vkCreateSwapchainKHR(next, device, info, allocator, place) {
        const read = this.read("VkSwapchainCreateInfoKHR", info), { imageExtent, imageFormat } = read;
        const imageUsage = read.imageUsage | vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
        const result = next(device, this.write("VkSwapchainCreateInfoKHR", { ...read, imageUsage }), allocator, place);
        const texel = imageFormat < vk.VK_FORMAT_R8_UNORM
          ? 2
          : imageFormat === vk.VK_FORMAT_R16G16B16A16_SFLOAT
          ? 8
          : 4;
        if (result === vk.VK_SUCCESS) swapchains.set(this.u64(place), { ...imageExtent, texel });
        return result;
      },
      vkGetDeviceQueue(next, device, family, index, place) {
        next(device, family, index, place);
        queues.set(this.u64(place), { device, family });
      },
      vkGetDeviceQueue2(next, device, info, place) {
        next(device, info, place);
        queues.set(this.u64(place), { device, family: this.read("VkDeviceQueueInfo2", info).queueFamilyIndex });
      },
      vkQueuePresentKHR(next, queue, info) {
        const { pSwapchains, pImageIndices } = this.read("VkPresentInfoKHR", info), pictures: string[] = [];
        for (const [index, swapchain] of pSwapchains.entries()) {
          const home = queues.get(queue)!, image = imageOf(this, home.device, swapchain, pImageIndices[index]);
          pictures.push(digestOf(pictureOf(this, { ...home, queue }, { ...swapchains.get(swapchain)!, image })));
        }
        const result = next(queue, info);
        if (result >= 0) pictures.forEach(tell);
        return result;
      },
    },
  });
}

type Context = LayerContext<Record<never, never>>;

/** Copies a picture that is about to be presented. The queue has drawn it when it is idle. */
function pictureOf(
  context: Context,
  { device, queue, family }: Queue & { readonly queue: bigint },
  { width, height, texel, image }: Swapchain & { readonly image: bigint },
): Uint8Array {
  const below = context.below(device), place = numberPlace(context), size = BigInt(width * height * texel);
  below.vkQueueWaitIdle(queue);
  const made = (result: number) => {
    if (result !== vk.VK_SUCCESS) throw new Error(`The witness cannot copy a picture: ${result}`);
    return context.u64(place);
  };
  const buffer = made(below.vkCreateBuffer(
    device,
    context.write("VkBufferCreateInfo", { size, usage: vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT }),
    0n,
    place,
  ));
  const info = context.write("VkMemoryAllocateInfo", { allocationSize: size + 4096n, memoryTypeIndex: 0 });
  const memory = made(below.vkAllocateMemory(device, info, 0n, place));
  below.vkBindBufferMemory(device, buffer, memory, 0n);
  const pool = made(below.vkCreateCommandPool(
    device,
    context.write("VkCommandPoolCreateInfo", { queueFamilyIndex: family }),
    0n,
    place,
  ));
  const commands = made(below.vkAllocateCommandBuffers(
    device,
    context.write("VkCommandBufferAllocateInfo", { commandPool: pool as never, level: 0, commandBufferCount: 1 }),
    place,
  ));
  poke64(commands, context.u64(device)); // what a loader puts there, of which this one knows nothing
  below.vkBeginCommandBuffer(commands, context.write("VkCommandBufferBeginInfo", {}));
  const region = {
    imageSubresource: { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, layerCount: 1 },
    imageExtent: { width, height, depth: 1 },
  };
  const presented = vk.VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, source = vk.VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  turn(context, device, commands, image, presented, source);
  below.vkCmdCopyImageToBuffer(commands, image, source, buffer, 1, context.write("VkBufferImageCopy", region));
  turn(context, device, commands, image, source, presented);
  below.vkEndCommandBuffer(commands);
  below.vkQueueSubmit(queue, 1, context.write("VkSubmitInfo", { pCommandBuffers: [commands] }), 0n);
  below.vkQueueWaitIdle(queue);
  const address = made(below.vkMapMemory(device, memory, 0n, size, 0, place));
  const bytes = context.bytes(address, Number(size))!;
  below.vkDestroyCommandPool(device, pool, 0n);
  below.vkDestroyBuffer(device, buffer, 0n);
  below.vkFreeMemory(device, memory, 0n);
  return bytes;
}

/** A place for 64 bits in the program. */
function numberPlace(context: Context, value = 0n): bigint {
  return context.write("VkMemoryRequirements", { size: value, alignment: 0n, memoryTypeBits: 0 });
}

function imageOf(context: Context, device: bigint, swapchain: bigint, index: number): bigint {
  const count = numberPlace(context, BigInt(MOST_IMAGES));
  const room = context.writeAll("VkExtent2D", Array.from({ length: MOST_IMAGES }, () => ({ width: 0, height: 0 })));
  context.below(device).vkGetSwapchainImagesKHR(device, swapchain, count, room);
  return context.handles(room, index + 1)![index];
}

function turn(context: Context, device: bigint, commands: bigint, image: bigint, oldLayout: number, newLayout: number) {
  const all = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
    access = vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT;
  const barrier = context.write("VkImageMemoryBarrier", {
    srcAccessMask: access,
    dstAccessMask: access,
    oldLayout: oldLayout as never,
    newLayout: newLayout as never,
    srcQueueFamilyIndex: 0xffff_ffff,
    dstQueueFamilyIndex: 0xffff_ffff,
    image: image as never,
    subresourceRange: { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 },
  });
  context.below(device).vkCmdPipelineBarrier(commands, all, all, 0, 0, 0n, 0, 0n, 1, barrier);
}
