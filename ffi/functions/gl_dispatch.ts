import { NativeBlock } from "../block.ts";
import { FOLLOWED } from "../emit/gl_dispatch.ts";
import { NativeError } from "../error.ts";
import { emitterForThisMachine, loadEmitted } from "../image/emitted.ts";
import type { Image } from "../image/image.ts";
import { invoke } from "../invoke.ts";
import { libcAddress } from "../libc.ts";
import { Library, RTLD_NODELETE, RTLD_NOW } from "../library/library.ts";

/** The functions that libglvnd's libraries of OpenGL share. */
const SHARED = "libGLdispatch.so.0";

/** Functions of a driver, whose contexts are to be followed. */
export interface FollowedEgl {
  /** Its eglMakeCurrent. */
  readonly makeCurrent: bigint;
  /** Its eglReleaseThread. */
  readonly releaseThread: bigint;
  /** Its eglGetProcAddress. */
  readonly getProcAddress: bigint;
}

/** What follows: functions of libGLdispatch. */
export interface SharedDispatch {
  /** __glDispatchGetCurrentThreadState */
  readonly state: bigint;
  /** __glDispatchMakeCurrent */
  readonly take: bigint;
  /** __glDispatchLoseCurrent */
  readonly lose: bigint;
  /** A table of functions that `getProcAddress` finds. */
  readonly table: bigint;
  /** What tells one vendor from others. */
  readonly vendor: number;
}

/**
 * Has `libGL.so.1` and `libOpenGL.so.0` of libglvnd reach the contexts of a
 * driver that is called without libglvnd's `libEGL`, on every thread.
 */
export class DispatchFollower implements Disposable {
  /** What is to be called in the place of the driver's eglMakeCurrent. */
  readonly makeCurrent: bigint;
  /** In the place of its eglReleaseThread. */
  readonly releaseThread: bigint;
  readonly #image: Image;
  readonly #record: NativeBlock;

  private constructor(image: Image, record: NativeBlock) {
    this.makeCurrent = image.address("makeCurrent");
    this.releaseThread = image.address("releaseThread");
    this.#image = image;
    this.#record = record;
  }

  /** Makes one; `undefined` where there is nothing that follows, or emitted code cannot be used. */
  static make(egl: FollowedEgl, shared = sharedDispatch(egl.getProcAddress)): DispatchFollower | undefined {
    const emitter = emitterForThisMachine();
    if (!shared || !emitter) return;
    const slot = emitter.code.reserve();
    emitter.dispatchFollowers(slot);
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

  /** Gives it back: nothing of it may be called any more. Its table stays libGLdispatch's, which has threads that use it. */
  [Symbol.dispose](): void {
    this.#image.unload();
    this.#record.close();
  }
}

/** libglvnd's own, which stays loaded, as threads may end long after; `undefined` where there is none. */
function sharedDispatch(getProcAddress: bigint): SharedDispatch | undefined {
  using shared = openShared();
  if (!shared) return;
  const call = (name: string, signature: string, ...args: bigint[]) => invoke(shared.require(name), signature, args);
  call("__glDispatchInit", "v:");
  return {
    state: shared.require("__glDispatchGetCurrentThreadState"),
    take: shared.require("__glDispatchMakeCurrent"),
    lose: shared.require("__glDispatchLoseCurrent"),
    // It asks for functions by `void *(const char *name, void *param)`: the driver takes no notice of what is behind the name.
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
