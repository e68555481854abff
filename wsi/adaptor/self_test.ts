import { arena } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import { bytesAt } from "../../ffi/arena.ts";
import { allocateMemory, type BufferMemory, type MemoryKind } from "../buffer/memory.ts";
import type { DriverDevice } from "./driver_device.ts";
import { boundBuffer, HOST_BUFFER, type HostMemory, importHost } from "./host_memory.ts";
import { colorFormatsOf, type ImageKind } from "./image_support.ts";
import { recordHostBarrier, type RecordingDevice, recordLayout } from "./commands.ts";
import { COLOR_LAYERS, IMAGE_USAGE, TILING } from "./constants.ts";
import {
  driverLayout,
  FOR_HOST_MEMORY,
  imageInfo,
  type ImageLayout,
  requirementsOf,
  type SizedKind,
} from "./driver_layout.ts";
import type { AdaptorTier } from "./options.ts";
import { made, scratch, write } from "./struct.ts";
import {
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
} from "../../loader/gen/native_gen.ts";

/** An odd size: rows that are not padded right show. */
const WIDTH = 61, HEIGHT = 37;
const TRANSFER_DST = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
const FOREVER = 2n ** 64n - 1n;

/** The kinds of memory that drivers import, best first; some drivers refuse files. */
const KINDS = ["memfd", "anonymous"] as const;

/**
 * Copies pixels into an image in the host's memory, and checks that they are
 * where the image's layout says. Returns the kind of memory that works;
 * `undefined` if none does, and the first kind if there is no queue for the
 * check.
 */
export function memoryForTier(
  device: RecordingDevice,
  kind: ImageKind,
  tier: AdaptorTier,
): typeof KINDS[number] | undefined {
  return device.queue === 0n ? KINDS[0] : KINDS.find((memory) => passes(device, kind, tier, memory));
}

function passes(device: RecordingDevice, kind: ImageKind, tier: AdaptorTier, memory: MemoryKind): boolean {
  const sized = { ...kind, usage: kind.usage | IMAGE_USAGE.TRANSFER_DST, width: WIDTH, height: HEIGHT };
  const bytes = colorFormatsOf(kind.format)[0]?.bytesPerPixel, layout = driverLayout(device, sized, tier);
  if (bytes === undefined || !layout) return false;
  using trial = new Trial(device);
  return trial.run(sized, tier, { ...layout, memory }, bytes);
}

/** Objects of one test, destroyed in reverse order. */
class Trial implements Disposable {
  readonly #device: RecordingDevice;
  readonly #undo: (() => void)[] = [];

  constructor(device: RecordingDevice) {
    this.#device = device;
  }

  run(kind: SizedKind, tier: AdaptorTier, layout: ImageLayout & { memory: MemoryKind }, bytes: number): boolean {
    const pixels = this.#pixels(Math.max(layout.size, layout.rowPitch * HEIGHT), layout.memory);
    const source = this.#source(WIDTH * HEIGHT * bytes);
    for (let index = 0; index < source.size; index++) source.bytes[index] = index * 7 + (index >> 8) & 0xff;
    const image = this.#image(kind, tier, pixels), buffer = image === undefined ? undefined : this.#buffer(source);
    if (image === undefined || buffer === undefined || !this.#copy(image, buffer)) return false;
    const drawn = bytesAt(pixels.address, layout.rowPitch * HEIGHT);
    for (let row = 0; row < HEIGHT; row++) {
      for (let at = 0; at < WIDTH * bytes; at++) {
        if (drawn[row * layout.rowPitch + at] !== source.bytes[row * WIDTH * bytes + at]) return false;
      }
    }
    return true;
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undo.reverse()) undo();
  }

  /** Allocates whole units of importable memory, as the source does. */
  #pixels(size: number, kind: MemoryKind): BufferMemory {
    const memory = allocateMemory(this.#whole(size), 0n, kind);
    this.#undo.push(() => memory.close());
    return memory;
  }

  #source(size: number): NativeBlock {
    const block = new NativeBlock(this.#whole(size));
    this.#undo.push(() => block.close());
    return block;
  }

  #whole(size: number): number {
    const unit = Math.max(4096, this.#device.gpu.hostAlignment);
    return Math.ceil(size / unit) * unit;
  }

  #image(kind: SizedKind, tier: AdaptorTier, pixels: HostMemory): bigint | undefined {
    const { commands, handle } = this.#device, tiling = tier === "linear" ? TILING.LINEAR : TILING.OPTIMAL;
    const image = scratch(() =>
      made((out) => commands.vkCreateImage(handle, imageInfo(kind, tiling, FOR_HOST_MEMORY), 0n, out))
    );
    if (typeof image === "number") return undefined;
    const needs = requirementsOf(this.#device, image), memory = importHost(this.#device, pixels, needs);
    this.#undo.push(() => {
      commands.vkDestroyImage(handle, image, 0n);
      if (typeof memory === "bigint") commands.vkFreeMemory(handle, memory, 0n);
    });
    if (typeof memory === "number") return undefined;
    return commands.vkBindImageMemory(handle, image, memory, 0n) < 0 ? undefined : image;
  }

  #buffer(source: NativeBlock): bigint | undefined {
    const made = hostBuffer(this.#device, source);
    if (made) this.#undo.push(made.close);
    return made?.buffer;
  }

  #copy(image: bigint, buffer: bigint): boolean {
    const device = this.#device, { commands } = device, family = device.plan.queue!.family;
    const recorded = device.recorder.recorded(family, (list) => {
      recordLayout(device, list, image, VK_IMAGE_LAYOUT_UNDEFINED, TRANSFER_DST);
      const region = write("VkBufferImageCopy", {
        bufferOffset: 0n,
        bufferRowLength: 0,
        bufferImageHeight: 0,
        imageSubresource: COLOR_LAYERS,
        imageOffset: { x: 0, y: 0, z: 0 },
        imageExtent: { width: WIDTH, height: HEIGHT, depth: 1 },
      });
      commands.vkCmdCopyBufferToImage(list, buffer, image, TRANSFER_DST, 1, region);
      recordHostBarrier(device, list);
    });
    if (recorded === 0n) return false;
    this.#undo.push(() => device.recorder.free(family, recorded));
    return submitAndWait(device, recorded);
  }
}

function hostBuffer(device: DriverDevice, source: NativeBlock): { buffer: bigint; close(): void } | undefined {
  const found = boundBuffer(
    device,
    source.size,
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
    HOST_BUFFER,
    (needs) => importHost(device, source, needs),
  );
  return typeof found === "number" ? undefined : found;
}

/** Submits to the adaptor's queue and waits; whether that went well. */
function submitAndWait(device: DriverDevice, recorded: bigint): boolean {
  const { commands, handle, queue } = device;
  return scratch(() => {
    const memory = arena(), list = memory.alloc(8);
    const fence = made((out) => commands.vkCreateFence(handle, write("VkFenceCreateInfo", {}), 0n, out));
    if (typeof fence === "number") return false;
    memory.view.setBigUint64(list, fence, true);
    const info = write("VkSubmitInfo", { pCommandBuffers: [{ handle: recorded }] });
    const isDone = commands.vkQueueSubmit(queue, 1, info, fence) === 0 &&
      commands.vkWaitForFences(handle, 1, memory.address(list), 1, FOREVER) === 0;
    commands.vkDestroyFence(handle, fence, 0n);
    return isDone;
  });
}
