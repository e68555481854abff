import { assert, assertEquals, assertThrows } from "@std/assert";
import { EglError, eglInfo, loadEgl } from "../../../../egl/mod.ts";
import * as g from "../../../../egl/gl.ts";
import { vkjsonDifferences } from "../../../../loader/vkjson/differences.ts";
import { glesDeviceTwin } from "../../../../workbench/gles_layers.ts";
import { needs } from "../../../support/require.ts";
import { openContext } from "../../context.ts";
import { drivers } from "../../drivers.ts";

for (const driver of drivers) {
  const part = needs(driver.part, driver.found);

  /** The driver's report after a change: another vendor, older versions, smaller limits, fewer extensions. */
  const phone = () => {
    using egl = loadEgl({ driver: driver.open() });
    const info = eglInfo(egl);
    const contexts = info.contexts.filter(({ version }) => version !== "3.2").map((context) => ({
      ...context,
      vendor: "A phone",
      glVersion: `OpenGL ES ${context.version} phone`,
      extensions: context.extensions.slice(0, 5),
      limits: { ...context.limits, GL_MAX_TEXTURE_SIZE: 1024 },
    }));
    const shown = { ...info.shown, vendor: "A phone", extensions: info.shown.extensions.slice(0, 3) };
    const deep = info.configs.filter((each) => each.EGL_ALPHA_SIZE === 8 && each.EGL_DEPTH_SIZE >= 16);
    return { ...info, driver: "phone", shown, configs: deep.slice(0, 2), contexts };
  };

  Deno.test(
    `glesDeviceTwin() tells strings, extensions, limits and configurations of its source on ${driver.name}`,
    part,
    () => {
      const source = phone(), { layer } = glesDeviceTwin(source, { log: () => {} });
      using egl = loadEgl({ driver: driver.open(), layers: [layer] });
      const seen = eglInfo(egl), told = (path: string) => /^(shown|configs|contexts)/.test(path);
      const differences = vkjsonDifferences(source, seen).filter(({ path }) => told(path));
      assertEquals(differences, []);
      assertEquals(seen.configs.length, 2);
    },
  );

  Deno.test(`glesDeviceTwin() refuses versions and sizes beyond those of its source on ${driver.name}`, part, () => {
    const { layer, refused } = glesDeviceTwin(phone(), { log: () => {} });
    {
      using opened = openContext(driver, [3, 0], { layers: [layer] });
      const { gl } = opened;
      gl.glTexImage2D(g.GL_TEXTURE_2D, 0, g.GL_RGBA, 1024, 1, 0, g.GL_RGBA, g.GL_UNSIGNED_BYTE, null);
      assertEquals(gl.glGetError(), 0);
      gl.glTexImage2D(g.GL_TEXTURE_2D, 0, g.GL_RGBA, 1025, 1, 0, g.GL_RGBA, g.GL_UNSIGNED_BYTE, null);
      assertEquals([gl.glGetError(), gl.glGetError()], [g.GL_INVALID_VALUE, 0]);
    }
    assertThrows(() => openContext(driver, [3, 2], { layers: [layer] }), EglError);
    assertEquals(refused.length, 2);
    assert(refused.every((text) => text.includes("(phone)")));
  });
}

Deno.test("glesDeviceTwin() names the part that a report lacks", () => {
  const context = {
    version: "3.0",
    vendor: "A",
    renderer: "B",
    glVersion: "C",
    shadingLanguage: "D",
    extensions: [],
    limits: {},
  };
  const good = {
    configs: [],
    contexts: [context],
    shown: { vendor: "A", version: "1.5", clientApis: [], extensions: [] },
  };
  const wrong: readonly (readonly [part: string, report: unknown])[] = [
    ["contexts", null],
    ["contexts", { ...good, contexts: [] }],
    ["configs", { ...good, configs: [5] }],
    ["shown", { ...good, shown: undefined }],
    ["shown", { ...good, shown: { ...good.shown, extensions: "all" } }],
    ["shown.vendor", { ...good, shown: { ...good.shown, vendor: 5 } }],
    ["contexts[1]", { ...good, contexts: [context, null] }],
    ["contexts[0]", { ...good, contexts: [{ ...context, limits: [] }] }],
    ["contexts[0].glVersion", { ...good, contexts: [{ ...context, glVersion: 32 }] }],
  ];
  for (const [part, report] of wrong) {
    assertThrows(() => glesDeviceTwin(report as never), TypeError, `the source has no ${part};`);
  }
  glesDeviceTwin(good as never);
});
