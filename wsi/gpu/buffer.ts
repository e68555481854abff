import {
  VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
} from "../../loader/gen/enums_core_gen.js";
import type { VkBuffer } from "../../loader/types.ts";
import { bindBuffer, HOST_COHERENT } from "./memory.ts";
import type { Bench } from "./bench.ts";

/** A buffer whose memory the processor sees. */
export interface GpuBuffer {
  /** The buffer. */
  readonly buffer: VkBuffer;
  /** The buffer's memory, mapped until the buffer is destroyed. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The memory as 32-bit numbers. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** The memory as floats. */
  readonly floats: Float32Array<ArrayBuffer>;
}

const ANY_USAGE = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
  VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
/** The minimum size of a buffer in bytes, a multiple of the size that any view needs. */
const GRAIN = 16;

/**
 * Makes a buffer of a size in bytes, or with these contents.
 *
 * @param usage VK_BUFFER_USAGE_… bits. Default: everything of Vulkan 1.0 but texel buffers.
 */
export function makeBuffer(bench: Bench, contents: number | ArrayBufferView, usage: number = ANY_USAGE): GpuBuffer {
  const { device, owned } = bench, length = typeof contents === "number" ? contents : contents.byteLength;
  const size = Math.max(GRAIN, Math.ceil(length / GRAIN) * GRAIN);
  const buffer = device.vkCreateBuffer({ size: BigInt(size), usage });
  owned.defer(() => device.vkDestroyBuffer(buffer));
  const { memory } = bindBuffer(bench, buffer, HOST_COHERENT);
  const pointer = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, BigInt(size)))!;
  const all = Deno.UnsafePointerView.getArrayBuffer(pointer, size) as ArrayBuffer,
    bytes = new Uint8Array(all, 0, length);
  new Uint8Array(all).fill(0);
  if (typeof contents !== "number") {
    bytes.set(new Uint8Array(contents.buffer, contents.byteOffset, contents.byteLength));
  }
  const words = length >> 2;
  return { buffer, bytes, words: new Uint32Array(all, 0, words), floats: new Float32Array(all, 0, words) };
}
