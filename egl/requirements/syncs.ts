import { NativeFence } from "../../wsi/fence/native_fence.ts";
import type { EGLSync } from "../command/types.ts";
import { EglError } from "../error.ts";
import { GL_COLOR_BUFFER_BIT } from "../gen/gl_constants_gen.js";
import type { Session } from "./session.ts";
import { EGL_CONDITION_SATISFIED, EGL_SYNC_FENCE, EGL_SYNC_NATIVE_FENCE_ANDROID } from "../gen/egl_constants_gen.js";

/** EGL_SYNC_FLUSH_COMMANDS_BIT */
const FLUSH = 1;
/** A time that a small frame never takes, in nanoseconds and in milliseconds. */
const LONG = 5_000_000_000n, LONG_MS = 5000;

/** A test of each extension's sync behind a frame: returns what is wrong; `""` for nothing. */
const TRIALS: Readonly<Record<string, readonly [type: number, work: (session: Session, sync: EGLSync) => string]>> = {
  EGL_KHR_fence_sync: [EGL_SYNC_FENCE, ({ egl, display }, sync) => {
    const answer = egl.eglClientWaitSyncKHR(display, sync, FLUSH, LONG);
    return answer === EGL_CONDITION_SATISFIED ? "" : `eglClientWaitSyncKHR() answers 0x${(answer >>> 0).toString(16)}`;
  }],
  EGL_KHR_wait_sync: [EGL_SYNC_FENCE, ({ egl, display }, sync) => {
    const answer = egl.eglWaitSyncKHR(display, sync, 0);
    return answer === 1 ? "" : `eglWaitSyncKHR() answers ${answer}`;
  }],
  EGL_ANDROID_native_fence_sync: [EGL_SYNC_NATIVE_FENCE_ANDROID, ({ egl, display }, sync) => {
    egl.gl.glFlush();
    using fence = NativeFence.adopt(egl.eglDupNativeFenceFDANDROID(display, sync));
    return fence.wait(LONG_MS) ? "" : "its fence does not signal behind what was drawn";
  }],
};

/** Returns the fault of an extension for syncs in use; `""` for none, and for other extensions. */
export function wrongSync(session: Session, extension: string): string {
  const trial = TRIALS[extension];
  if (!trial) return "";
  const [type, work] = trial, { egl, display } = session;
  try {
    return session.within([2, 0], () => {
      egl.gl.glClear(GL_COLOR_BUFFER_BIT);
      const sync = egl.eglCreateSyncKHR(display, type, null);
      try {
        return work(session, sync);
      } finally {
        egl.eglDestroySyncKHR(display, sync);
      }
    });
  } catch (error) {
    if (error instanceof EglError || error instanceof RangeError) return error.message;
    throw error;
  }
}
