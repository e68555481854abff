/** The pixels of OpenGL ES, on every driver: not one may differ. PUMICE_SCENES says how many scenes. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { type CompositionBackend, CompositionError } from "../../../hwc/backends/backend.ts";
import { type EGLDisplay, loadEgl } from "../../../egl/mod.ts";
import { createEglBackend, createTsBackend } from "../../../hwc/backends/create.ts";
import type { EglBackendOptions } from "../../../hwc/backends/egl/device.ts";
import { BLEND, FORMAT } from "../../../hwc/types.ts";
import { openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { openContext } from "../../egl/context.ts";
import { drivers, type TestDriver } from "../../egl/drivers.ts";
import { needs } from "../../support/require.ts";
import { leavesNothing } from "../../wsi/leaves_nothing.ts";
import { assertSamePixels, colorLayer, composed, layerOf, memoryOf, picture } from "./canvas.ts";
import { ALL, assertEqual, assertTransparentStays } from "./compare.ts";
import { noiseBuffer, sceneCount } from "./scene.ts";

/** A backend with a loader of its own. */
function open(driver: TestDriver, options: EglBackendOptions = {}): CompositionBackend {
  const egl = loadEgl({ driver: driver.open() }), backend = createEglBackend(egl, options);
  const close = () => {
    backend.close();
    egl.close();
  };
  return { ...backend, close, [Symbol.dispose]: close };
}

for (const driver of drivers) {
  const test = (name: string, run: () => void) =>
    Deno.test(`${name}: ${driver.name}`, needs(driver.part, driver.found), run);

  test("egl draws random scenes as ts does", () => {
    using ours = open(driver, { specialise: false, layersAtOnce: 1 }), theirs = createTsBackend();
    // One kind of target: Mesa compiles long for each.
    assertEqual(ours, theirs, ALL, sceneCount(210), [FORMAT.RGBA_8888]);
  });

  test("egl draws random scenes as ts does, with shaders for each of them", () => {
    using ours = open(driver), theirs = createTsBackend();
    assertEqual(ours, theirs, ALL, sceneCount(12));
  });

  test("egl draws more layers than it can at once, onto what is there, and reads buffers anew", () => {
    using backend = open(driver), noise = noiseBuffer(FORMAT.RGBA_8888, 12, 10, 3), theirs = createTsBackend();
    const layers = Array.from({ length: 11 }, (_, z) => {
      const displayFrame = { left: z % 5, top: z % 3, right: z % 5 + 12, bottom: z % 3 + 10 };
      return layerOf(noise, { z, displayFrame, blend: BLEND.PREMULTIPLIED, planeAlpha: 0.9, transform: z % 4 });
    });
    for (let frame = 0; frame < 3; frame++) {
      memoryOf(noise).setUint32(40 * frame, 0xff00ff00, true);
      assertEquals(composed(backend, [16, 14], layers), composed(theirs, [16, 14], layers));
    }
    const damage = [{ left: 2, top: 3, right: 9, bottom: 7 }];
    assertEquals(composed(backend, [16, 14], layers, { damage }), composed(theirs, [16, 14], layers, { damage }));
  });

  test("egl leaves transparent pixels under a colour transform transparent", () => {
    using backend = open(driver);
    assertTransparentStays(backend);
  });

  test("egl leaves what a program has current as it was, in a loader that it is given", () => {
    using opened = openContext(driver, [3, 0]);
    const { egl, gl, context, surface } = opened;
    gl.glClearColor(0, 1, 0, 1);
    {
      using backend = createEglBackend(egl);
      assertEquals(composed(backend, [2, 1], [colorLayer([1, 0, 0, 1], [0, 0, 1, 1])]), [0xff0000ff, 0]);
      assertEquals([egl.eglGetCurrentContext(), egl.eglGetCurrentSurface(0x3059)], [context, surface]);
    }
    gl.glClear(0x4000);
    assertEquals([...gl.glReadPixels(0, 0, 1, 1, 0x1908, 0x1401)], [0, 255, 0, 255]);
    assertEquals(gl.glGetError(), 0);
  });

  test("egl leaves no buffer, no file and no memory behind", () => {
    const before = openBuffers();
    leavesNothing(() => {
      using backend = open(driver), target = noiseBuffer(FORMAT.RGBA_8888, 8, 8, 1);
      for (let seed = 1; seed < 20; seed++) {
        using noise = noiseBuffer(FORMAT.RGBA_8888, 8, 8, seed), same = noiseBuffer(FORMAT.RGBA_8888, 8, 8, seed);
        backend.compose(target, [layerOf(noise)]);
        assertSamePixels(target, same, `buffer ${seed}`);
        if (seed % 2) backend.forget(noise);
      }
    });
    assertEquals(openBuffers(), before);
  });

  test("egl says what it cannot draw", () => {
    using backend = open(driver), deep = noiseBuffer(FORMAT.RGBA_FP16, 4, 4, 1);
    using target = picture(2, [0, 0]);
    const layer = colorLayer([1, 1, 1, 1], [0, 0, 1, 1]);
    assert(String(backend.can(layer, deep)).includes("rgba-fp16"));
    assert(String(backend.can(layer, target, { rule: "round-once" })).includes("round-once"));
    assertThrows(() => backend.compose(deep, [layer]), CompositionError, "rgba-fp16");
    backend.close();
    assertThrows(() => backend.compose(target, [layer]), CompositionError, "closed");
  });
}

Deno.test("createEglBackend() says what is wrong with its options", needs(drivers[0].part, drivers[0].found), () => {
  using egl = loadEgl({ driver: drivers[0].open() });
  assertThrows(() => createEglBackend(egl, { layersAtOnce: 9 }), RangeError, "1 to 8");
  assertThrows(() => createEglBackend(egl, { display: 0n as EGLDisplay }), CompositionError, "EGL_BAD_DISPLAY");
});
