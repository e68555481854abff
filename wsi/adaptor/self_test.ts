import { arena, bytesAt } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import { copyMemory } from "../../ffi/machine.ts";
import { READ, syncDmaBuf } from "../buffer/dma_buf.ts";
import { allocateMemory, type BufferMemory, type MemoryKind } from "../buffer/memory.ts";
import type { DriverDevice } from "./driver_device.ts";
import { importShared } from "./backing.ts";
import { boundBuffer, HOST_BUFFER, importHost, mappedBuffer } from "./driver_memory.ts";
import { colorFormatsOf, type ImageKind } from "./image_support.ts";
import { recordHostBarrier, type RecordingDevice, recordLayout } from "./commands.ts";
import { COLOR_LAYERS, IMAGE_USAGE } from "./constants.ts";
import { driverLayout, imageInfo, type ImageLayout, sharedForm, type SizedKind } from "./driver_layout.ts";
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

/** The kinds of memory that drivers import on a tier, best first; some drivers refuse files. */
function kindsFor(tier: AdaptorTier): readonly MemoryKind[] {
  return tier === "dma-buf" ? ["dma-buf"] : ["memfd", "anonymous"];
}

/**
 * Copies pixels into an image in a buffer's memory, and checks that they are
 * where the image's layout says. Returns the kind of memory that works;
 * `undefined` if none does, and the first kind if there is no queue for the
 * check.
 */
export function memoryForTier(device: RecordingDevice, kind: ImageKind, tier: AdaptorTier): MemoryKind | undefined {
  const kinds = kindsFor(tier);
  return device.queue === 0n ? kinds[0] : kinds.find((memory) => passes(device, kind, tier, memory));
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
    if (pixels.kind !== layout.memory) return false; // a machine may make no dma-bufs
    const source = this.#source(WIDTH * HEIGHT * bytes), image = this.#image(kind, tier, layout.rowPitch, pixels);
    const buffer = image === undefined ? undefined : this.#buffer(source, tier);
    if (image === undefined || buffer === undefined || !this.#copy(image, buffer)) return false;
    return hasRows(readBack(pixels, layout.rowPitch * HEIGHT), layout.rowPitch, source.bytes, WIDTH * bytes);
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

  /** Bytes that differ from their neighbours. */
  #source(size: number): NativeBlock {
    const block = new NativeBlock(this.#whole(size));
    this.#undo.push(() => block.close());
    for (let index = 0; index < block.size; index++) block.bytes[index] = index * 7 + (index >> 8) & 0xff;
    return block;
  }

  #whole(size: number): number {
    const unit = Math.max(4096, this.#device.gpu.hostAlignment);
    return Math.ceil(size / unit) * unit;
  }

  #image(kind: SizedKind, tier: AdaptorTier, rowPitch: number, pixels: BufferMemory): bigint | undefined {
    const { commands, handle } = this.#device, { tiling, pNext } = sharedForm(tier, rowPitch);
    const image = scratch(() => made((out) => commands.vkCreateImage(handle, imageInfo(kind, tiling, pNext), 0n, out)));
    if (typeof image === "number") return undefined;
    const memory = importShared(this.#device, tier, pixels, image);
    this.#undo.push(() => {
      commands.vkDestroyImage(handle, image, 0n);
      if (typeof memory === "bigint") commands.vkFreeMemory(handle, memory, 0n);
    });
    if (typeof memory === "number") return undefined;
    return commands.vkBindImageMemory(handle, image, memory, 0n) < 0 ? undefined : image;
  }

  #buffer(source: NativeBlock, tier: AdaptorTier): bigint | undefined {
    const made = tier === "dma-buf" ? ownBuffer(this.#device, source) : hostBuffer(this.#device, source);
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

/** The first bytes of memory, which a device may have written. */
function readBack({ address, fd, kind }: BufferMemory, size: number): Uint8Array {
  if (kind === "dma-buf") syncDmaBuf(fd, READ, false);
  const bytes = bytesAt(address, size);
  if (kind === "dma-buf") syncDmaBuf(fd, READ, true);
  return bytes;
}

/** Whether rows of so many bytes are in memory, one each `rowPitch` bytes. */
function hasRows(memory: Uint8Array, rowPitch: number, rows: Uint8Array, rowBytes: number): boolean {
  for (let row = 0; row < HEIGHT; row++) {
    for (let at = 0; at < rowBytes; at++) {
      if (memory[row * rowPitch + at] !== rows[row * rowBytes + at]) return false;
    }
  }
  return true;
}

/** A VkBuffer with the bytes, for drivers that may import no memory of the host. */
function ownBuffer(
  device: DriverDevice,
  { address, size }: NativeBlock,
): { buffer: bigint; close(): void } | undefined {
  const found = mappedBuffer(device, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  if (typeof found === "number") return undefined;
  copyMemory(found.address, address, size);
  return found;
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
