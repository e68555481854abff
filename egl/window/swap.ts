import type { NativeFence } from "../../wsi/fence/native_fence.ts";
import { NativeFence as Fence } from "../../wsi/fence/native_fence.ts";
import { STATUS, type Status } from "../../wsi/status.ts";
import type { Dequeued, Rect } from "../../wsi/contract/window.ts";
import { TIMESTAMP_AUTO } from "../../wsi/window/surface.ts";
import { Failure } from "../api/codes.ts";
import type { Current, State } from "../api/state.ts";
import { driverGl } from "./driver_gl.ts";
import { pixelAbilities } from "./pixel_state.ts";
import { readInto } from "./read_back.ts";
import { fitCurrent } from "./resize.ts";
import type { WindowSurface } from "./window_surface.ts";

const BAD_ALLOC = 0x3003;
/** How long a buffer is waited for that the consumer still reads; one that signals on this thread never gets there. */
const LONGEST_WAIT = 1000;

/** Shows what is drawn; damage in GL's way, from the lower left corner. Whether it worked; if not, the error is noted. */
export function swapWindow(state: State, surface: WindowSurface, damage: readonly Rect[]): 0 | 1 {
  const { current } = state, window = surface.native;
  if (!current || current.draw !== surface.handle) return state.fail(Failure.badSurface, 0);
  if (!surface.isConnected) return state.fail(Failure.badSurface, 0);
  surface.metadata.tell(window);
  const dequeued = window.dequeueBuffer();
  if (typeof dequeued === "number") return state.fail(errorOf(dequeued), 0);
  if (!copy(state, current, surface, dequeued)) return state.fail(BAD_ALLOC, 0);
  window.setSurfaceDamage(damage);
  const status = window.queueBuffer(dequeued.buffer, Fence.signaled());
  window.setBuffersTimestamp(TIMESTAMP_AUTO);
  if (status !== STATUS.OK) return state.fail(errorOf(status), 0);
  [surface.age, surface.ageWasAsked, surface.damageWasSet] = [1, false, false];
  return fitCurrent(state, surface) ? 1 : state.fail(BAD_ALLOC, 0);
}

/** The buffer is given back when its fence takes too long or it cannot be written. */
function copy(state: State, current: Current, surface: WindowSurface, { buffer, fence }: Dequeued): boolean {
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

/** Reads come from the read surface, which may be another one. */
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

/** What EGL says for what a window says. */
function errorOf(status: Status): number {
  switch (status) {
    case STATUS.NO_INIT:
    case STATUS.DEAD_OBJECT:
      return Failure.badNativeWindow;
    case STATUS.BAD_VALUE:
      return Failure.badSurface;
  }
  return BAD_ALLOC;
}
