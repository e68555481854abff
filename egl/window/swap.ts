import { type NativeFence, NativeFence as Fence } from "../../wsi/fence/native_fence.ts";
import { STATUS, type Status } from "../../wsi/status.ts";
import type { DequeuedBuffer, Rect } from "../../wsi/contract/window.ts";
import { TIMESTAMP_AUTO } from "../../wsi/window/surface.ts";
import type { Current, State } from "../api/state.ts";
import { type DriverGl, driverGl } from "./driver_gl.ts";
import { type PixelAbilities, pixelAbilities, withPackState } from "./pixel_state.ts";
import { fitCurrent } from "./resize.ts";
import type { WindowSurface } from "./window_surface.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { NativeBlock } from "../../ffi/block.ts";
import { type Packing, packingOf } from "./packing.ts";
import { EGL_BAD_ALLOC, EGL_BAD_NATIVE_WINDOW, EGL_BAD_SURFACE } from "../gen/egl_constants_gen.js";

/**
 * The timeout for a buffer that the consumer still reads, in milliseconds, because a fence of this thread would never
 * be signalled meanwhile.
 */
const LONGEST_WAIT = 1000;

/**
 * Shows the drawing; damage counts from the lower left corner, as in GL. Returns whether that succeeded; otherwise the
 * error is noted.
 */
export function swapWindow(state: State, surface: WindowSurface, damage: readonly Rect[]): 0 | 1 {
  const { current } = state, window = surface.native;
  if (!current || current.draw !== surface.handle) return state.fail(EGL_BAD_SURFACE, 0);
  if (!surface.isConnected) return state.fail(EGL_BAD_SURFACE, 0);
  surface.metadata.tell(window);
  const dequeued = window.dequeueBuffer();
  if (typeof dequeued === "number") return state.fail(errorOf(dequeued), 0);
  if (!copy(state, current, surface, dequeued)) return state.fail(EGL_BAD_ALLOC, 0);
  window.setSurfaceDamage(damage);
  const status = window.queueBuffer(dequeued.buffer, Fence.signaled());
  window.setBuffersTimestamp(TIMESTAMP_AUTO);
  if (status !== STATUS.OK) return state.fail(errorOf(status), 0);
  [surface.age, surface.ageWasAsked, surface.damageWasSet] = [1, false, false];
  return fitCurrent(state, surface) ? 1 : state.fail(EGL_BAD_ALLOC, 0);
}

/**
 * Copies the drawing to a buffer. The buffer is cancelled if its fence takes too long, or if the buffer cannot be
 * written.
 */
function copy(state: State, current: Current, surface: WindowSurface, { buffer, fence }: DequeuedBuffer): boolean {
  const window = surface.native;
  try {
    if (isFree(window, fence)) {
      fence.close();
      fromDrawSurface(state, current, () => {
        const { context } = current, size = { width: surface.width, height: surface.height };
        readInto(driverGl(state, context), pixelAbilities(context), surface, { buffer, ...size });
      });
      return true;
    }
  } catch (error) {
    window.cancelBuffer(buffer, Fence.signaled());
    throw error;
  }
  state.say(`eglSwapBuffers: the consumer did not let go of buffer ${buffer.id} within ${LONGEST_WAIT} ms`);
  window.cancelBuffer(buffer, fence);
  return false;
}

function isFree(window: WindowSurface["native"], fence: NativeFence): boolean {
  if (fence.poll()) return true;
  window.pump?.();
  return fence.wait(LONGEST_WAIT);
}

/** Calls `work` with the draw surface as the read surface, which may be another one. */
function fromDrawSurface(state: State, { draw, read, context, display }: Current, work: () => void): void {
  if (draw === read) return work();
  const [drawn, other] = [draw, read].map((each) => display.surfaces.get(each)?.driver ?? 0n);
  const use = (readFrom: bigint) => state.calls.call("eglMakeCurrent", display.handle, drawn, readFrom, context.driver);
  use(drawn);
  try {
    work();
  } finally {
    use(other);
  }
}

/** The EGL error for a window's status. */
function errorOf(status: Status): number {
  switch (status) {
    case STATUS.NO_INIT:
    case STATUS.DEAD_OBJECT:
      return EGL_BAD_NATIVE_WINDOW;
    case STATUS.BAD_VALUE:
      return EGL_BAD_SURFACE;
  }
  return EGL_BAD_ALLOC;
}

/** Memory for pixels that cannot be read directly into the buffer. */
export interface Staging {
  /** Returns memory of at least a number of bytes. */
  block(size: number): NativeBlock;
}

/** The part of the surface to read, with rows from the bottom. */
interface Part {
  readonly width: number;
  readonly height: number;
  /** The first row, counted from the bottom. */
  readonly bottom: number;
}

/**
 * Copies a number of rows of the current surface to a gralloc buffer, top row first, after waiting for the drawing. One
 * copy if the context reads rows from the top, otherwise two.
 */
export function readInto(
  gl: DriverGl,
  can: PixelAbilities,
  staging: Staging,
  { buffer, width, height }: { buffer: GraphicBuffer; width: number; height: number },
): void {
  const rows = Math.min(height, buffer.height);
  const part = { width: Math.min(width, buffer.width), height: rows, bottom: height - rows };
  const packing = packingOf(gl, can, buffer.format), bytes = buffer.lock(USAGE.CPU_WRITE_OFTEN);
  try {
    const { stride, memory: { address } } = buffer, direct = can.reverse && can.pack && !packing.convert;
    if (direct) return read(gl, can, packing, part, { address, rowLength: stride });
    const pitch = part.width * packing.bytes, block = staging.block(pitch * rows);
    read(gl, can, packing, part, { address: block.address, rowLength: 0 });
    for (let row = 0; row < rows; row++) {
      const from = can.reverse ? row : rows - 1 - row, line = block.bytes.subarray(from * pitch, (from + 1) * pitch);
      bytes.set(packing.convert?.(line) ?? line, row * buffer.rowPitch);
    }
  } finally {
    buffer.unlock();
    buffer.copies++;
  }
}

function read(
  gl: DriverGl,
  can: PixelAbilities,
  { format, type }: Packing,
  { width, height, bottom }: Part,
  { address, rowLength }: { address: bigint; rowLength: number },
): void {
  const layout = { rowLength, reverse: can.reverse };
  withPackState(gl, can, layout, () => gl.call("glReadPixels", 0, bottom, width, height, format, type, address));
}
