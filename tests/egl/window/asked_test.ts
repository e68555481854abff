import { assert, assertEquals } from "@std/assert";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { needs } from "../../support/require.ts";
import { drivers, mesa } from "../drivers.ts";
import { openWindow, openWindows, showIn } from "./opened.ts";

const EGL_OPENGL_API = 0x30A2, EGL_OPENGL_ES_API = 0x30A0, EGL_OPENGL_BIT = 8;

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`eglChooseConfig() refuses what is neither true nor false on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    const { egl, display } = opened;
    for (const name of [e.EGL_NATIVE_RENDERABLE, e.EGL_RECORDABLE_ANDROID, e.EGL_FRAMEBUFFER_TARGET_ANDROID]) {
      const errors = [2, -2, 7].map((value) => {
        try {
          return egl.eglChooseConfig(display, { [name]: value }).length;
        } catch (error) {
          return (error as e.EglError).codeName;
        }
      });
      assertEquals(errors, Array(3).fill("EGL_BAD_ATTRIBUTE"));
      const counts = [1, 0, e.EGL_DONT_CARE].map((value) => egl.eglChooseConfig(display, { [name]: value }).length);
      assert(counts[2] >= counts[0] && counts[2] >= counts[1] && counts[2] > 0, `${counts}`);
    }
  });

  Deno.test(`a pbuffer has an age of 0 and no damage on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    const { egl, display, config, context } = opened, { raw } = egl;
    const [pbuffer, other] = [8, 4].map((side) =>
      egl.eglCreatePbufferSurface(display, config, { [e.EGL_WIDTH]: side, [e.EGL_HEIGHT]: side })
    );
    egl.eglMakeCurrent(display, pbuffer, pbuffer, context);
    assertEquals(egl.eglQuerySurface(display, pbuffer, e.EGL_BUFFER_AGE_EXT), 0);
    assertEquals([raw.eglQuerySurface(display, pbuffer, e.EGL_BUFFER_AGE_EXT, 0n), raw.eglGetError()], [
      0,
      e.EGL_BAD_PARAMETER,
    ]);
    const refused = (result: number) => [result, raw.eglGetError()];
    assertEquals(refused(raw.eglQuerySurface(display, other, e.EGL_BUFFER_AGE_EXT, 8n)), [0, e.EGL_BAD_SURFACE]);
    assertEquals(refused(raw.eglSetDamageRegionKHR(display, pbuffer, 0n, 0)), [0, e.EGL_BAD_MATCH]);
    assertEquals(refused(raw.eglSetDamageRegionKHR(display, pbuffer, 0n, -1)), [0, e.EGL_BAD_PARAMETER]);
    assertEquals(refused(raw.eglSetDamageRegionKHR(display, 1n, 0n, 0)), [0, e.EGL_BAD_SURFACE]);
    assertEquals(egl.eglQuerySurface(display, pbuffer, e.EGL_WIDTH), 8);
  });

  Deno.test(`every timing of the compositor can be queried on ${driver.name}`, part, () => {
    using opened = openWindows(driver);
    using native = openWindow();
    const { egl, display } = opened, surface = showIn(opened, native), interval = 16_666_667n;
    const names = [
      e.EGL_COMPOSITE_DEADLINE_ANDROID,
      e.EGL_COMPOSITE_INTERVAL_ANDROID,
      e.EGL_COMPOSITE_TO_PRESENT_LATENCY_ANDROID,
    ];
    assertEquals(names.map((name) => egl.eglGetCompositorTimingSupportedANDROID(display, surface, name)), [
      true,
      true,
      true,
    ]);
    assertEquals(egl.eglGetCompositorTimingSupportedANDROID(display, surface, 0x343D), false);
    egl.eglSurfaceAttrib(display, surface, e.EGL_TIMESTAMPS_ANDROID, 1);
    const before = monotonicNow(), [deadline, ...rest] = egl.eglGetCompositorTimingANDROID(display, surface, names);
    const after = monotonicNow();
    assertEquals(rest, [interval, interval]);
    assert(deadline >= before && deadline < after + interval, `${deadline} between ${before} and ${after}`);
    assertEquals(deadline % interval, 0n);
  });
}

Deno.test("a context of desktop OpenGL is made current without an error of its own", {
  ignore: needs(mesa.part, mesa.found || undefined).ignore,
}, () => {
  using opened = openWindows(mesa);
  const { egl, gl, display } = opened;
  egl.eglBindAPI(EGL_OPENGL_API);
  try {
    const [config] = egl.eglChooseConfig(display, {
      [e.EGL_SURFACE_TYPE]: e.EGL_PBUFFER_BIT,
      [e.EGL_RENDERABLE_TYPE]: EGL_OPENGL_BIT,
    });
    const surface = egl.eglCreatePbufferSurface(display, config, { [e.EGL_WIDTH]: 4, [e.EGL_HEIGHT]: 4 });
    for (const version of [[2, 1], [3, 2], [4, 5]]) {
      const context = egl.eglCreateContext(display, config, e.EGL_NO_CONTEXT, {
        [e.EGL_CONTEXT_MAJOR_VERSION]: version[0],
        [e.EGL_CONTEXT_MINOR_VERSION]: version[1],
      });
      egl.eglMakeCurrent(display, surface, surface, context);
      assertEquals([gl.glGetError(), egl.supports("glBindVertexArray")], [g.GL_NO_ERROR, true]);
      gl.glGetStringi(g.GL_EXTENSIONS, 0);
      assertEquals(gl.glGetError(), g.GL_NO_ERROR);
      egl.eglMakeCurrent(display, 0n, 0n, 0n);
      egl.eglDestroyContext(display, context);
    }
  } finally {
    egl.eglBindAPI(EGL_OPENGL_ES_API);
  }
});
