import type { GraphicBuffer } from "./graphic_buffer.ts";

/** The owners of each open buffer of this process, by the addresses of their handles. */
const known = new Map<bigint, ReadonlySet<GraphicBuffer>>();

/** Makes a buffer with a native_handle_t known, until it is left. */
export function enterBuffer(handle: bigint, owners: ReadonlySet<GraphicBuffer>): void {
  known.set(handle, owners);
}

/** A buffer is not open any more. */
export function leaveBuffer(handle: bigint): void {
  known.delete(handle);
}

/**
 * Returns the number of open buffers; a buffer with several owners counts once. A program that closes every buffer gets
 * back to its first number.
 *
 * @example
 * ```ts
 * import { allocateBuffer, FORMAT, openBuffers, USAGE } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const before = openBuffers();
 * {
 *   using _buffer = allocateBuffer({ width: 4, height: 2, format: FORMAT.RGBA_8888, usage: USAGE.CPU_READ_OFTEN });
 *   assertEquals(openBuffers(), before + 1);
 * }
 * assertEquals(openBuffers(), before);
 * ```
 */
export function openBuffers(): number {
  return known.size;
}

/**
 * Returns the buffer whose native_handle_t is at an address, as its first open owner; `undefined` for a handle of
 * another process, and for a closed buffer.
 */
export function bufferOfHandle(handle: bigint): GraphicBuffer | undefined {
  return known.get(handle)?.values().next().value;
}

/** Open buffers with a number: several if it was imported. */
export function buffersOfId(id: bigint): GraphicBuffer[] {
  return [...known.keys()].map((handle) => bufferOfHandle(handle)!).filter((buffer) => buffer.id === id);
}

/** Keeps the memory of a buffer that is open after it is closed, too, until the result is called. A second call of it does nothing. */
export function retainMemory(buffer: GraphicBuffer): () => void {
  if (buffer.isClosed) return () => {};
  const owner = buffer.retain();
  return () => owner.close();
}
