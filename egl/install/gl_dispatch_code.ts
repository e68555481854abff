import type { Label } from "../../ffi/asm/code.ts";
import type { Routine, Variable } from "../../ffi/emit/routine.ts";

/** The slots of ours that the functions read, 8 bytes each: addresses, libGLdispatch's table, and the vendor's number. */
export const FOLLOWED = {
  /** The driver's eglMakeCurrent and eglReleaseThread. */
  makeCurrent: 0,
  releaseThread: 8,
  /** __glDispatchGetCurrentThreadState, __glDispatchMakeCurrent and __glDispatchLoseCurrent. */
  state: 16,
  take: 24,
  lose: 32,
  /** calloc and free of the C library. */
  calloc: 40,
  free: 48,
  table: 56,
  vendor: 64,
  size: 72,
} as const;

/**
 * `__GLdispatchThreadState` of `GLdispatch.h`: its owner, the function that is called at the thread's end, and libGLdispatch's own part.
 */
const STATE = { tag: 0, ended: 8, size: 24 } as const;
/** GLDISPATCH_API_EGL */
const EGL = 1;

const record: Variable = 0, context: Variable = 1, done: Variable = 2, state: Variable = 3, other: Variable = 4;

/**
 * Writes `makeCurrent` and `releaseThread`. Both call the driver's functions of EGL; afterwards libGLdispatch passes
 * the thread's calls of `libGL.so.1` and `libOpenGL.so.0` to the driver while a context is current.
 */
export function writeDispatchFollowers(routine: Routine, slot: number): void {
  const release = writeRelease(routine, slot);
  writeMakeCurrent(routine, slot, release);
  routine.begin("releaseThread");
  routine.loadSlot(record, slot);
  routine.callAt(record, FOLLOWED.releaseThread);
  routine.result(done);
  routine.call(release);
  routine.finish({ variable: done });
}

/** Writes `void release(void)`, which frees a thread state that belongs to EGL. */
function writeRelease(routine: Routine, slot: number): Label {
  const none = routine.label(), label = routine.begin("releaseDispatch");
  routine.loadSlot(record, slot);
  routine.callAt(record, FOLLOWED.state);
  routine.wideResult(state);
  routine.ifZero(state, none);
  routine.load32(other, state, STATE.tag);
  routine.set(context, EGL);
  routine.ifNotEqual(other, context, none);
  routine.callAt(record, FOLLOWED.lose);
  routine.pass(0, state);
  routine.callAt(record, FOLLOWED.free);
  routine.place(none);
  routine.finish(0);
  return label;
}

/** Writes `EGLBoolean makeCurrent(display, draw, read, context)`. The state of a thread serves all its contexts. */
function writeMakeCurrent(routine: Routine, slot: number, release: Label): void {
  const end = routine.label(), left = routine.label();
  routine.begin("makeCurrent");
  const given: readonly Variable[] = [done, state, other, context];
  given.forEach((variable, index) => routine.argument(variable, index));
  routine.loadSlot(record, slot);
  given.forEach((variable, index) => routine.pass(index, variable));
  routine.callAt(record, FOLLOWED.makeCurrent);
  routine.result(done);
  routine.ifZero(done, end);
  routine.ifZero(context, left);
  routine.callAt(record, FOLLOWED.state);
  routine.wideResult(state);
  routine.ifNotZero(state, end);
  writeTake(routine, end);
  routine.jump(end);
  routine.place(left);
  routine.call(release);
  routine.place(end);
  routine.finish({ variable: done });
}

function writeTake(routine: Routine, end: Label): void {
  routine.passNumber(0, 1);
  routine.passNumber(1, STATE.size);
  routine.callAt(record, FOLLOWED.calloc);
  routine.wideResult(state);
  routine.ifZero(state, end);
  routine.set(other, EGL);
  routine.store32(state, STATE.tag, other);
  routine.load(other, record, FOLLOWED.free);
  routine.store(state, STATE.ended, other);
  routine.pass(0, state);
  routine.load(other, record, FOLLOWED.table);
  routine.pass(1, other);
  routine.load(other, record, FOLLOWED.vendor);
  routine.pass(2, other);
  routine.passNumber(3, 0);
  routine.callAt(record, FOLLOWED.take);
}
