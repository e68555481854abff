import { assertEquals, assertThrows } from "@std/assert";
import * as e from "../../../egl/mod.ts";
import type { Answers } from "../fake_driver.ts";
import { changedDriver } from "../fake_driver.ts";
import { DriverError } from "../../../loader/mod.ts";
import { needs } from "../../support/require.ts";
import { chooseConfig, openContext, type Opened } from "../context.ts";
import { angle, drivers, mesa } from "../drivers.ts";

const onMesa = needs(mesa.part, mesa.found || undefined);

/** The name of the error that something throws. */
function errorOf(work: () => unknown): string {
  return assertThrows(work, e.EglError).codeName;
}

/** Errors that any driver and the loader itself raise. */
const CASES: Readonly<Record<string, (opened: Opened) => unknown>> = {
  "EGL_NOT_INITIALIZED of a display that is terminated": ({ egl, display }) => {
    egl.eglTerminate(display);
    egl.eglCreatePbufferSurface(display, 0n);
  },
  "EGL_BAD_ATTRIBUTE of an attribute that there isn't": ({ egl, display, config }) =>
    egl.eglCreatePbufferSurface(display, config, [0x7777, 1]),
  "EGL_BAD_CONFIG of a configuration that there isn't": ({ egl, display }) =>
    egl.eglCreatePbufferSurface(display, 0x7777n, {}),
  "EGL_BAD_CONTEXT of a context that there isn't": ({ egl, display }) => egl.eglDestroyContext(display, 1n),
  "EGL_BAD_CONTEXT of a context that is destroyed": ({ egl, display, config }) => {
    const context = egl.eglCreateContext(display, config, 0n, { [e.EGL_CONTEXT_CLIENT_VERSION]: 2 });
    egl.eglDestroyContext(display, context);
    egl.eglMakeCurrent(display, 0n, 0n, context);
  },
  "EGL_BAD_DISPLAY of a display that there isn't": ({ egl }) => egl.eglInitialize(1n),
  "EGL_BAD_DISPLAY of eglMakeCurrent() on a display that is not initialized": ({ egl, display, context }) => {
    egl.eglTerminate(display);
    egl.eglMakeCurrent(display, 0n, 0n, context);
  },
  "EGL_BAD_MATCH of a surface without a context": ({ egl, display, surface }) =>
    egl.eglMakeCurrent(display, surface, surface, 0n),
  "EGL_BAD_NATIVE_WINDOW of no window": ({ egl, display, config }) => egl.eglCreateWindowSurface(display, config, 0n),
  "EGL_BAD_PARAMETER of a display id": ({ egl }) => egl.eglGetDisplay(0x7777n),
  "EGL_BAD_PARAMETER of a pixmap": ({ egl, display, config }) => egl.eglCreatePixmapSurface(display, config, 1n),
  "EGL_BAD_PARAMETER of a string that there isn't": ({ egl, display }) => egl.eglQueryString(display, 0x7777),
  "EGL_BAD_SURFACE of a surface that there isn't": ({ egl, display }) => egl.eglQuerySurface(display, 1n, e.EGL_WIDTH),
};

for (const driver of drivers) {
  for (const [name, work] of Object.entries(CASES)) {
    Deno.test(`${name} is thrown on ${driver.name}`, needs(driver.part, driver.found || undefined), () => {
      using opened = openContext(driver);
      assertEquals(errorOf(() => work(opened)), name.split(" ")[0]);
      assertEquals(opened.egl.eglGetError(), e.EGL_SUCCESS);
    });
  }
}

Deno.test("EGL_BAD_NATIVE_PIXMAP of eglCopyBuffers() is thrown on Mesa", onMesa, () => {
  using opened = openContext(mesa);
  const { egl, display, surface } = opened;
  assertEquals(errorOf(() => egl.eglCopyBuffers(display, surface, 1n)), "EGL_BAD_NATIVE_PIXMAP");
});

/** Errors that only a driver in trouble raises. */
for (
  const [code, name] of [
    [0x3002, "EGL_BAD_ACCESS"],
    [0x3003, "EGL_BAD_ALLOC"],
    [0x3007, "EGL_BAD_CURRENT_SURFACE"],
    [0x300E, "EGL_CONTEXT_LOST"],
  ] as const
) {
  Deno.test(`${name} of a driver is thrown with its code`, onMesa, () => {
    const answers: Answers = { eglSwapBuffers: ["w:qq", 0], eglGetError: ["s:", code] };
    using opened = openContext(mesa, [2, 0], { driver: changedDriver(mesa.open(), answers) });
    const error = assertThrows(() => opened.egl.eglSwapBuffers(opened.display, opened.surface), e.EglError);
    assertEquals([error.codeName, error.code, error.command], [name, code, "eglSwapBuffers"]);
  });
}

Deno.test("eglGetError() of the raw form gives an error once, and every other command forgets it", onMesa, () => {
  using opened = openContext(mesa);
  const { raw } = opened.egl;
  assertEquals([raw.eglTerminate(1n), raw.eglGetError(), raw.eglGetError()], [0, 0x3008, 0x3000]);
  assertEquals([raw.eglTerminate(1n), raw.eglGetCurrentContext() !== 0n, raw.eglGetError()], [0, true, 0x3000]);
});

Deno.test("a command the driver lacks says so", onMesa, () => {
  using opened = openContext(mesa);
  assertEquals(opened.egl.supports("eglCreateStreamKHR"), false);
  assertThrows(
    () => opened.egl.eglCreateStreamKHR(opened.display),
    e.EglError,
    "this driver has no eglCreateStreamKHR: ask egl.supports() first",
  );
});

Deno.test("ANGLE refuses OpenGL ES 3.2 with EGL_BAD_MATCH", needs(angle.part, angle.found || undefined), () => {
  assertEquals(errorOf(() => openContext(angle, [3, 2])), "EGL_BAD_MATCH");
});

Deno.test("a driver of EGL 1.4 has no reset notification, and its display says 1.4", onMesa, () => {
  const driver = changedDriver(mesa.open(), { eglCreateSync: undefined });
  using opened = openContext(mesa, [2, 0], { driver });
  const { egl, display, config } = opened;
  assertEquals(egl.eglQueryString(display, e.EGL_VERSION), "1.4 Android META-EGL");
  const attributes = { [e.EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY]: e.EGL_LOSE_CONTEXT_ON_RESET };
  assertEquals(errorOf(() => egl.eglCreateContext(display, config, 0n, attributes)), "EGL_BAD_ATTRIBUTE");
});

Deno.test("a failing eglInitialize() throws, or succeeds with -1.-1 as Android's does", onMesa, () => {
  const driver = () => changedDriver(mesa.open(), { eglInitialize: ["w:qqq", 0], eglGetError: ["s:", 0x3001] });
  using strict = e.loadEgl({ driver: driver(), platform: "android" });
  assertEquals(errorOf(() => strict.eglInitialize(strict.eglGetDisplay(0n))), "EGL_NOT_INITIALIZED");
  using quirky = e.loadEgl({ driver: driver(), platform: "android", quirks: "aosp" });
  assertEquals(quirky.eglInitialize(quirky.eglGetDisplay(0n)), { major: -1, minor: -1 });
});

Deno.test("commands of a closed loader say that it is closed", onMesa, () => {
  const { egl, gl, display, [Symbol.dispose]: close } = openContext(mesa);
  chooseConfig(egl, display);
  close();
  close();
  assertThrows(() => egl.eglGetError(), TypeError, "Cannot call eglGetError(): its loader is closed");
  assertThrows(() => egl.raw.eglGetError(), TypeError, "its loader is closed");
  assertThrows(() => gl.glFlush(), TypeError, "Cannot call glFlush(): its loader is closed");
});

Deno.test("a driver without a function of every driver is refused when the function is called", onMesa, () => {
  using egl = e.loadEgl({
    platform: "android",
    driver: changedDriver(mesa.open(), { eglQueryContext: undefined, eglCopyBuffers: undefined }),
  });
  const display = egl.eglGetDisplay(0n);
  egl.eglInitialize(display);
  const surface = egl.eglCreatePbufferSurface(display, chooseConfig(egl, display), {});
  assertThrows(
    () => egl.eglCopyBuffers(display, surface, 0n),
    DriverError,
    'Cannot call eglCopyBuffers: "libEGL.so.1"',
  );
});
