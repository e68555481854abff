import type { Label } from "../../ffi/asm/code.ts";
import { NativeBlock } from "../../ffi/block.ts";
import type { Routine, Variable } from "../../ffi/emit/routine.ts";
import { NativeError } from "../../ffi/error.ts";
import { emitterForThisMachine, type Image, loadEmitted } from "../../ffi/image/image.ts";
import { invokeAddress } from "../../ffi/invoke.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { Library, RTLD_NODELETE, RTLD_NOW } from "../../ffi/library/library.ts";

/** The library that libglvnd's OpenGL libraries share. */
const SHARED = "libGLdispatch.so.0";

/** The functions of the driver whose contexts are followed. */
export interface FollowedEgl {
  /** The driver's eglMakeCurrent. */
  readonly makeCurrent: bigint;
  /** The driver's eglReleaseThread. */
  readonly releaseThread: bigint;
  /** The driver's eglGetProcAddress. */
  readonly getProcAddress: bigint;
}

/** The functions of libGLdispatch, which is told about the driver's contexts. */
export interface SharedDispatch {
  /** __glDispatchGetCurrentThreadState */
  readonly state: bigint;
  /** __glDispatchMakeCurrent */
  readonly take: bigint;
  /** __glDispatchLoseCurrent */
  readonly lose: bigint;
  /** The dispatch table that libGLdispatch fills with `getProcAddress`. */
  readonly table: bigint;
  /** The number by which libGLdispatch identifies vendors. */
  readonly vendor: number;
}

/**
 * Lets libglvnd's `libGL.so.1` and `libOpenGL.so.0` reach a driver's contexts
 * on every thread, although the driver is called without libglvnd's `libEGL`.
 */
export class DispatchFollower implements Disposable {
  /** Address of the function to call in place of the driver's eglMakeCurrent. */
  readonly makeCurrent: bigint;
  /** Address of the function to call in place of the driver's eglReleaseThread. */
  readonly releaseThread: bigint;
  readonly #image: Image;
  readonly #record: NativeBlock;

  private constructor(image: Image, record: NativeBlock) {
    this.makeCurrent = image.address("makeCurrent");
    this.releaseThread = image.address("releaseThread");
    this.#image = image;
    this.#record = record;
  }

  /** Makes a follower. Returns `undefined` if there is no libGLdispatch, or if emitted code cannot be used. */
  static make(egl: FollowedEgl, shared = sharedDispatch(egl.getProcAddress)): DispatchFollower | undefined {
    const emitter = emitterForThisMachine();
    if (!shared || !emitter) return;
    const slot = emitter.code.reserve();
    writeDispatchFollowers(emitter.routine(), slot);
    const image = loadEmitted(emitter);
    if (!image) return;
    const record = new NativeBlock(FOLLOWED.size), { makeCurrent, releaseThread } = egl;
    const { state, take, lose, table } = shared, vendor = BigInt(shared.vendor);
    const calloc = libcAddress("calloc"), free = libcAddress("free");
    const values = { makeCurrent, releaseThread, state, take, lose, table, vendor, calloc, free };
    for (const [name, value] of Object.entries(values)) {
      record.view.setBigUint64(FOLLOWED[name as keyof typeof values], value, true);
    }
    image.data.setBigUint64(slot, record.address, true);
    return new DispatchFollower(image, record);
  }

  /**
   * Frees the functions; none of them may be called afterwards. libGLdispatch
   * keeps the table, because threads may still use it.
   */
  [Symbol.dispose](): void {
    this.#image.unload();
    this.#record.close();
  }
}

/**
 * The functions of libglvnd's own libGLdispatch; `undefined` if there is none. The library stays loaded, because
 * threads may end long afterwards.
 */
function sharedDispatch(getProcAddress: bigint): SharedDispatch | undefined {
  using shared = openShared();
  if (!shared) return;
  const call = (name: string, signature: string, ...args: bigint[]) =>
    invokeAddress(shared.require(name), signature, args);
  call("__glDispatchInit", "v:");
  return {
    state: shared.require("__glDispatchGetCurrentThreadState"),
    take: shared.require("__glDispatchMakeCurrent"),
    lose: shared.require("__glDispatchLoseCurrent"),
    // libGLdispatch calls `void *(const char *name, void *param)`. The driver ignores the second argument.
    table: call("__glDispatchCreateTable", "q:qq", getProcAddress, 0n) as bigint,
    vendor: call("__glDispatchNewVendorID", "s:") as number,
  };
}

function openShared(): Library | undefined {
  try {
    return Library.open(SHARED, RTLD_NOW | RTLD_NODELETE);
  } catch (error) {
    if (error instanceof NativeError) return undefined;
    throw error;
  }
}

/** The slots of ours that the functions read, 8 bytes each: addresses, libGLdispatch's table, and the vendor's number. */
const FOLLOWED = {
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
function writeDispatchFollowers(routine: Routine, slot: number): void {
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
