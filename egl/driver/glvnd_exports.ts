import { NativeBlock } from "../../ffi/block.ts";
import { returning } from "../../ffi/thunk.ts";

const EXPORTS_SIZE = 96;
/** EGL_OPENGL_ES_API */
const OPENGL_ES_API = 0x30a0, TRUE = 1;

let shared: NativeBlock | undefined;

/**
 * The address of libglvnd's `__EGLapiExports`, what a vendor library may call
 * in its loader. It is there for good, because vendors keep it, and stay loaded
 * as they like.
 *
 * A vendor calls these from its dispatch stubs only. Nobody gets those here:
 * its own functions are called instead. So it is enough that each answers
 * something harmless, on any thread.
 */
export function glvndExports(): bigint {
  return (shared ??= makeExports()).address;
}

function makeExports(): NativeBlock {
  const block = new NativeBlock(EXPORTS_SIZE);
  const nothing = returning("q:", 0n), isTrue = returning("q:", BigInt(TRUE));
  const functions = [
    nothing, // void threadInit(void)
    returning("q:", BigInt(OPENGL_ES_API)), // EGLenum getCurrentApi(void)
    nothing, // __EGLvendorInfo *getCurrentVendor(void)
    nothing, // EGLContext getCurrentContext(void)
    nothing, // EGLDisplay getCurrentDisplay(void)
    nothing, // EGLSurface getCurrentSurface(EGLint readDraw)
    nothing, // void *fetchDispatchEntry(__EGLvendorInfo *vendor, int index)
    nothing, // void setEGLError(EGLint errorCode)
    isTrue, // EGLBoolean setLastVendor(__EGLvendorInfo *vendor)
    nothing, // __EGLvendorInfo *getVendorFromDisplay(EGLDisplay display)
    nothing, // __EGLvendorInfo *getVendorFromDevice(EGLDeviceEXT device)
    isTrue, // EGLBoolean setVendorForDevice(EGLDeviceEXT device, __EGLvendorInfo *vendor)
  ];
  functions.forEach((address, index) => block.view.setBigUint64(8 * index, address, true));
  return block;
}
