import { assertEquals } from "@std/assert";
import { EGL_CONTEXT_MAJOR_VERSION, EGL_NO_CONTEXT, EGL_PLATFORM_ANDROID_KHR, loadEgl } from "../../../egl/mod.ts";
import { GL_COLOR_BUFFER_BIT } from "../../../egl/gl.ts";
import { perfettoTrace } from "../../../workbench/timeline/mod.ts";
import { drivers } from "../../egl/drivers.ts";
import { choose, openWindow } from "../../egl/window/opened.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { decodeTrace } from "./decode.ts";

for (const driver of drivers) {
  Deno.test(`perfettoTrace() shows EGL's calls and windows on ${driver.name}`, needs(driver.part, driver.found), () => {
    withFolder((folder) => {
      const path = `${folder}/gles.pftrace`;
      using trace = perfettoTrace({ path });
      using native = openWindow();
      {
        using egl = loadEgl({ driver: driver.open(), layers: [trace.glesLayer] });
        const display = egl.eglGetPlatformDisplay(EGL_PLATFORM_ANDROID_KHR, 0n);
        egl.eglInitialize(display);
        const config = choose(egl, display, [8, 8, 8, 8]);
        const context = egl.eglCreateContext(display, config, EGL_NO_CONTEXT, { [EGL_CONTEXT_MAJOR_VERSION]: 2 });
        const surface = egl.eglCreateWindowSurface(display, config, native.address);
        egl.eglMakeCurrent(display, surface, surface, context);
        egl.gl.glClear(GL_COLOR_BUFFER_BIT);
        egl.eglSwapBuffers(display, surface);
        trace.enabled = false;
        egl.gl.glClear(GL_COLOR_BUFFER_BIT);
      }
      trace.close();
      const { slices } = decodeTrace(Deno.readFileSync(path));
      const named = (name: string) => slices.filter((each) => each.name === name);
      assertEquals(named("glClear").map(({ track }) => track), ["deno/JavaScript"]);
      const [swap] = named("eglSwapBuffers"), [queued] = named("queueBuffer");
      assertEquals([swap.start <= queued.start, queued.end <= swap.end], [true, true]);
      assertEquals(named("queued").map(({ track }) => track.replace(/\d+$/, "")), ["deno/window 1 (13×7)/buffer "]);
    });
  });
}
