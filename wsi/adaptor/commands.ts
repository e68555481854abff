import { arena } from "../../ffi/arena.ts";
import type { DriverDevice } from "./driver_device.ts";
import { made, scratch, stamped, write } from "./struct.ts";
import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_QUEUE_FAMILY_IGNORED,
} from "../../loader/gen/native_gen.ts";
import { COLOR_RANGE } from "./constants.ts";

/** Every access. */
const ANY = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
const ALL_COMMANDS = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

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
      const info = write("VkCommandBufferAllocateInfo", {
        commandPool: pool,
        level: VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        commandBufferCount: 1,
      });
      const buffer = made((out) => commands.vkAllocateCommandBuffers(handle, info, out));
      if (typeof buffer === "number") return 0n;
      stamped(handle, buffer);
      commands.vkBeginCommandBuffer(
        buffer,
        write("VkCommandBufferBeginInfo", { flags: VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT }),
      );
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
  const barrier = write("VkMemoryBarrier", {
    srcAccessMask: VK_ACCESS_MEMORY_WRITE_BIT,
    dstAccessMask: VK_ACCESS_HOST_READ_BIT,
  });
  device.commands.vkCmdPipelineBarrier(buffer, ALL_COMMANDS, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, barrier, 0, 0n, 0, 0n);
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
    srcAccessMask: ANY,
    dstAccessMask: ANY,
    oldLayout,
    newLayout,
    srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    image,
    subresourceRange: COLOR_RANGE,
  });
  device.commands.vkCmdPipelineBarrier(buffer, ALL_COMMANDS, ALL_COMMANDS, 0, 0, 0n, 0, 0n, 1, barrier);
}
