import type { GraphicBuffer } from "../buffer/graphic_buffer.ts";

/** The number of holds of each buffer. */
const holds = new WeakMap<GraphicBuffer, number>();

/**
 * Keeps a buffer's memory until {@linkcode dropBuffer}, for code that still uses a buffer after its queue released the
 * buffer, like a strong reference in Android.
 *
 * @example
 * ```ts
 * import { allocateBuffer, dropBuffer, FORMAT, holdBuffer, USAGE } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const request = { width: 4, height: 2, format: FORMAT.RGBA_8888, usage: USAGE.CPU_READ_OFTEN };
 * const buffer = holdBuffer(allocateBuffer(request));
 * dropBuffer(buffer);
 * assertEquals(buffer.isClosed, true);
 * ```
 */
export function holdBuffer(buffer: GraphicBuffer): GraphicBuffer {
  holds.set(buffer, (holds.get(buffer) ?? 0) + 1);
  return buffer;
}

/**
 * Ends a {@linkcode holdBuffer}; the last call closes the buffer.
 *
 * @example
 * ```ts
 * import { allocateBuffer, dropBuffer, FORMAT, holdBuffer, USAGE } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const request = { width: 4, height: 2, format: FORMAT.RGBA_8888, usage: USAGE.CPU_READ_OFTEN };
 * const buffer = holdBuffer(holdBuffer(allocateBuffer(request)));
 * dropBuffer(buffer);
 * assertEquals(buffer.isClosed, false);
 * dropBuffer(buffer);
 * assertEquals(buffer.isClosed, true);
 * ```
 */
export function dropBuffer(buffer: GraphicBuffer): void {
  if (forgetBuffer(buffer) === 0) buffer.close();
}

/**
 * Ends a {@linkcode holdBuffer} without closing the buffer. Returns the number of holds left; at 0 the caller owns the
 * buffer.
 */
export function forgetBuffer(buffer: GraphicBuffer): number {
  const left = Math.max((holds.get(buffer) ?? 0) - 1, 0);
  if (left > 0) holds.set(buffer, left);
  else holds.delete(buffer);
  return left;
}
