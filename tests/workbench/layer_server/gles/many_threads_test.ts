import { assertEquals } from "@std/assert";
import { defineGlesLayer } from "../../../../egl/mod.ts";
import { serveGlesLayers } from "../../../../workbench/gles_layers.ts";
import { compileProgram } from "../../../support/compile.ts";
import { needs } from "../../../support/require.ts";

const APP = Deno.build.arch === "x86_64" ? compileProgram("gles_elsewhere") : undefined;

for (const listen of [undefined, "tcp:127.0.0.1:0"]) {
  for (const threads of [64, 1000]) {
    Deno.test(
      `serveGlesLayers(): calls of ${threads} threads that wait are seen or counted, through ${
        listen ?? "shared memory"
      }`,
      needs("a C compiler on x86-64", APP),
      async () => {
        const seen = { glFinish: 0, glSampleCoverage: 0 };
        const counting = defineGlesLayer({
          name: "counting",
          commands: {
            glFinish(next) {
              seen.glFinish++;
              next();
            },
            glSampleCoverage(next, ...args) {
              seen.glSampleCoverage++;
              next(...args);
            },
          },
        });
        const server = await serveGlesLayers({ layers: [counting], listen });
        const args = ["120", APP!, server.library, "waits", `${threads}`];
        const { code, stdout, stderr } = await new Deno.Command("timeout", { args }).output();
        await server.close();
        const made = new TextDecoder().decode(stdout).split("\n").length - 1, said = new TextDecoder().decode(stderr);
        assertEquals([code, made, said], [0, 100, ""]);
        if (threads === 64) assertEquals([seen, server.lostCalls], [{ glFinish: 64, glSampleCoverage: 100 }, 0]);
        assertEquals(seen.glFinish + seen.glSampleCoverage + server.lostCalls, threads + 100);
      },
    );
  }
}
