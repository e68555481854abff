import { assert, assertEquals, assertMatch } from "@std/assert";
import * as e from "../../../egl/mod.ts";
import * as g from "../../../egl/gl.ts";
import { needs } from "../../support/require.ts";
import { arena } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { peek32 } from "../../../ffi/machine.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { chooseConfig, createContext, openContext } from "../context.ts";
import { drivers, mesa } from "../drivers.ts";

const onMesa = needs(mesa.part, mesa.found || undefined);
const BUILT_IN = [
  "EGL_ANDROID_front_buffer_auto_refresh",
  "EGL_ANDROID_get_native_client_buffer",
  "EGL_ANDROID_presentation_time",
  "EGL_EXT_surface_CTA861_3_metadata",
  "EGL_EXT_surface_SMPTE2086_metadata",
  "EGL_KHR_get_all_proc_addresses",
  "EGL_KHR_swap_buffers_with_damage",
];

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`eglQueryString() answers as Android does on ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { egl, display } = opened, ask = (name: number) => egl.eglQueryString(display, name);
    assertEquals([ask(e.EGL_VENDOR), ask(e.EGL_VERSION), ask(e.EGL_CLIENT_APIS)], [
      "Android",
      "1.5 Android META-EGL",
      "OpenGL_ES",
    ]);
    assertEquals(
      egl.eglQueryString(e.EGL_NO_DISPLAY, e.EGL_EXTENSIONS),
      "EGL_ANDROID_GLES_layers EGL_ANGLE_platform_angle EGL_EXT_client_extensions EGL_KHR_platform_android ",
    );
    const shown = ask(e.EGL_EXTENSIONS).trimEnd().split(" ");
    assertEquals(shown.slice(0, 7), BUILT_IN);
    assert(shown.includes("EGL_KHR_fence_sync") && shown.includes("EGL_KHR_wait_sync"));
  });

  Deno.test(`eglQueryStringImplementationANDROID() answers as the driver does on ${driver.name}`, part, () => {
    using opened = openContext(driver);
    const { egl, display } = opened,
      own = egl.eglQueryStringImplementationANDROID(display, e.EGL_EXTENSIONS).split(" ");
    const shown = egl.eglQueryString(display, e.EGL_EXTENSIONS).split(" ");
    assert(egl.eglQueryStringImplementationANDROID(display, e.EGL_VENDOR) !== "Android");
    // Names that only the driver's vendor knows are hidden.
    const hidden = own.filter((name) => !shown.includes(name));
    assert(
      hidden.length > 0 && hidden.every((name) => /^EGL_(MESA|ANGLE|CHROMIUM|EXT|KHR|ANDROID|NV)_|^$/.test(name)),
      `${hidden}`,
    );
  });

  Deno.test(`native code and scripts get the same extensions on both kinds of displays of ${driver.name}`, part, () => {
    for (const platform of [e.EGL_PLATFORM_ANDROID_KHR, e.EGL_PLATFORM_SURFACELESS_MESA]) {
      for (const version of [[1, 1], [2, 0], [3, 0]]) {
        using egl = e.loadEgl({ driver: driver.open(), platform: "linux", log: () => {} });
        const display = platform === e.EGL_PLATFORM_ANDROID_KHR
          ? egl.eglGetPlatformDisplay(platform, 0n)
          : egl.eglGetDisplay(0n);
        egl.eglInitialize(display);
        const context = createContext(egl, display, chooseConfig(egl, display, version[0]), version);
        egl.eglMakeCurrent(display, e.EGL_NO_SURFACE, e.EGL_NO_SURFACE, context);
        const native = (name: string) => egl.eglGetProcAddress(name);
        const list = readCString(bindByAddress("q:w")(g.GL_EXTENSIONS, native("glGetString")) as bigint, 1 << 16);
        assertEquals(list, egl.gl.glGetString(g.GL_EXTENSIONS));
        const isMarked = list.split(" ").includes("GL_EXT_debug_marker");
        assertEquals(isMarked, platform === e.EGL_PLATFORM_ANDROID_KHR || driver.name === "ANGLE");
        assertEquals(
          readCString(bindByAddress("q:w")(g.GL_VERSION, native("glGetString")) as bigint),
          egl.gl.glGetString(g.GL_VERSION),
        );
        if (version[0] < 3) continue;
        const memory = arena(), mark = memory.mark(), at = memory.address(memory.alloc(8));
        bindByAddress("v:wq")(g.GL_NUM_EXTENSIONS, at, native("glGetIntegerv"));
        const length = peek32(at);
        memory.release(mark);
        const names = Array.from(
          { length },
          (_, index) => readCString(bindByAddress("q:ww")(g.GL_EXTENSIONS, index, native("glGetStringi")) as bigint),
        );
        assertEquals(names, names.map((_, index) => egl.gl.glGetStringi(g.GL_EXTENSIONS, index)));
        assertEquals(names.toSorted(), list.trimEnd().split(" ").sort());
      }
    }
  });

  Deno.test(`GL_EXTENSIONS has GL_EXT_debug_marker, one by one and together, on ${driver.name}`, part, () => {
    using opened = openContext(driver, [3, 0]);
    const { gl } = opened, list = gl.glGetString(g.GL_EXTENSIONS).trimEnd().split(" ");
    const count = gl.glGetIntegerv(g.GL_NUM_EXTENSIONS);
    assertEquals(list.length, count);
    assertEquals(list, Array.from({ length: count }, (_, index) => gl.glGetStringi(g.GL_EXTENSIONS, index)));
    assert(list.includes("GL_EXT_debug_marker"));
    assertEquals(
      [
        gl.glGetFloatv(g.GL_NUM_EXTENSIONS),
        gl.glGetInteger64v(g.GL_NUM_EXTENSIONS),
        gl.glGetBooleanv(g.GL_NUM_EXTENSIONS),
      ],
      [count, BigInt(count), true],
    );
    gl.glPushGroupMarkerEXT("here");
    gl.glPopGroupMarkerEXT();
    assertEquals(gl.glGetStringi(g.GL_EXTENSIONS, count), "");
    assertEquals(gl.glGetError(), g.GL_INVALID_VALUE);
  });
}

Deno.test("wide color and HDR add color spaces", onMesa, () => {
  const spaces = (options: e.EglOptions) => {
    using opened = openContext(mesa, [2, 0], options);
    const text = opened.egl.eglQueryString(opened.display, e.EGL_EXTENSIONS);
    return text.match(/EGL_EXT_gl_colorspace_\w+/g)?.map((name) => name.slice(22)) ?? [];
  };
  assertEquals(spaces({}), []);
  assertEquals(spaces({ wideColor: true, hdrDisplay: true }), [
    "scrgb",
    "scrgb_linear",
    "display_p3_linear",
    "display_p3",
    "display_p3_passthrough",
    "bt2020_hlg",
    "bt2020_linear",
    "bt2020_pq",
  ]);
});

Deno.test("displays of other platforms exist, unlike on Android", onMesa, () => {
  using egl = e.loadEgl({ driver: mesa.open() });
  const android = egl.eglGetPlatformDisplay(e.EGL_PLATFORM_ANDROID_KHR, e.EGL_DEFAULT_DISPLAY);
  const surfaceless = egl.eglGetPlatformDisplay(e.EGL_PLATFORM_SURFACELESS_MESA, 0n);
  assert(surfaceless !== android && surfaceless !== 0n);
  using strict = e.loadEgl({ driver: mesa.open(), platform: "android" });
  assertEquals(strict.raw.eglGetPlatformDisplay(e.EGL_PLATFORM_SURFACELESS_MESA, 0n, 0n), 0n);
  assertMatch(e.eglErrorName(strict.eglGetError()), /BAD_PARAMETER/);
});
