import type { VkBuffer } from "../../loader/types.ts";
import { bindBuffer, HOST_COHERENT } from "./memory.ts";
import type { Workbench } from "./workbench.ts";

/** A buffer whose memory the processor sees. */
export interface GpuBuffer {
  /** The buffer. */
  readonly buffer: VkBuffer;
  /** Its memory, mapped as long as the test runs. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same as numbers of 32 bits. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** The same as floats. */
  readonly floats: Float32Array<ArrayBuffer>;
}

/** Transfer both ways, uniform, storage, index, vertex and indirect: whatever a test may want. */
const ANY_USAGE = 1 | 2 | 0x10 | 0x20 | 0x40 | 0x80 | 0x100;
/** How large a buffer is at least, in bytes: a multiple of what any view of it needs. */
const GRAIN = 16;

/** Makes a buffer of a size in bytes, or with these contents. `usage`: VK_BUFFER_USAGE_… bits; by default it can be used for anything of Vulkan 1.0 but texels. */
export function makeBuffer(bench: Workbench, contents: number | ArrayBufferView, usage = ANY_USAGE): GpuBuffer {
  const { device, owned } = bench, length = typeof contents === "number" ? contents : contents.byteLength;
  const size = Math.max(GRAIN, Math.ceil(length / GRAIN) * GRAIN);
  const buffer = device.vkCreateBuffer({ size: BigInt(size), usage });
  owned.defer(() => device.vkDestroyBuffer(buffer));
  const memory = bindBuffer(bench, buffer, HOST_COHERENT);
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
