import { type NativeFence, NativeFence as Fence } from "../../wsi/fence/native_fence.ts";
import { STATUS, type Status } from "../../wsi/android_values.ts";
import type { DequeuedBuffer, Rect } from "../../wsi/contract/window.ts";
import { TIMESTAMP_AUTO } from "../../wsi/window/surface.ts";
import type { Current, State } from "../api/state.ts";
import { type DriverGl, driverGl } from "./driver_gl.ts";
import { type PixelAbilities, pixelAbilities } from "./pixel_abilities.ts";
import { keepingDefaultBuffers, withDefaultSource, withPackState } from "./pixel_state.ts";
import { fitCurrent, type WindowSurface } from "./window_surface.ts";
import {
  EGL_BAD_ALLOC,
  EGL_BAD_NATIVE_WINDOW,
  EGL_BAD_SURFACE,
  EGL_CONTEXT_LOST,
  EGL_DRAW,
  EGL_READ,
} from "../gen/egl_constants_gen.js";
import { GL_NO_ERROR } from "../gen/gl_constants_gen.js";
import { addressOf } from "../../ffi/machine.ts";
import type { NativeBlock } from "../../ffi/block.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import { type Packing, packingOf } from "./packing.ts";

/** Memory for pixels that cannot be read directly into the buffer. */
interface Staging {
  /** Returns memory of at least a number of bytes. */
  block(size: number): NativeBlock;
}

/** Bytes that are no likely pixels. */
const MARK = Uint8Array.of(0x5a, 0xa7, 0x13, 0xe9);

/** The part of the surface to read, with rows from the bottom. */
interface Part {
  readonly width: number;
  readonly height: number;
  /** The first row, counted from the bottom. */
  readonly bottom: number;
}

/**
 * Copies a number of rows of the current surface to a gralloc buffer, top row first, after waiting for the drawing. One
 * copy if the context reads rows from the top, otherwise two. Returns `false` if it seems that nothing was read: a lost
 * context leaves memory as it is.
 */
export function readInto(
  gl: DriverGl,
  can: PixelAbilities,
  staging: Staging,
  { buffer, width, height }: { buffer: GraphicBuffer; width: number; height: number },
): boolean {
  const rows = Math.min(height, buffer.height);
  const part = { width: Math.min(width, buffer.width), height: rows, bottom: height - rows };
  const bytes = buffer.lock(USAGE.CPU_WRITE_OFTEN) as Uint8Array<ArrayBuffer>;
  try {
    return withDefaultSource(gl, can, () => {
      const packing = packingOf(gl, can, buffer.format);
      const address = addressOf(bytes), isDirect = can.reverse && can.pack && !packing.convert;
      if (isDirect) return isWritten(bytes, () => read(gl, can, packing, part, { address, rowLength: buffer.stride }));
      const pitch = part.width * packing.bytes, block = staging.block(pitch * rows);
      const isRead = isWritten(
        block.bytes,
        () => read(gl, can, packing, part, { address: block.address, rowLength: 0 }),
      );
      for (let row = 0; row < rows; row++) {
        const from = can.reverse ? row : rows - 1 - row, line = block.bytes.subarray(from * pitch, (from + 1) * pitch);
        bytes.set(packing.convert?.(line) ?? line, row * buffer.rowPitch);
      }
      return isRead;
    });
  } finally {
    buffer.unlock();
    buffer.copies++;
  }
}

/** Whether `work` seems to write the first bytes: they differ from a mark afterwards. */
function isWritten(bytes: Uint8Array, work: () => void): boolean {
  const mark = MARK.subarray(0, Math.min(MARK.length, bytes.length));
  bytes.set(mark);
  work();
  return mark.some((byte, index) => bytes[index] !== byte);
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

/**
 * The timeout for a buffer that the consumer still reads, in milliseconds, because a fence of this thread would never
 * be signalled meanwhile.
 */
const LONGEST_WAIT = 1000;
const NOT_CURRENT = "the surface is not the draw surface of this thread's context: call eglMakeCurrent() first";
const DESTROYED = "the surface was destroyed: make another one current";
const ALL_HELD =
  "the consumer holds all buffers of the window: let it release one, or move its clock on (one vsync takes " +
  "a frame, the next one releases the frame before), and swap again";
const LOST = "the context is lost, because its GPU was reset: make another context and draw anew";
const NO_NEW_SIZE = "the frame is shown, but the driver makes no surface of the window's new size";

/**
 * Shows the drawing; damage counts from the lower left corner, as in GL. Returns whether that succeeded; otherwise the
 * error is noted.
 */
export function swapWindow(state: State, surface: WindowSurface, damage: readonly Rect[]): 0 | 1 {
  const { current } = state, window = surface.native;
  if (!current || current.draw !== surface.handle) return state.fail(EGL_BAD_SURFACE, 0, NOT_CURRENT);
  if (!surface.isConnected) return state.fail(EGL_BAD_SURFACE, 0, DESTROYED);
  surface.metadata.tell(window);
  const dequeued = window.dequeueBuffer();
  if (typeof dequeued === "number") return refuse(state, surface, dequeued);
  const fault = copy(state, current, surface, dequeued);
  if (fault) {
    state.say(`eglSwapBuffers: ${fault.reason}`);
    return state.fail(fault.code, 0, fault.reason);
  }
  window.setSurfaceDamage(damage);
  const status = window.queueBuffer(dequeued.buffer, Fence.signaled());
  window.setBuffersTimestamp(TIMESTAMP_AUTO);
  if (status !== STATUS.OK) return refuse(state, surface, status);
  [surface.age, surface.ageWasAsked, surface.damageWasSet] = [1, false, false];
  return fitCurrent(state, surface) ? 1 : state.fail(EGL_BAD_ALLOC, 0, NO_NEW_SIZE);
}

/** An EGL error and its reason, as a sentence without a full stop. */
interface Fault {
  readonly code: number;
  readonly reason: string;
}

/** Copies the drawing to a buffer. Cancels the buffer, and returns why, if that is not possible. */
function copy(
  state: State,
  current: Current,
  surface: WindowSurface,
  { buffer, fence }: DequeuedBuffer,
): Fault | undefined {
  const window = surface.native, { context } = current, start = performance.now();
  try {
    if (isFree(window, fence)) {
      fence.close();
      let isRead = false;
      const fault = fromDrawSurface(state, current, () => {
        const gl = driverGl(state, context), { width, height } = surface;
        isRead = readInto(gl, pixelAbilities(gl, context), surface, { buffer, width, height });
      }) ?? (isRead ? undefined : lossOf(state, current));
      if (fault) window.cancelBuffer(buffer, Fence.signaled());
      return fault;
    }
  } catch (error) {
    window.cancelBuffer(buffer, Fence.signaled());
    throw error;
  }
  const waited = Math.round(performance.now() - start), reader = fence.describe();
  window.cancelBuffer(buffer, fence);
  return {
    code: EGL_BAD_ALLOC,
    reason: `the consumer still reads buffer ${buffer.id} after ${waited} ms (${reader}); release the buffer, or ` +
      "move the consumer's clock on, before the next swap",
  };
}

function isFree(window: WindowSurface["native"], fence: NativeFence): boolean {
  if (fence.poll()) return true;
  window.pump?.();
  return fence.wait(LONGEST_WAIT);
}

/** Calls `work` with the draw surface as the read surface, which may be another one. */
function fromDrawSurface(state: State, { draw, read, context, display }: Current, work: () => void): Fault | undefined {
  if (draw === read) return void work();
  const { calls } = state, gl = driverGl(state, context);
  // The driver knows a surface that is destroyed, and current until another one takes its place.
  const [drawn, other] = [EGL_DRAW, EGL_READ].map((which) => calls.call("eglGetCurrentSurface", which) as bigint);
  const use = (readFrom: bigint) => calls.call("eglMakeCurrent", display.handle, drawn, readFrom, context.driver) !== 0;
  return keepingDefaultBuffers(gl, pixelAbilities(gl, context), () => {
    if (!use(drawn)) return { code: calls.error(), reason: "the driver cannot read from the draw surface" };
    try {
      work();
    } finally {
      use(other);
    }
  });
}

/** The fault of a context that was lost, in which nothing can be read; `undefined` for any other. */
function lossOf(state: State, { context }: Current): Fault | undefined {
  const { version = [1, 0], extensions = [] } = context.facts ?? {};
  const ending = version[0] * 10 + version[1] >= 32
    ? ""
    : ["KHR", "EXT"].find((each) => extensions.includes(`GL_${each}_robustness`));
  if (ending === undefined) return undefined;
  const status = driverGl(state, context).call(`glGetGraphicsResetStatus${ending}`);
  return status === GL_NO_ERROR ? undefined : { code: EGL_CONTEXT_LOST, reason: LOST };
}

/** Notes the EGL error for a window's status, with the reason. */
function refuse(state: State, surface: WindowSurface, status: Status): 0 {
  const { width, height } = surface;
  // A size that is too large must not stay when the window gets another one.
  if (status === STATUS.BAD_VALUE || status === STATUS.NO_MEMORY) fitCurrent(state, surface);
  switch (status) {
    case STATUS.NO_INIT:
    case STATUS.DEAD_OBJECT:
      return state.fail(
        EGL_BAD_NATIVE_WINDOW,
        0,
        "the window or its consumer is closed: make a surface on another one",
      );
    case STATUS.BAD_VALUE:
      return state.fail(EGL_BAD_SURFACE, 0, `the window takes no buffer of ${width} x ${height} and this format`);
    case STATUS.NO_MEMORY:
      return state.fail(EGL_BAD_ALLOC, 0, `there is no memory or file descriptor for a buffer of ${width} x ${height}`);
    case STATUS.INVALID_OPERATION:
      return state.fail(EGL_BAD_ALLOC, 0, "the program holds all buffers that it may have: queue or cancel one");
    case STATUS.WOULD_BLOCK:
    case STATUS.TIMED_OUT:
      return state.fail(EGL_BAD_ALLOC, 0, ALL_HELD);
  }
  return state.fail(EGL_BAD_ALLOC, 0, `the window returned ${status}`);
}
