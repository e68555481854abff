import { assert, assertEquals } from "@std/assert";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { denoHost } from "../../../loader/driver/host/host.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { needs } from "../../support/require.ts";
import { chooseConfig, createContext, SIDE } from "../context.ts";
import { pixel } from "../draw.ts";
import { drivers, mesa, type TestDriver } from "../drivers.ts";

const onMesa = needs(mesa.part, mesa.found || undefined);

/** A loader with Android's display and the driver's own, both initialized. */
function openBoth(driver: TestDriver) {
  const host = { ...denoHost(), env: () => undefined }; // whatever server there is
  const egl = e.loadEgl({ driver: driver.open(), platform: "linux", host, log: () => {} });
  const ours = egl.eglGetPlatformDisplay(e.EGL_PLATFORM_ANDROID_KHR, 0n);
  const drivers = egl.eglGetDisplay(0n);
  for (const display of [ours, drivers]) egl.eglInitialize(display);
  return { egl, ours, drivers };
}

/** Makes a context on a pbuffer current and fills it. */
function draw(egl: e.Egl, display: e.EGLDisplay, [red, green, blue]: readonly number[]) {
  const config = chooseConfig(egl, display), context = createContext(egl, display, config, [2, 0]);
  const surface = egl.eglCreatePbufferSurface(display, config, { [e.EGL_WIDTH]: SIDE, [e.EGL_HEIGHT]: SIDE });
  egl.eglMakeCurrent(display, surface, surface, context);
  egl.gl.glClearColor(red, green, blue, 1);
  egl.gl.glClear(g.GL_COLOR_BUFFER_BIT);
  return { display, context, surface };
}

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`Android's display and the driver's own stand side by side on ${driver.name}`, part, () => {
    const { egl, ours, drivers } = openBoth(driver);
    using _egl = egl;
    assert(ours !== drivers);
    const vendors = [ours, drivers].map((each) => egl.eglQueryString(each, e.EGL_VENDOR));
    assertEquals([vendors[0], vendors[1] === "Android"], ["Android", false]);
    assertEquals(
      egl.eglQueryString(drivers, e.EGL_EXTENSIONS),
      egl.eglQueryStringImplementationANDROID(ours, e.EGL_EXTENSIONS),
    );
    const green = draw(egl, ours, [0, 1, 0]), blue = draw(egl, drivers, [0, 0, 1]);
    assertEquals([egl.eglGetCurrentDisplay(), egl.eglGetCurrentContext()], [drivers, blue.context]);
    assertEquals(pixel(egl.gl, 0, 0), [0, 0, 255, 255]);
    egl.eglMakeCurrent(ours, green.surface, green.surface, green.context);
    assertEquals([egl.eglGetCurrentDisplay(), egl.eglGetCurrentSurface(e.EGL_READ)], [ours, green.surface]);
    assertEquals(pixel(egl.gl, 0, 0), [0, 255, 0, 255]);
    egl.eglTerminate(drivers);
    assertEquals(pixel(egl.gl, 0, 0), [0, 255, 0, 255]);
    const { raw } = egl;
    assertEquals([raw.eglMakeCurrent(drivers, green.surface, green.surface, green.context) === 0], [true]);
    egl.eglTerminate(ours);
  });

  Deno.test(`objects of one kind of display are refused on the other on ${driver.name}`, part, () => {
    const { egl, ours, drivers } = openBoth(driver);
    using _egl = egl;
    const green = draw(egl, ours, [0, 1, 0]), blue = draw(egl, drivers, [0, 0, 1]), { raw } = egl;
    const errors = [[drivers, green], [ours, blue]] as const;
    for (const [display, { surface, context }] of errors) {
      assertEquals([raw.eglMakeCurrent(display, surface, surface, 0n), raw.eglGetError() !== e.EGL_SUCCESS], [0, true]);
      assertEquals([raw.eglDestroyContext(display, context), raw.eglGetError()], [0, e.EGL_BAD_CONTEXT]);
      assertEquals([raw.eglSwapBuffers(display, surface), raw.eglGetError()], [0, e.EGL_BAD_SURFACE]);
    }
    assertEquals(pixel(egl.gl, 0, 0), [0, 0, 255, 255]); // what was current still is
  });
}

Deno.test("a window of this library is no window of the driver's own display", onMesa, () => {
  const { egl, ours, drivers } = openBoth(mesa);
  using _egl = egl;
  using native = new NativeWindow({ width: 8, height: 8 });
  for (const name of ["eglCreateWindowSurface", "eglCreatePlatformWindowSurface"] as const) {
    assertEquals(egl.raw[name](drivers, chooseConfig(egl, drivers), native.address, 0n), 0n);
    assertEquals(egl.eglGetError(), e.EGL_BAD_NATIVE_WINDOW);
    const surface = egl[name](ours, chooseConfig(egl, ours), native);
    assertEquals(egl.eglQuerySurface(ours, surface, e.EGL_WIDTH), 8);
    egl.eglDestroySurface(ours, surface);
  }
});

Deno.test("the driver's own display ends when the last loader that has it terminates it", onMesa, () => {
  const first = openBoth(mesa), second = openBoth(mesa);
  assertEquals(first.drivers, second.drivers);
  first.egl.close();
  draw(second.egl, second.drivers, [1, 0, 0]);
  assertEquals(pixel(second.egl.gl, 0, 0), [255, 0, 0, 255]);
  second.egl.close();
});

Deno.test("client extensions are the driver's, and say that Android's platform is there", onMesa, () => {
  using egl = e.loadEgl({ driver: mesa.open(), platform: "linux", log: () => {} });
  const listed = egl.eglQueryString(e.EGL_NO_DISPLAY, e.EGL_EXTENSIONS).split(" ");
  assertEquals(listed.length, new Set(listed).size);
  assertEquals(["EGL_EXT_client_extensions", "EGL_KHR_platform_android"].filter((name) => !listed.includes(name)), []);
  assert(egl.eglQueryDevicesEXT().length > 0);
});
