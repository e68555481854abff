import { assertEquals } from "@std/assert";
import {
  EGL_CONTEXT_MAJOR_VERSION,
  EGL_CONTEXT_MINOR_VERSION,
  EGL_HEIGHT,
  EGL_NATIVE_BUFFER_ANDROID,
  EGL_NO_CONTEXT,
  EGL_NO_SURFACE,
  EGL_WIDTH,
  type EGLSurface,
} from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { FORMAT } from "../../../wsi/android_values.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { NativeWindow } from "../../../wsi/window/native_window.ts";
import { needs } from "../../support/require.ts";
import { angle, drivers, type TestDriver } from "../drivers.ts";
import { changes, GlState } from "./gl_state.ts";
import { type Opened, openWindow, openWindows, pixelAt, showIn, takeFrame } from "./opened.ts";

/** A context of ANGLE's that has the asked version and no later one. */
const EGL_CONTEXT_OPENGL_BACKWARDS_COMPATIBLE_ANGLE = 0x3483;
const VERSIONS = [[1, 1], [2, 0], [3, 0], [3, 1], [3, 2]] as const;
const READ = g.GL_READ_FRAMEBUFFER, DRAW = g.GL_DRAW_FRAMEBUFFER, PACK = g.GL_PIXEL_PACK_BUFFER;
const RED = [255, 0, 0, 255];

/** A context of exactly this version, if the driver makes such, with a window. */
function openExactly(driver: TestDriver, version: readonly [number, number]): Opened {
  const opened = openWindows(driver, { version });
  if (driver !== angle || version[0] !== 2) return opened;
  const { egl, display, config } = opened;
  const context = egl.eglCreateContext(display, config, EGL_NO_CONTEXT, {
    [EGL_CONTEXT_MAJOR_VERSION]: version[0],
    [EGL_CONTEXT_MINOR_VERSION]: version[1],
    [EGL_CONTEXT_OPENGL_BACKWARDS_COMPATIBLE_ANGLE]: 0,
  });
  return { ...opened, context, [Symbol.dispose]: () => opened[Symbol.dispose]() };
}

/** The abilities that a context can have, by its version and its list. */
function abilitiesOf({ gl }: Opened) {
  const list = (gl.glGetString(g.GL_EXTENSIONS) ?? "").split(" "), text = gl.glGetString(g.GL_VERSION) ?? "";
  const major = Number(/(\d)\.\d/.exec(text)![1]), isFirst = text.includes("OpenGL ES 1.") || text.includes("ES-CM");
  const has = (...names: string[]) => major >= 3 || names.some((name) => list.includes(name));
  return {
    bind: isFirst ? "glBindFramebufferOES" as const : "glBindFramebuffer" as const,
    framebuffers: !isFirst || has("GL_OES_framebuffer_object"),
    split: has("GL_ANGLE_framebuffer_blit", "GL_NV_framebuffer_blit"),
    buffers: has("GL_NV_pixel_buffer_object"),
    rows: has("GL_NV_pack_subimage"),
    reverse: list.includes("GL_ANGLE_pack_reverse_row_order"),
    readBuffer: major >= 3,
    isFirst,
  };
}

/** A framebuffer without an attachment: nothing can be read of it. */
function emptyFramebuffer({ gl }: Opened, isFirst: boolean): number {
  return (isFirst ? gl.glGenFramebuffersOES(1) : gl.glGenFramebuffers(1))[0];
}

/** Sets all state that glReadPixels() goes by to other values than the initial ones. */
function disturb(opened: Opened): void {
  const { gl } = opened, can = abilitiesOf(opened);
  if (can.readBuffer) {
    gl.glReadBuffer(g.GL_NONE);
    gl.glDrawBuffers([g.GL_NONE]);
  }
  if (can.framebuffers) {
    gl[can.bind](can.split ? READ : g.GL_FRAMEBUFFER, emptyFramebuffer(opened, can.isFirst));
    if (can.split) gl[can.bind](DRAW, emptyFramebuffer(opened, can.isFirst));
    if (can.readBuffer) gl.glReadBuffer(g.GL_NONE);
  }
  if (can.buffers) {
    gl.glBindBuffer(PACK, gl.glGenBuffers(1)[0]);
    gl.glBufferData(PACK, 16n, null, g.GL_STATIC_DRAW);
  }
  gl.glPixelStorei(g.GL_PACK_ALIGNMENT, 8);
  if (can.rows) {
    gl.glPixelStorei(g.GL_PACK_ROW_LENGTH, 100);
    gl.glPixelStorei(g.GL_PACK_SKIP_PIXELS, 3);
    gl.glPixelStorei(g.GL_PACK_SKIP_ROWS, 2);
  }
  if (can.reverse) gl.glPixelStorei(g.GL_PACK_REVERSE_ROW_ORDER_ANGLE, 1);
  gl.glEnable(g.GL_SCISSOR_TEST);
  gl.glScissor(1, 2, 3, 4);
  gl.glViewport(5, 6, 7, 8);
  assertEquals(gl.glGetError(), g.GL_NO_ERROR);
}

/** The buffers of the default framebuffer, which queries show only while it is bound. */
function defaultBuffers(opened: Opened): readonly unknown[] {
  const { gl } = opened, can = abilitiesOf(opened);
  if (!can.readBuffer) return [];
  const before = [g.GL_READ_FRAMEBUFFER_BINDING, g.GL_DRAW_FRAMEBUFFER_BINDING].map((name) => gl.glGetIntegerv(name));
  gl.glBindFramebuffer(g.GL_FRAMEBUFFER, 0);
  const found = [gl.glGetIntegerv(g.GL_READ_BUFFER), gl.glGetIntegerv(g.GL_DRAW_BUFFER0)];
  gl.glBindFramebuffer(READ, before[0] as number);
  gl.glBindFramebuffer(DRAW, before[1] as number);
  return found;
}

function clearRed({ gl }: Opened): void {
  gl.glClearColor(1, 0, 0, 1);
  gl.glClear(g.GL_COLOR_BUFFER_BIT);
}

interface Scene extends Disposable {
  readonly opened: Opened;
  readonly native: NativeWindow;
  readonly surface: EGLSurface;
}

/** Calls with a window that was drawn red, in a context whose state is disturbed. Nothing of the state may change. */
function unchanged(driver: TestDriver, version: readonly [number, number], work: (scene: Omit<Scene, symbol>) => void) {
  using opened = openExactly(driver, version);
  using native = openWindow();
  const surface = showIn(opened, native);
  clearRed(opened);
  disturb(opened);
  using state = new GlState(opened.gl);
  const before = state.read();
  assertEquals(state.size > 150, true, `${state.size} values`);
  work({ opened, native, surface });
  assertEquals(opened.gl.glGetError(), g.GL_NO_ERROR);
  assertEquals(changes(before, state.read()), []);
}

function assertShown(native: NativeWindow): void {
  takeFrame(native, (frame, bytes) => {
    assertEquals([pixelAt(frame, bytes, 0, 0), pixelAt(frame, bytes, 12, 6)], [RED, RED]);
  });
}

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);
  for (const version of VERSIONS) {
    if (version[0] * 10 + version[1] > driver.newest[0] * 10 + driver.newest[1]) continue;
    const where = `ES ${version.join(".")} on ${driver.name}`;

    Deno.test(`eglSwapBuffers() shows the drawing and changes no state of ${where}`, part, () => {
      unchanged(driver, version, ({ opened, native, surface }) => {
        const { egl, display } = opened, buffers = defaultBuffers(opened);
        egl.eglSwapBuffers(display, surface);
        assertShown(native);
        egl.eglSwapBuffersWithDamageKHR(display, surface, [0, 0, 1, 1]);
        assertShown(native);
        assertEquals(defaultBuffers(opened), buffers);
      });
    });

    Deno.test(`a swap after which the window has another size changes no state of ${where}`, part, () => {
      unchanged(driver, version, ({ opened, native, surface }) => {
        const { egl, display } = opened, buffers = defaultBuffers(opened);
        native.resize(40, 30);
        egl.eglSwapBuffers(display, surface);
        assertShown(native);
        assertEquals(defaultBuffers(opened), buffers);
        assertEquals(egl.eglQuerySurface(display, surface, EGL_WIDTH), 40);
      });
    });

    Deno.test(`a surface that gets another size while it is not current changes no state of ${where}`, part, () => {
      unchanged(driver, version, ({ opened, native, surface }) => {
        const { egl, display, context } = opened;
        const renew = () => {
          egl.eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
          egl.eglMakeCurrent(display, surface, surface, context);
        };
        renew(); // ANGLE draws to the back buffer again
        const buffers = defaultBuffers(opened);
        native.resize(40, 30);
        renew();
        assertEquals(defaultBuffers(opened), buffers);
        assertEquals(egl.eglQuerySurface(display, surface, EGL_HEIGHT), 30);
      });
    });
  }

  Deno.test(`an image that is bound and gets a buffer's pixels changes no other state on ${driver.name}`, part, () => {
    unchanged(driver, [3, 0], ({ opened }) => {
      const { egl, gl, display } = opened;
      const buffer = allocateBuffer({ width: 4, height: 4, format: FORMAT.RGBA_8888, usage: USAGE.CPU_READ_OFTEN });
      const native = egl.eglGetNativeClientBufferANDROID(buffer.handle);
      const buffers = defaultBuffers(opened), [texture] = gl.glGenTextures(1);
      const image = egl.eglCreateImageKHR(display, EGL_NO_CONTEXT, EGL_NATIVE_BUFFER_ANDROID, native, null);
      gl.glBindTexture(g.GL_TEXTURE_2D, texture);
      gl.glEGLImageTargetTexture2DOES(g.GL_TEXTURE_2D, image);
      gl.glBindTexture(g.GL_TEXTURE_2D, 0);
      assertEquals(defaultBuffers(opened), buffers);
      egl.eglDestroyImageKHR(display, image);
      buffer.close();
    });
  });

  Deno.test(
    `a window of 565 shows the drawing while nothing can be read, without an error, on ${driver.name}`,
    part,
    () => {
      using opened = openWindows(driver, { version: [3, 0], bits: [5, 6, 5, 0] });
      using native = openWindow();
      const surface = showIn(opened, native), { egl, gl, display } = opened;
      clearRed(opened);
      gl.glBindFramebuffer(READ, emptyFramebuffer(opened, false));
      egl.eglSwapBuffers(display, surface);
      assertEquals(gl.glGetError(), g.GL_NO_ERROR);
      takeFrame(native, ({ buffer }, bytes) => assertEquals([buffer.format, bytes[0], bytes[1]], [4, 0x00, 0xf8]));
    },
  );

  Deno.test(`a swap from a draw surface keeps the read surface, destroyed or not, on ${driver.name}`, part, () => {
    using opened = openWindows(driver, { version: [3, 0] });
    using native = openWindow();
    const { egl, gl, display, config, context } = opened;
    const surface = egl.eglCreateWindowSurface(display, config, native.address);
    const other = egl.eglCreatePbufferSurface(display, config, { [EGL_WIDTH]: 13, [EGL_HEIGHT]: 7 });
    const read = () => [...gl.glReadPixels(0, 0, 1, 1, g.GL_RGBA, g.GL_UNSIGNED_BYTE) as Uint8Array];
    egl.eglMakeCurrent(display, other, other, context);
    gl.glClearColor(0, 0, 1, 1);
    gl.glClear(g.GL_COLOR_BUFFER_BIT);
    egl.eglMakeCurrent(display, surface, other, context);
    clearRed(opened);
    egl.eglSwapBuffers(display, surface);
    assertShown(native);
    assertEquals(read(), [0, 0, 255, 255]);
    egl.eglDestroySurface(display, other);
    for (const size of [13, 14]) {
      native.resize(size, 7);
      clearRed(opened);
      egl.eglSwapBuffers(display, surface);
      assertShown(native);
      assertEquals(read(), [0, 0, 255, 255]);
    }
    assertEquals(gl.glGetError(), g.GL_NO_ERROR);
  });
}

Deno.test(
  "eglSwapBuffers() sees the extensions that an application adds to its context",
  needs(angle.part, angle.found || undefined),
  () => {
    const EGL_EXTENSIONS_ENABLED_ANGLE = 0x345f;
    using opened = openWindows(angle, { version: [2, 0] });
    using native = openWindow();
    const { egl, gl, display, config } = opened;
    const context = egl.eglCreateContext(display, config, EGL_NO_CONTEXT, {
      [EGL_CONTEXT_MAJOR_VERSION]: 2,
      [EGL_CONTEXT_OPENGL_BACKWARDS_COMPATIBLE_ANGLE]: 0,
      [EGL_EXTENSIONS_ENABLED_ANGLE]: 0,
    });
    const surface = showIn({ ...opened, context }, native);
    clearRed(opened);
    egl.eglSwapBuffers(display, surface);
    assertShown(native);
    const request = egl.eglGetProcAddress("glRequestExtensionANGLE");
    using name = new NativeBlock(64);
    name.bytes.set(new TextEncoder().encode("GL_NV_pixel_buffer_object\0"));
    const call = new Deno.UnsafeFnPointer(
      Deno.UnsafePointer.create(request)!,
      { parameters: ["u64"], result: "void" } as const,
    );
    call.call(name.address);
    gl.glBindBuffer(PACK, gl.glGenBuffers(1)[0]);
    gl.glBufferData(PACK, 16n, null, g.GL_STATIC_DRAW);
    egl.eglSwapBuffers(display, surface);
    assertShown(native);
    assertEquals(gl.glGetError(), g.GL_NO_ERROR);
  },
);
