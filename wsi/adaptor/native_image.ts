import type { Backing } from "./backing.ts";
import { recordHostBarrier, type RecordingDevice, recordLayout } from "./commands.ts";
import { COLOR_LAYERS, RESULT } from "./constants.ts";
import { scratch, write } from "./struct.ts";
import { VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL } from "../../loader/gen/native_gen.ts";

const PRESENT_SRC = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, TRANSFER_SRC = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;

/** A device that knows its images of buffers. */
export interface ImageDevice extends RecordingDevice {
  /** The device's images of buffers, by handle. */
  readonly images: Map<bigint, NativeImage>;
  /** Returns a command buffer that makes drawings visible to the host; 0n if none is needed. */
  hostBarrier(family: number): bigint;
}

/** An image whose pixels are a buffer's. */
export class NativeImage {
  /** The VkImage. */
  readonly handle: bigint;
  /** The image's memory, shared with other images of the buffer. */
  readonly backing: Backing;
  readonly #device: ImageDevice;
  /** The command buffer of a release, by queue family. */
  readonly #copies = new Map<number, bigint>();
  /** The timeline of the last release with a copy; `undefined` if none is pending. */
  #pending: { isReached(): boolean; wait(): void } | undefined;
  #isOpen = true;

  /** Makes the record of an image that is bound to its memory. */
  constructor(device: ImageDevice, handle: bigint, backing: Backing) {
    this.#device = device;
    this.handle = handle;
    this.backing = backing;
    device.images.set(handle, this);
  }

  /** The command buffer that a release on a queue has to carry out; 0n for none, the VkResult when there must be one and cannot. */
  commandsFor(family: number): bigint | number {
    if (this.backing.tier !== "staging") return this.#device.hostBarrier(family);
    const known = this.#copies.get(family);
    if (known !== undefined) return known;
    const target = this.backing.target();
    if (typeof target === "number") return target;
    const recorded = this.#device.recorder.recorded(family, (commands) => this.#record(commands, target.buffer));
    if (recorded === 0n) return RESULT.ERROR_OUT_OF_HOST_MEMORY;
    this.#copies.set(family, recorded);
    return recorded;
  }

  /** Notes that a release which copies was submitted. */
  copied(pending: { isReached(): boolean; wait(): void }): void {
    this.backing.buffer.copies++;
    this.#pending = pending;
  }

  /** Waits until no release copies from the image any more. */
  settle(): void {
    if (this.#pending && !this.#pending.isReached()) this.#pending.wait();
    this.#pending = undefined;
  }

  /**
   * Waits for releases and frees what the image owns; called when the image is
   * destroyed or will not be used any more. A second call does nothing.
   */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.settle();
    this.#device.images.delete(this.handle);
    for (const [family, commands] of this.#copies) this.#device.recorder.free(family, commands);
    this.backing.release();
  }

  #record(commands: bigint, target: bigint): void {
    const { buffer } = this.backing, { handle } = this, device = this.#device;
    recordLayout(device, commands, handle, PRESENT_SRC, TRANSFER_SRC);
    scratch(() => {
      const region = write("VkBufferImageCopy", {
        bufferOffset: 0n,
        bufferRowLength: buffer.stride,
        bufferImageHeight: buffer.height,
        imageSubresource: COLOR_LAYERS,
        imageOffset: { x: 0, y: 0, z: 0 },
        imageExtent: { width: buffer.width, height: buffer.height, depth: 1 },
      });
      device.commands.vkCmdCopyImageToBuffer(commands, handle, TRANSFER_SRC, target, 1, region);
    });
    recordLayout(device, commands, handle, TRANSFER_SRC, PRESENT_SRC);
    recordHostBarrier(device, commands);
  }
}
