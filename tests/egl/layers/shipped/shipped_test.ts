import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { EGL_BAD_SURFACE, EglError } from "../../../../egl/mod.ts";
import {
  glesApiProfile,
  glesApiTrace,
  type GlesErrorReport,
  glesErrors,
  type GlesTraceLine,
} from "../../../../workbench/gles_layers.ts";
import * as g from "../../../../egl/gl.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { openContext } from "../../context.ts";
import { drivers } from "../../drivers.ts";
import { logged, nativeLayer, scene } from "../layers.ts";

const native = nativeLayer(1);

for (const driver of drivers) {
  const part = needs(`${driver.part}, and a C compiler`, driver.found && native !== undefined);

  Deno.test(`glesApiTrace() writes every call with names and strings on ${driver.name}`, part, () => {
    const written: string[] = [];
    using trace = glesApiTrace({ write: (line) => written.push(line), constants: g });
    {
      using opened = openContext(driver, [3, 0], { layers: [trace.layer] });
      scene(opened.gl);
      opened.gl.glGetString(g.GL_VENDOR);
      trace.enabled = false;
      opened.gl.glFlush();
    }
    const lines = written.map((line) => JSON.parse(line) as GlesTraceLine);
    assertEquals(lines.map(({ call }) => call).toSorted((a, b) => a - b), lines.map((_, index) => index));
    const of = (command: string) => lines.filter((line) => line.command === command);
    assertEquals(of("eglGetDisplay").length, 1);
    assertEquals(of("glBindBuffer")[0].args.target, "GL_ARRAY_BUFFER");
    assertEquals(of("glDrawArrays")[0].args, { mode: g.GL_TRIANGLES, first: 0, count: 3 });
    assertEquals(of("glClear")[0].args, { mask: g.GL_COLOR_BUFFER_BIT });
    assertEquals(of("glGetUniformLocation")[0].args.name, "color");
    assertEquals(of("glGetString")[0].args, { name: "GL_VENDOR" });
    assertEquals(typeof of("glGetString")[0].result, "string");
    assertEquals(of("glFlush"), []);
    assertMatch(String(of("eglMakeCurrent")[0].args.dpy), /^0x[0-9a-f]+$/);
    assertEquals(of("eglMakeCurrent")[0].result, true);
    assert(lines.every(({ us }) => us >= 0));
  });

  Deno.test(`glesApiTrace() writes files, also under a native layer, on ${driver.name}`, part, () => {
    withFolder((folder) => {
      logged(() => {
        using trace = glesApiTrace({ path: `${folder}/trace.jsonl` });
        using opened = openContext(driver, [2, 0], { layers: [native!, trace.layer] });
        scene(opened.gl);
      });
      const lines = Deno.readTextFileSync(`${folder}/trace.jsonl`).trim().split("\n").map((line) => JSON.parse(line));
      assertEquals(lines.filter(({ command }) => command === "glDrawArrays").length, 1);
      assertEquals(lines.filter(({ command }) => command === "glCompileShader").length, 2);
    });
  });

  Deno.test(`glesApiProfile() counts calls on ${driver.name}`, part, () => {
    const profile = glesApiProfile();
    using opened = openContext(driver, [2, 0], { layers: [profile.layer] });
    profile.reset();
    for (let index = 0; index < 5; index++) opened.gl.glClear(g.GL_COLOR_BUFFER_BIT);
    opened.gl.glFinish();
    const counts = Object.fromEntries(profile.rows().map(({ command, calls }) => [command, calls]));
    assertEquals(counts, { glClear: 5, glFinish: 1 });
    assertMatch(profile.text(), /^6 calls of 2 commands/);
    assert(profile.rows().every(({ milliseconds }) => milliseconds >= 0));
    profile.reset();
    assertEquals([profile.rows(), profile.text()], [[], "0 calls"]);
  });

  Deno.test(`glesErrors() names the call and where it was made on ${driver.name}`, part, () => {
    const found: GlesErrorReport[] = [];
    const { layer } = glesErrors({ report: (error) => void found.push(error) });
    using opened = openContext(driver, [2, 0], { layers: [layer] });
    const { gl, egl } = opened;
    scene(gl);
    assertEquals(found, []);
    gl.glEnable(0x1234);
    gl.glClear(0x800000);
    assertEquals(found.map(({ command, codeName, args }) => [command, codeName, args]), [
      ["glEnable", "GL_INVALID_ENUM", [0x1234]],
      ["glClear", "GL_INVALID_VALUE", [0x800000]],
    ]);
    assertMatch(found[0].stack[0], /shipped_test\.ts/);
    const asked = [gl.glGetError(), gl.glGetError(), gl.glGetError()];
    assertEquals(asked, [g.GL_INVALID_ENUM, g.GL_INVALID_VALUE, g.GL_NO_ERROR]);
    assertThrows(() => egl.eglSwapBuffers(opened.display, 99n), EglError, "EGL_BAD_SURFACE");
    assertEquals(found[2].codeName, "EGL_BAD_SURFACE");
    assertEquals(egl.raw.eglSwapBuffers(opened.display, 99n), 0);
    assertEquals([egl.eglGetError(), egl.eglGetError()], [EGL_BAD_SURFACE, 0x3000]);
  });

  Deno.test(`glesErrors() makes the command throw what its report throws on ${driver.name}`, part, () => {
    const { layer: strict } = glesErrors({
      report({ command, codeName }) {
        throw new Error(`${command}: ${codeName}`);
      },
    });
    logged(() => {
      using opened = openContext(driver, [2, 0], { layers: [native!, strict] });
      assertThrows(() => opened.gl.glDrawArrays(0x99, 0, 3), Error, "glDrawArrays: GL_INVALID_ENUM");
      assertEquals(opened.gl.glGetError(), g.GL_INVALID_ENUM);
    });
  });
}

for (const driver of drivers) {
  Deno.test(
    `glesApiTrace() writes texts as text, and numbers that JSON lacks by name, on ${driver.name}`,
    needs(driver.part, driver.found || undefined),
    () => {
      const lines: GlesTraceLine[] = [];
      using trace = glesApiTrace({ write: (line) => lines.push(JSON.parse(line)) });
      using opened = openContext(driver, [3, 0], { layers: [trace.layer] });
      const { gl } = opened, parts = ["void main() {", " gl_Position = vec4(1.0); }"];
      const shader = gl.glCreateShader(g.GL_VERTEX_SHADER);
      gl.glShaderSource(shader, parts);
      using block = new NativeBlock(64);
      block.bytes.set(new TextEncoder().encode("one, two"), 32);
      block.view.setBigUint64(0, block.address + 32n, true);
      block.view.setBigUint64(8, block.address + 37n, true);
      block.view.setInt32(16, 3, true);
      block.view.setInt32(20, -1, true);
      gl.raw.glShaderSource(shader, 2, block.address, block.address + 16n);
      gl.glObjectLabelKHR(g.GL_SHADER_KHR, shader, "a label");
      gl.glUniform4f(-1, NaN, Infinity, -Infinity, -0);
      gl.glGetUniformLocation(0, "place");
      const argumentOf = (command: string, name: string, index = 0) =>
        lines.filter((each) => each.command === command)[index]?.args[name];
      assertEquals(argumentOf("glShaderSource", "string"), parts);
      assertEquals(argumentOf("glShaderSource", "string", 1), ["one", "two"]);
      assertEquals(argumentOf("glObjectLabelKHR", "label"), "a label");
      assertEquals(["v0", "v1", "v2", "v3"].map((name) => argumentOf("glUniform4f", name)), [
        "NaN",
        "Infinity",
        "-Infinity",
        "-0",
      ]);
      assertEquals(argumentOf("glGetUniformLocation", "name"), "place");
    },
  );
}

Deno.test("glesApiTrace() refuses neither and both of write and path", () => {
  assertThrows(() => glesApiTrace({}), TypeError, "either write or path");
  assertThrows(() => glesApiTrace({ write: () => {}, path: "/tmp/x" }), TypeError, "either write or path");
});
