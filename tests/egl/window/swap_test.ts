import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  EGL_BAD_ALLOC,
  EGL_BAD_SURFACE,
  EGL_CONTEXT_LOST,
  EGL_CONTEXT_MAJOR_VERSION,
  EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
  EGL_LOSE_CONTEXT_ON_RESET,
  EglError,
} from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { needs } from "../../support/require.ts";
import { angle, drivers } from "../drivers.ts";
import { openWindow, openWindows, pixelAt, showIn, takeFrame } from "./opened.ts";

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(
    `eglSwapBuffers() tells why it has no buffer, and goes on when there is one, on ${driver.name}`,
    part,
    () => {
      using opened = openWindows(driver);
      using native = openWindow();
      const { egl, display, said } = opened, surface = showIn(opened, native);
      const swap = () => egl.eglSwapBuffers(display, surface);
      swap();
      const frame = native.frames.acquire()!;
      const held = assertThrows(() => Array.from({ length: 9 }, swap), EglError);
      assertEquals(held.code, EGL_BAD_ALLOC);
      assertMatch(held.message, /the consumer holds all buffers of the window: let it release one/);
      const { fence, signal } = NativeFence.create();
      frame.release(fence);
      const reading = assertThrows(swap, EglError);
      assertEquals(reading.code, EGL_BAD_ALLOC);
      assertMatch(reading.message, /the consumer still reads buffer \d+ after \d+ ms \(fence of .*, pending.*\)/);
      assertEquals(said.map((each) => each.replace(/.*: the/, "the")), [reading.message.replace(/.*; the/, "the")]);
      signal();
      swap();
      native.close();
      assertThrows(swap, EglError, "the window or its consumer is closed");
      egl.eglMakeCurrent(display, 0n, 0n, 0n);
      assertThrows(swap, EglError, "the surface is not the draw surface of this thread's context");
    },
  );

  Deno.test(`a window whose size no surface can have goes on with its next size on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow();
    const { egl, gl, display } = opened, surface = showIn(opened, native), codes: (number | undefined)[] = [];
    native.resize(1 << 20, 1 << 10);
    for (let swap = 0; swap < 3; swap++) {
      try {
        egl.eglSwapBuffers(display, surface);
      } catch (error) {
        codes.push((error as EglError).code);
      }
      while (native.frames.acquire()?.release());
      if (swap === 1) native.resize(5, 4);
    }
    assertEquals(codes.every((code) => code === EGL_BAD_ALLOC || code === EGL_BAD_SURFACE), true, `${codes}`);
    gl.glClearColor(1, 0, 0, 1);
    gl.glClear(g.GL_COLOR_BUFFER_BIT);
    egl.eglSwapBuffers(display, surface);
    takeFrame(native, (frame, bytes) => {
      assertEquals([frame.buffer.width, frame.buffer.height, ...pixelAt(frame, bytes, 4, 3)], [5, 4, 255, 0, 0, 255]);
    });
  });

  for (const version of [[1, 1], [2, 0], [3, 0]] as const) {
    Deno.test(
      `eglSwapBuffers() gives the window what was drawn with ES ${version.join(".")} on ${driver.name}`,
      part,
      () => {
        using opened = openWindows(driver, { version });
        using native = openWindow();
        const { egl, gl, display } = opened, surface = showIn(opened, native);
        gl.glClearColor(1, 0, 0, 1);
        gl.glClear(g.GL_COLOR_BUFFER_BIT);
        gl.glEnable(g.GL_SCISSOR_TEST);
        gl.glScissor(2, 0, 3, 2);
        gl.glClearColor(0, 1, 0, 0.2);
        gl.glClear(g.GL_COLOR_BUFFER_BIT);
        egl.eglSwapBuffers(display, surface);
        takeFrame(native, (frame, bytes) => {
          assertEquals([frame.buffer.width, frame.buffer.height, frame.buffer.format], [13, 7, 1]);
          for (let y = 0; y < 7; y++) {
            for (let x = 0; x < 13; x++) {
              const isGreen = x >= 2 && x < 5 && y >= 5;
              assertEquals(pixelAt(frame, bytes, x, y), isGreen ? [0, 255, 0, 51] : [255, 0, 0, 255], `${x}, ${y}`);
            }
          }
        });
        assertEquals(native.statistics.copies, 1);
        assertEquals(gl.glGetError(), g.GL_NO_ERROR);
      },
    );
  }
}

Deno.test(
  "eglSwapBuffers() shows nothing of a lost context, and says so",
  needs(angle.part, angle.found || undefined),
  () => {
    using opened = openWindows(angle);
    using native = openWindow();
    const { egl, display, config } = opened;
    const context = egl.eglCreateContext(display, config, 0n, {
      [EGL_CONTEXT_MAJOR_VERSION]: 2,
      [EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY]: EGL_LOSE_CONTEXT_ON_RESET,
    });
    const surface = showIn({ ...opened, context }, native), GUILTY = 0x8253;
    const lose = egl.eglGetProcAddress("glLoseContextCHROMIUM");
    new Deno.UnsafeFnPointer(
      Deno.UnsafePointer.create(lose)!,
      { parameters: ["u32", "u32"], result: "void" } as const,
    ).call(GUILTY, GUILTY);
    const { code, message } = assertThrows(() => egl.eglSwapBuffers(display, surface), EglError);
    assertEquals(code, EGL_CONTEXT_LOST);
    assertMatch(message, /the context is lost/);
    assertEquals(native.frames.acquire(), undefined);
  },
);
