import { copyMemory } from "../../ffi/machine.ts";
import type { BufferMemory, GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { retainMemory } from "../buffer/known_buffers.ts";
import type { DriverDevice } from "./driver_device.ts";
import { type MemoryRequirements, requirementsOf } from "./driver_layout.ts";
import { allocateOwn, boundBuffer, HOST_BUFFER, importDmaBuf, importHost, mappedBuffer } from "./driver_memory.ts";
import type { AdaptorTier } from "./options.ts";
import { VK_BUFFER_USAGE_TRANSFER_DST_BIT, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT } from "../../loader/gen/native_gen.ts";

/** The destination of copies from an image on the tier "staging". */
export interface Target {
  /** The VkBuffer. */
  readonly buffer: bigint;
  /** Brings the copied pixels to the buffer; only where the VkBuffer is not the buffer's memory itself. */
  readonly fetch?: () => void;
  /** Destroys it. */
  close(): void;
}

/** A device whose images share their memory. */
export interface BackedDevice extends DriverDevice {
  /** The memory of images, by buffer and tier. */
  readonly backings: Map<string, Backing>;
}

/**
 * The memory of the images of one buffer on a device, which they share, as long as there is one. Images in a dma-buf
 * share only the file: a driver may want each to have its VkDeviceMemory alone.
 */
export class Backing {
  /** The buffer. */
  readonly buffer: GraphicBuffer;
  /** The place of the pixels. */
  readonly tier: AdaptorTier;
  /** The VkDeviceMemory. */
  readonly memory: bigint;
  readonly #device: BackedDevice;
  readonly #key: string;
  readonly #size: bigint;
  readonly #letGo: () => void;
  #users = 0;
  #target: Target | undefined;

  private constructor(
    device: BackedDevice,
    key: string,
    buffer: GraphicBuffer,
    tier: AdaptorTier,
    memory: bigint,
    size: bigint,
  ) {
    this.#device = device;
    this.#key = key;
    this.buffer = buffer;
    this.tier = tier;
    this.memory = memory;
    this.#size = size;
    this.#letGo = retainMemory(buffer);
  }

  /** The memory for an image of a buffer, which another image may have already; the VkResult when there can be none. */
  static of(
    device: BackedDevice,
    buffer: GraphicBuffer,
    tier: AdaptorTier,
    image: bigint,
  ): Backing | number {
    const key = tier === "dma-buf" ? `${buffer.id} ${tier} ${image}` : `${buffer.id} ${tier}`;
    const known = device.backings.get(key), needs = requirementsOf(device, image);
    if (known && needs.size <= known.#size) return known.#retain();
    const memory = tier === "staging"
      ? allocateOwn(device, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
      : importShared(device, tier, buffer.memory, image, needs);
    if (typeof memory === "number") return memory;
    const backing = new Backing(device, key, buffer, tier, memory, needs.size);
    device.backings.set(key, backing);
    return backing.#retain();
  }

  /** The destination to which releases copy the image, made at the first call; a VkResult if that fails. */
  target(): Target | number {
    if (this.#target) return this.#target;
    const target = targetOf(this.#device, this.buffer);
    if (typeof target !== "number") this.#target = target;
    return target;
  }

  /** One image less; the memory goes with the last. */
  release(): void {
    if (--this.#users > 0) return;
    const { commands, handle, backings } = this.#device;
    if (backings.get(this.#key) === this) backings.delete(this.#key);
    this.#target?.close();
    commands.vkFreeMemory(handle, this.memory, 0n);
    this.#letGo(); // only now: the driver knew its pages
  }

  #retain(): this {
    this.#users++;
    return this;
  }
}

/** Imports a buffer's memory for an image on a tier that draws into the buffer. */
export function importShared(
  device: DriverDevice,
  tier: AdaptorTier,
  memory: BufferMemory,
  image: bigint,
  needs: MemoryRequirements = requirementsOf(device, image),
): bigint | number {
  return tier === "dma-buf" ? importDmaBuf(device, memory, image) : importHost(device, memory, needs);
}

/** The buffer's own memory if the driver can import it, else memory of the driver's that the host sees. */
function targetOf(device: DriverDevice, buffer: GraphicBuffer): Target | number {
  const size = buffer.rowPitch * buffer.height;
  const shared = device.plan.hostImport ? sharedTarget(device, buffer, size) : -1;
  return typeof shared === "number" ? copiedTarget(device, buffer, size) : shared;
}

function sharedTarget(device: DriverDevice, buffer: GraphicBuffer, size: number): Target | number {
  return boundBuffer(
    device,
    size,
    VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    HOST_BUFFER,
    (needs) => importHost(device, buffer.memory, needs),
  );
}

function copiedTarget(device: DriverDevice, buffer: GraphicBuffer, size: number): Target | number {
  const target = mappedBuffer(device, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  if (typeof target === "number") return target;
  return { ...target, fetch: () => copyMemory(buffer.memory.address, target.address, size) };
}
