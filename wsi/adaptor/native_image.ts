import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { retainMemory } from "../buffer/known_buffers.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import type { Tier } from "./options.ts";

/** An image whose pixels are a buffer's. */
export class NativeImage {
  /** Its handle. */
  readonly handle: bigint;
  /** The buffer. */
  readonly buffer: GraphicBuffer;
  /** Where its pixels are. */
  readonly tier: Tier;
  readonly #device: AdaptorDevice;
  readonly #memory: bigint;
  #letGo: (() => void) | undefined;

  /** Owns the memory it is bound to, and keeps the buffer's. */
  constructor(device: AdaptorDevice, handle: bigint, buffer: GraphicBuffer, tier: Tier, memory: bigint) {
    this.#device = device;
    this.handle = handle;
    this.buffer = buffer;
    this.tier = tier;
    this.#memory = memory;
    this.#letGo = retainMemory(buffer);
    device.images.set(handle, this);
  }

  /** The command buffer that a release on a queue has to carry out; 0n for none. */
  commandsFor(_queue: bigint): bigint {
    return 0n;
  }

  /** Frees the memory, when the image is destroyed or will not be used any more. A second call does nothing. */
  close(): void {
    if (!this.#letGo) return;
    this.#device.images.delete(this.handle);
    this.#device.commands.vkFreeMemory(this.#device.handle, this.#memory, 0n);
    this.#letGo();
    this.#letGo = undefined;
  }
}
