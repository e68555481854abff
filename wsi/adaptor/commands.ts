import { arena } from "../../ffi/arena.ts";
import type { DriverDevice } from "./driver_device.ts";
import { made, scratch, stamped, write } from "./struct.ts";

/** VkPipelineStageFlagBits and VkAccessFlagBits that say everything, and those of the host. */
export const ALL_COMMANDS = 0x10000;
const HOST_STAGE = 0x4000, MEMORY_READ = 0x8000, MEMORY_WRITE = 0x10000, HOST_READ = 0x2000;
/** VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT. */
const SIMULTANEOUS_USE = 4;
const WHOLE = { aspectMask: 1, baseMipLevel: 0, levelCount: 1, baseArrayLayer: 0, layerCount: 1 };
const IGNORED = 0xffffffff;

/** A device for which the adaptor records commands of its own. */
export interface RecordingDevice extends DriverDevice {
  /** The adaptor's command buffers on the device. */
  readonly recorder: Commands;
}

/** The command buffers of the adaptor on a device: a pool for each queue family. */
export class Commands {
  readonly #device: DriverDevice;
  readonly #pools = new Map<number, bigint>();

  /** Without pools yet. */
  constructor(device: DriverDevice) {
    this.#device = device;
  }

  /** A command buffer that may be submitted again while it is pending, recorded by `record`; 0n when there can be none. */
  recorded(family: number, record: (commands: bigint) => void): bigint {
    const { commands, handle } = this.#device, pool = this.#poolOf(family);
    if (pool === 0n) return 0n;
    return scratch(() => {
      const info = write("VkCommandBufferAllocateInfo", { commandPool: pool, level: 0, commandBufferCount: 1 });
      const buffer = made((out) => commands.vkAllocateCommandBuffers(handle, info, out));
      if (typeof buffer === "number") return 0n;
      stamped(handle, buffer);
      commands.vkBeginCommandBuffer(buffer, write("VkCommandBufferBeginInfo", { flags: SIMULTANEOUS_USE }));
      record(buffer);
      commands.vkEndCommandBuffer(buffer);
      return buffer;
    });
  }

  /** Frees a command buffer that is not pending. */
  free(family: number, buffer: bigint): void {
    const { commands, handle } = this.#device, pool = this.#pools.get(family);
    if (pool === undefined) return;
    scratch(() => {
      const memory = arena(), list = memory.alloc(8);
      memory.view.setBigUint64(list, buffer, true);
      commands.vkFreeCommandBuffers(handle, pool, 1, memory.address(list));
    });
  }

  /** Destroys the pools, nothing of which may be pending. */
  close(): void {
    for (const pool of this.#pools.values()) this.#device.commands.vkDestroyCommandPool(this.#device.handle, pool, 0n);
    this.#pools.clear();
  }

  #poolOf(family: number): bigint {
    const known = this.#pools.get(family);
    if (known !== undefined) return known;
    const { commands, handle } = this.#device;
    const pool = scratch(() => {
      const info = write("VkCommandPoolCreateInfo", { queueFamilyIndex: family });
      return made((out) => commands.vkCreateCommandPool(handle, info, 0n, out));
    });
    if (typeof pool === "number") return 0n;
    this.#pools.set(family, pool);
    return pool;
  }
}

/** Records that everything before is seen by the host. */
export function recordHostBarrier(device: DriverDevice, buffer: bigint): void {
  const barrier = write("VkMemoryBarrier", { srcAccessMask: MEMORY_WRITE, dstAccessMask: HOST_READ });
  device.commands.vkCmdPipelineBarrier(buffer, ALL_COMMANDS, HOST_STAGE, 0, 1, barrier, 0, 0n, 0, 0n);
}

/** Records a change of an image's layout that everything before and after respects. */
export function recordLayout(
  device: DriverDevice,
  buffer: bigint,
  image: bigint,
  oldLayout: number,
  newLayout: number,
): void {
  const barrier = write("VkImageMemoryBarrier", {
    srcAccessMask: MEMORY_READ | MEMORY_WRITE,
    dstAccessMask: MEMORY_READ | MEMORY_WRITE,
    oldLayout,
    newLayout,
    srcQueueFamilyIndex: IGNORED,
    dstQueueFamilyIndex: IGNORED,
    image,
    subresourceRange: WHOLE,
  });
  device.commands.vkCmdPipelineBarrier(buffer, ALL_COMMANDS, ALL_COMMANDS, 0, 0, 0n, 0, 0n, 1, barrier);
}
