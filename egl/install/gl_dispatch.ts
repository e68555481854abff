import { NativeBlock } from "../../ffi/block.ts";
import { FOLLOWED, writeDispatchFollowers } from "./gl_dispatch_code.ts";
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
