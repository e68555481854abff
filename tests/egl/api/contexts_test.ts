import { assert, assertEquals, assertMatch } from "@std/assert";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { needs } from "../../support/require.ts";
import { chooseConfig, createContext, openContext } from "../context.ts";
import { pixel } from "../draw.ts";
import { angle, drivers, mesa } from "../drivers.ts";

const onMesa = needs(mesa.part, mesa.found || undefined);

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`eglInitialize() and eglTerminate() count on ${driver.name}`, part, () => {
    using egl = e.loadEgl({ driver: driver.open(), platform: "android" });
    const display = egl.eglGetDisplay(0n), version = egl.eglInitialize(display);
    assertEquals(egl.eglInitialize(display), version);
    egl.eglTerminate(display);
    assertEquals(egl.eglQueryString(display, e.EGL_VENDOR), "Android");
    egl.eglTerminate(display);
    egl.eglTerminate(display); // as often as one likes
    assertEquals(egl.eglInitialize(display), version);
  });

  Deno.test(`the current objects are known, and stay current when they are destroyed, on ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { egl, gl, display, context, surface } = opened;
    const current =
      () => [egl.eglGetCurrentContext(), egl.eglGetCurrentDisplay(), egl.eglGetCurrentSurface(e.EGL_DRAW)];
    assertEquals(current(), [context, display, surface]);
    egl.eglDestroyContext(display, context);
    egl.eglDestroySurface(display, surface);
    assertEquals(current(), [context, display, surface]);
    gl.glClearColor(0, 1, 0, 1);
    gl.glClear(g.GL_COLOR_BUFFER_BIT);
    assertEquals(pixel(gl, 0, 0), [0, 255, 0, 255]);
    egl.eglMakeCurrent(display, 0n, 0n, 0n);
    assertEquals(current(), [0n, 0n, 0n]);
  });

  Deno.test(`without a context commands do nothing, return 0 and say so once on ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { egl, gl, display, said } = opened;
    egl.eglReleaseThread();
    gl.glClear(g.GL_COLOR_BUFFER_BIT);
    assertEquals([gl.glGetError(), gl.glGetString(g.GL_VERSION), gl.glCreateProgram()], [0, "", 0]);
    assertEquals(said.length, 1);
    assertMatch(said[0], /call to OpenGL ES API with no current context/);
    assertEquals(egl.supports("glClear"), false);
    assertEquals(egl.eglQueryString(display, e.EGL_CLIENT_APIS), "OpenGL_ES");
  });

  Deno.test(`contexts go by the hooks of their version on ${driver.name}`, part, () => {
    using opened = openContext(driver, [2, 0]);
    const { egl, gl, display, surface, context } = opened;
    assertEquals([egl.supports("glMatrixMode"), egl.supports("glCreateShader")], [false, true]);
    const config = chooseConfig(egl, display, 1);
    const older = egl.eglCreateContext(display, config, 0n); // no version is 1
    egl.eglMakeCurrent(display, surface, surface, older);
    assertMatch(gl.glGetString(g.GL_VERSION), /1\.1/);
    assertEquals([egl.supports("glMatrixMode"), egl.supports("glCreateShader")], [true, false]);
    assertEquals(gl.glCreateShader(g.GL_VERTEX_SHADER), 0);
    egl.eglMakeCurrent(display, surface, surface, context);
    assert(gl.glCreateShader(g.GL_VERTEX_SHADER) > 0);
  });

  Deno.test(`shared contexts see each other's textures on ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { egl, gl, display, config, surface, context } = opened, [texture] = gl.glGenTextures(1);
    gl.glBindTexture(g.GL_TEXTURE_2D, texture);
    const other = egl.eglCreateContext(display, config, context, { [e.EGL_CONTEXT_CLIENT_VERSION]: 2 });
    egl.eglMakeCurrent(display, surface, surface, other);
    assertEquals(gl.glIsTexture(texture), true);
  });
}

Deno.test("a thousand contexts exist at the same time on ANGLE", needs(angle.part, angle.found || undefined), () => {
  using opened = openContext(angle);
  manyContexts(opened, 1000);
});

Deno.test("fifty contexts live side by side on Mesa, a thousand when PUMICE_MANY is set", onMesa, () => {
  using opened = openContext(mesa);
  manyContexts(opened, Deno.env.get("PUMICE_MANY") ? 1000 : 50);
});

function manyContexts({ egl, gl, display, config, surface }: ReturnType<typeof openContext>, count: number): void {
  const contexts = Array.from({ length: count }, () => createContext(egl, display, config, [2, 0]));
  assertEquals(new Set(contexts).size, count);
  for (const context of [contexts[0], contexts.at(-1)!]) {
    egl.eglMakeCurrent(display, surface, surface, context);
    gl.glClearColor(1, 0, 0, 1);
    gl.glClear(g.GL_COLOR_BUFFER_BIT);
    assertEquals(pixel(gl, 1, 1), [255, 0, 0, 255]);
  }
  for (const context of contexts) egl.eglDestroyContext(display, context);
}

Deno.test("two loaders share a driver's display until the last closes", onMesa, () => {
  using opened = openContext(mesa);
  const other = e.loadEgl({ driver: mesa.open() });
  other.eglInitialize(other.eglGetDisplay(0n));
  other.close();
  opened.gl.glClearColor(0, 0, 1, 1);
  opened.gl.glClear(g.GL_COLOR_BUFFER_BIT);
  assertEquals(pixel(opened.gl, 0, 0), [0, 0, 255, 255]);
  assertEquals(opened.egl.eglQuerySurface(opened.display, opened.surface, e.EGL_WIDTH), 16);
});

for (const driver of drivers) {
  Deno.test(
    `a Worker has contexts of its own on ${driver.name}`,
    needs(driver.part, driver.found || undefined),
    async () => {
      using opened = openContext(driver);
      opened.gl.glClearColor(0, 1, 0, 1);
      opened.gl.glClear(g.GL_COLOR_BUFFER_BIT);
      const worker = new Worker(new URL("programs/context_worker.ts", import.meta.url), {
        type: "module",
        name: driver.name,
      });
      const answer = await new Promise((resolve) => worker.onmessage = ({ data }) => resolve(data));
      worker.terminate();
      assertEquals(answer, [255, 0, 0, 255]);
      assertEquals(pixel(opened.gl, 5, 5), [0, 255, 0, 255]);
    },
  );
}
