import { assertEquals, assertThrows } from "@std/assert";
import { features } from "../../../egl/dispatch/names.ts";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { needs } from "../../support/require.ts";
import { angle, drivers, type TestDriver } from "../drivers.ts";
import { chooseConfig, createContext } from "../context.ts";

const SETTER = "eglSetBlobCacheFuncsANDROID", SURFACELESS = 0x31dd;
const ANGLE_ATTRIBUTES = { 0x3203: 0x3450, 0x3209: 0x3487 }; // SwiftShader
/** All displays: Android's, the default one, and those of the driver's own. */
const DISPLAYS: Readonly<Record<string, (egl: e.Egl) => bigint>> = {
  android: (egl) => egl.eglGetPlatformDisplay(e.EGL_PLATFORM_ANDROID_KHR, 0n),
  default: (egl) => egl.eglGetDisplay(0n),
  surfaceless: (egl) => egl.eglGetPlatformDisplay(SURFACELESS, 0n),
  ANGLE: (egl) => egl.eglGetPlatformDisplay(0x3202, 0n, ANGLE_ATTRIBUTES),
};

/** A display of a driver, initialized; `undefined` if the driver has none of the kind. */
function open(driver: TestDriver, kind: string, platform?: "android") {
  const egl = e.loadEgl({ driver: driver.open(), platform });
  try {
    const display = DISPLAYS[kind](egl);
    egl.eglInitialize(display);
    return { egl, display, [Symbol.dispose]: () => egl.close() };
  } catch (error) {
    egl.close();
    if (error instanceof e.EglError && error.code === e.EGL_BAD_PARAMETER) return undefined;
    throw error;
  }
}

/** Functions of listed extensions that lack an address, or that supports() denies. */
function missing(egl: e.Egl, list: string, api: string, isOptional: (name: string) => boolean): string[] {
  const listed = new Set(list.split(" "));
  return features().filter((each) => each.api === api && listed.has(each.name)).flatMap(({ commands }) => commands)
    .filter((name) => egl.eglGetProcAddress(name) === 0n || !egl.supports(name) && !isOptional(name));
}

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined), { name } = driver;
  for (const kind of Object.keys(DISPLAYS)) {
    for (const platform of [undefined, "android"] as const) {
      Deno.test(
        `each extension that the display ${kind} lists has its functions on ${name}, ${platform ?? "Linux"}`,
        part,
        () => {
          using opened = open(driver, kind, platform);
          if (!opened) return;
          const { egl, display } = opened, library = driver.open();
          const lists = [display, 0n].map((each) => egl.eglQueryString(each, e.EGL_EXTENSIONS) ?? "");
          assertEquals(lists.flatMap((list) => missing(egl, list, "egl", () => false)), []);
          assertEquals(egl.supports(SETTER), lists[0].includes("EGL_ANDROID_blob_cache"));
          assertEquals(egl.eglGetProcAddress(SETTER) !== 0n, egl.supports(SETTER));
          for (const version of [1, 2, 3]) {
            const config = chooseConfig(egl, display, version), api = version === 1 ? "gles1" : "gles2";
            const surface = egl.eglCreatePbufferSurface(display, config, { [e.EGL_WIDTH]: 4, [e.EGL_HEIGHT]: 4 });
            egl.eglMakeCurrent(display, surface, surface, createContext(egl, display, config, [version, 0]));
            // A driver may list an extension whose functions for desktop OpenGL it lacks.
            const isMissing = (name: string) => library.find(name, api) === 0n;
            assertEquals(missing(egl, egl.gl.glGetString(g.GL_EXTENSIONS) ?? "", api, isMissing), []);
            egl.eglMakeCurrent(display, 0n, 0n, 0n);
          }
          library.close();
        },
      );
    }
  }

  Deno.test(`the command that sets a blob cache comes and goes with a display that lists it on ${name}`, part, () => {
    using egl = e.loadEgl({ driver: driver.open() });
    using text = new NativeBlock(64);
    text.bytes.set(cstring(SETTER));
    const lookup = egl.eglGetProcAddress("eglGetProcAddress");
    const found = () => [egl.eglGetProcAddress(SETTER) !== 0n, bindByAddress("q:q")(text.address, lookup) !== 0n];
    assertEquals(found(), [false, false]);
    const android = DISPLAYS.android(egl), own = DISPLAYS.surfaceless(egl);
    egl.eglInitialize(android);
    assertEquals(found(), [false, false]);
    egl.eglInitialize(own);
    const isListed = egl.eglQueryString(own, e.EGL_EXTENSIONS)!.includes("EGL_ANDROID_blob_cache");
    assertEquals([isListed, ...found()], Array(3).fill(driver === angle));
    for (const display of [android, 0n, 1n]) {
      assertThrows(() => egl.eglSetBlobCacheFuncsANDROID(display, 0n, 0n), e.EglError, "EGL_BAD_DISPLAY");
    }
    assertThrows(() => egl.eglSetBlobCacheFuncsANDROID(own, 0n, 0n), e.EglError, isListed ? "PARAMETER" : "DISPLAY");
    egl.eglTerminate(own);
    assertEquals(found(), [false, false]);
  });
}
