import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { eglLinkStubs } from "../../../egl/mod.ts";
import { anglePaths, compilerPath, sdlPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { mesa } from "../drivers.ts";
import { run, withProgram } from "./linked.ts";

const COMPILER = needs("C compiler", compilerPath());
const GREEN = [0, 255, 0, 255], BLUE = [0, 0, 255, 255];
const DRIVERS = [
  { name: "Mesa", part: mesa.part, path: mesa.found ? "libEGL_mesa.so.0" : undefined },
  { name: "ANGLE", part: "SwiftShader and ANGLE", path: anglePaths()?.egl },
];

for (const { name, part, path } of DRIVERS) {
  const parts = { ignore: needs(part, path).ignore || COMPILER.ignore };
  for (const version of ["1", "2"]) {
    Deno.test(`a program linked with EGL draws with OpenGL ES ${version} on the loader over ${name}`, parts, () => {
      withProgram("gles_app", (app) => {
        assertEquals(run("client", [path!, app, version]), {
          ...{ result: 0, drawn: [GREEN, BLUE], again: 0 },
          // Layers stand before the commands of OpenGL ES 2 and of EGL alone.
          hooked: version === "1" ? ["eglInitialize"] : ["eglInitialize", "glDrawArrays"],
          ...{ uninstalled: 1, reinstalled: 0, said: [] },
        });
      });
    });
  }
}

Deno.test("SDL's renderer draws with OpenGL ES 2 on the loader over Mesa, without a screen", {
  ignore: needs(mesa.part, mesa.found || undefined).ignore || needs("SDL", sdlPath()).ignore,
}, () => {
  const { renderer, drawn, said } = run("sdl", ["libEGL_mesa.so.0", sdlPath()!]);
  assertEquals([renderer, drawn, said], ["opengles2", [[255, 0, 0, 255], [0, 0, 255, 255]], []]);
});

Deno.test("install() refuses a process whose driver is the system's front, and says what to name", {
  ignore: needs(mesa.part, mesa.found || undefined).ignore,
}, () => {
  const { front, second, closed } = run("refused");
  assertStringIncludes(front, '"libEGL.so.1" is the driver of this loader');
  assertStringIncludes(front, "libEGL_mesa.so.0");
  assertStringIncludes(second, "call uninstall() on the first one");
  assertStringIncludes(closed, "it is closed");
});

Deno.test("install() says that another isolate has installed a loader, and works once that one is gone", {
  ignore: needs(mesa.part, mesa.found || undefined).ignore,
}, () => {
  const { first, second, gone, third } = run("two_isolates");
  assertEquals([first, gone, third], ["", "", ""]);
  assertStringIncludes(second, "another part of this process, such as a Worker, has installed one");
  assertStringIncludes(second, "call its uninstall() first");
});

Deno.test("eglLinkStubs() has the commands of EGL and both APIs, and no driver's own", () => {
  const texts = [...eglLinkStubs("aarch64")].map(([file, bytes]) => [file, new TextDecoder("latin1").decode(bytes)]);
  assertEquals(texts.map(([file]) => file), ["libEGL.so", "libGLESv2.so", "libGLESv1_CM.so"]);
  for (const [index, name] of ["eglCreateSync", "glDispatchCompute", "glOrthox"].entries()) {
    assertEquals(texts.map(([, text]) => text.includes(`\0${name}\0`)), [0, 1, 2].map((each) => each === index));
  }
  assert(texts.every(([, text]) => !text.includes("eglSetBlobCacheFuncsANDROID")));
});
