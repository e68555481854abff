import { assertEquals } from "@std/assert";
import { anglePaths, compilerPath, westonPath, xvfbPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { startWaylandServer } from "../../support/wayland_server.ts";
import { startXServer } from "../../support/x_server.ts";
import { mesa } from "../drivers.ts";
import { comparedClient, comparedOnAngle } from "./clients.ts";

const ready = needs(mesa.part, mesa.found || undefined).ignore || needs("C compiler", compilerPath()).ignore;

for (const [argument, draws] of [["surfaceless", 2], ["device", 2]] as const) {
  Deno.test(
    `a plain EGL program finds the ${argument} platform as with the system's libraries`,
    { ignore: ready },
    () => {
      const { counts } = comparedClient({ fixture: "native_egl", argument, env: { EGL_PLATFORM: "surfaceless" } });
      // Contexts of OpenGL ES 1 go past layers.
      assertEquals(counts, { glClearColor: draws, glClear: draws, glDrawArrays: draws, glReadPixels: draws });
    },
  );
}

Deno.test("a plain EGL program draws in windows and pixmaps of X11 as with the system's libraries", {
  ignore: ready || needs("X server without a screen", xvfbPath()).ignore,
}, async () => {
  await using server = await startXServer();
  const { counts, lines } = comparedClient({
    fixture: "native_egl",
    argument: "x11",
    env: { DISPLAY: server.display },
  });
  assertEquals([counts.glDrawArrays, lines.filter((line) => line.startsWith("shown")).length], [8, 6]);
});

Deno.test("a plain EGL program draws in windows of Wayland as with the system's libraries", {
  ignore: ready || needs("Weston", westonPath()).ignore,
}, async () => {
  await using server = await startWaylandServer();
  const { counts } = comparedClient({
    fixture: "native_egl",
    argument: "wayland",
    env: { ...server.env, DISPLAY: "" },
  });
  assertEquals(counts.glDrawArrays, 4);
});

for (const [argument, draws] of [["surfaceless", 2], ["x11-guessed", 6]] as const) {
  Deno.test(`a plain EGL program finds ANGLE's ${argument} display as without the loader`, {
    ignore: needs("SwiftShader and ANGLE", anglePaths()).ignore || needs("C compiler", compilerPath()).ignore ||
      needs("X server without a screen", xvfbPath()).ignore,
  }, async () => {
    await using server = await startXServer();
    const run = { fixture: "native_egl", argument, env: { DISPLAY: server.display } };
    assertEquals(comparedOnAngle(anglePaths()!.egl, run).counts.glDrawArrays, draws);
  });
}
