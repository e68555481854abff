/**
 * Native threads use Android's display of this loader, with objects of their own and with those of the loader's
 * thread: `android_threads.ts DRIVER PROGRAM THREADS FRAMES PLATFORM`; it prints what came of it.
 *
 * @module
 */
import * as e from "../../../../egl/mod.ts";
import * as g from "../../../../egl/gl.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { NativeWindow } from "../../../../wsi/window/native_window.ts";

const [driver, path, threads, frames, platform] = Deno.args;
const egl = e.loadEgl({ driver, platform: platform as "linux" });
const early = platform === "linux" ? undefined : egl.install();
const display = egl.eglGetPlatformDisplay(e.EGL_PLATFORM_ANDROID_KHR, 0n);
const installed = early ?? egl.install();
egl.eglInitialize(display);
const [config] = egl.eglChooseConfig(display, {
  [e.EGL_SURFACE_TYPE]: e.EGL_PBUFFER_BIT | e.EGL_WINDOW_BIT,
  [e.EGL_RENDERABLE_TYPE]: e.EGL_OPENGL_ES2_BIT,
  ...Object.fromEntries([e.EGL_RED_SIZE, e.EGL_GREEN_SIZE, e.EGL_BLUE_SIZE, e.EGL_ALPHA_SIZE].map((name) => [name, 8])),
});
const context = egl.eglCreateContext(display, config, 0n, { [e.EGL_CONTEXT_MAJOR_VERSION]: 2 });
const surface = egl.eglCreatePbufferSurface(display, config, { [e.EGL_WIDTH]: 16, [e.EGL_HEIGHT]: 16 });
const program = Library.open(path);
invokeAddress(program.require("egl_use"), "v:q", [display]);
const drawn = invokeAddress(program.require("egl_threads"), "s:ss", [Number(threads), Number(frames)]);

/** The program's digest of the strings, as this thread reads them. */
const strings = [e.EGL_VENDOR, e.EGL_VERSION, e.EGL_EXTENSIONS].map((name) => {
  let digest = 14695981039346656037n;
  for (const byte of new TextEncoder().encode(egl.eglQueryString(display, name)!)) {
    digest = BigInt.asUintN(64, (digest ^ BigInt(byte)) * 1099511628211n);
  }
  return digest;
}).reduce((all, each) => all ^ each);

using objects = new NativeBlock(56);
/** Lends a surface to another thread; the step that failed there, and what it made. */
function lend(lent: bigint) {
  [display, lent, context, 0n, 0n, 0n, 0n].forEach((value, index) => objects.view.setBigUint64(8 * index, value, true));
  if (invokeAddress(program.require("egl_borrow"), "s:q", [objects.address]) !== 0) throw new Error("no thread");
  const at = (index: number) => objects.view.getBigUint64(8 * index, true);
  return { strings: at(3), failed: Number(at(4)), surface: at(5), context: at(6) };
}
const { failed, ...made } = lend(surface);
if (failed !== 0) throw new Error(`step ${failed}`);
const isSame = made.strings === strings;
egl.eglMakeCurrent(display, made.surface, made.surface, made.context);
egl.gl.glClearColor(1, 0, 0, 1);
egl.gl.glClear(g.GL_COLOR_BUFFER_BIT);
const pixel = [...egl.gl.glReadPixels(0, 0, 1, 1, g.GL_RGBA, g.GL_UNSIGNED_BYTE) as Uint8Array];
const isCurrent = egl.eglGetCurrentContext() === made.context;
egl.eglMakeCurrent(display, 0n, 0n, 0n);
egl.eglDestroyContext(display, made.context);
egl.eglDestroySurface(display, made.surface);

const native = new NativeWindow({ width: 16, height: 16 });
const refused = lend(egl.eglCreateWindowSurface(display, config, native.address)).failed;
egl.eglDestroySurface(display, surface);
const gone = lend(surface).failed;
installed.uninstall();
egl.close();
native.close();
console.log(JSON.stringify({ drawn, failed, pixel, isCurrent, isSame, refused, gone }));
