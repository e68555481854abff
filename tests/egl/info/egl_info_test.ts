import { assert, assertEquals } from "@std/assert";
import { loadEgl, openScope } from "../../../egl/load_egl.ts";
import { type EglInfo, eglInfo } from "../../../egl/info/egl_info.ts";
import * as e from "../../../egl/gen/egl_constants_gen.js";
import { eglinfoPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { drivers, mesa } from "../drivers.ts";
import { type Eglinfo, eglinfo } from "./eglinfo.ts";

/** Bits that the program's table has a column for. */
const TOLD: Readonly<Record<string, number>> = { EGL_RENDERABLE_TYPE: 15, EGL_SURFACE_TYPE: 7 };

/** Every value that both have, ours beside theirs. */
function* pairs({ own, configs }: EglInfo, theirs: Eglinfo): Generator<[name: string, ours: unknown, theirs: unknown]> {
  yield ["vendor", own.vendor, theirs.strings.get("EGL vendor string")];
  yield ["version", own.version, theirs.strings.get("EGL version string")];
  yield ["APIs", own.clientApis, theirs.strings.get("EGL client APIs")!.trim().split(" ")];
  yield ["extensions", own.extensions.length, theirs.extensions.length];
  for (const [index, name] of theirs.extensions.entries()) yield [`extension ${index}`, own.extensions[index], name];
  yield ["configs", configs.length, theirs.configs.length];
  for (const config of theirs.configs) {
    const ours = configs.find(({ EGL_CONFIG_ID }) => EGL_CONFIG_ID === config.EGL_CONFIG_ID);
    for (const [name, value] of Object.entries(config)) {
      yield [`${config.EGL_CONFIG_ID} ${name}`, ours && (ours[name] & (TOLD[name] ?? -1)), value];
    }
  }
}

for (const driver of drivers) {
  const part = `${driver.part}, eglinfo`, found = driver.found && eglinfoPath();
  Deno.test(`eglInfo() says of ${driver.name} what eglinfo says`, needs(part, found), () => {
    using egl = openScope({ driver: driver.open() }).egl;
    const all = [...pairs(eglInfo(egl), eglinfo(driver.name as "Mesa" | "ANGLE"))];
    assertEquals(all.filter(([, ours, theirs]) => JSON.stringify(ours) !== JSON.stringify(theirs)), []);
    assert(all.length > 500, `only ${all.length} values were compared`);
  });

  Deno.test(
    `eglInfo() has what contexts of each version answer on ${driver.name}`,
    needs(driver.part, driver.found),
    () => {
      using egl = loadEgl({ driver: driver.open() });
      const { contexts, shown, clientExtensions } = eglInfo(egl), [major, minor] = driver.newest;
      assertEquals(contexts[0].version, "1.1");
      assertEquals(contexts.at(-1)!.version, `${major}.${minor}`);
      assertEquals([shown.vendor, shown.clientApis], ["Android", ["OpenGL_ES"]]);
      assert(clientExtensions.includes("EGL_ANDROID_GLES_layers"));
      for (const { version, limits, extensions, shadingLanguage } of contexts) {
        assert(limits.GL_MAX_TEXTURE_SIZE as number >= 2048, version);
        assertEquals((limits.GL_MAX_VIEWPORT_DIMS as number[]).length, 2);
        assert(extensions.length > 20 && extensions.every((name) => name.startsWith("GL_")), version);
        assertEquals(shadingLanguage === "", version === "1.1");
      }
      const newest = contexts.at(-1)!.limits;
      assertEquals((newest.GL_MAX_COMPUTE_WORK_GROUP_COUNT as number[]).map((count) => count >= 65535), [
        true,
        true,
        true,
      ]);
      assertEquals((newest.GL_COMPRESSED_TEXTURE_FORMATS as number[]).length, newest.GL_NUM_COMPRESSED_TEXTURE_FORMATS);
    },
  );
}

Deno.test("eglInfo() keeps the current objects, and leaves nothing behind", needs(mesa.part, mesa.found), () => {
  using egl = loadEgl({ driver: mesa.open() });
  const display = egl.eglGetPlatformDisplay(e.EGL_PLATFORM_ANDROID_KHR, 0n);
  egl.eglInitialize(display);
  const [config] = egl.eglChooseConfig(display, { [e.EGL_SURFACE_TYPE]: e.EGL_PBUFFER_BIT });
  const surface = egl.eglCreatePbufferSurface(display, config, { [e.EGL_WIDTH]: 4, [e.EGL_HEIGHT]: 4 });
  const context = egl.eglCreateContext(display, config, 0n, { [e.EGL_CONTEXT_MAJOR_VERSION]: 2 });
  egl.eglMakeCurrent(display, surface, surface, context);
  const one = eglInfo(egl);
  assertEquals(egl.eglGetCurrentContext(), context);
  assertEquals(eglInfo(egl), one);
});
