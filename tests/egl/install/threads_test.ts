import { assert, assertEquals } from "@std/assert";
import { anglePaths, compilerPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { mesa } from "../drivers.ts";
import { run, withProgram } from "./linked.ts";

const DRIVERS = [
  { name: "Mesa", part: mesa.part, path: mesa.found ? "libEGL_mesa.so.0" : undefined },
  { name: "ANGLE", part: "SwiftShader and ANGLE", path: anglePaths()?.egl },
];
/** Three rounds of as many frames on each thread are 10,080 frames. */
const THREADS = 8, FRAMES = 420;
/** The most that every frame may leave behind, in bytes: allocators keep some of what threads give back. */
const LEFT = 8192;

for (const { name, part, path } of DRIVERS) {
  const parts = { ignore: needs(part, path).ignore || needs("C compiler", compilerPath()).ignore };
  Deno.test(`eight threads draw at once on the loader over ${name}, each with its own current context`, parts, () => {
    withProgram("egl_threads", (app) => {
      const { here, elsewhere, rounds, said } = run("threads", [path!, app, `${THREADS}`, `${FRAMES}`]);
      assertEquals(said, []);
      assertEquals(elsewhere, here);
      assertEquals(rounds.map(({ failed }: { failed: number }) => failed), [0, 0, 0]);
      const more = rounds[2].files - rounds[0].files; // the driver's own threads open and close some at any moment
      assert(more < THREADS, `${more} files more after two rounds, each with a context a thread`);
      assert(rounds[2].resident - rounds[0].resident < 2 * THREADS * FRAMES * LEFT, JSON.stringify(rounds));
    });
  });

  for (const policy of ["skip", "record", "block"]) {
    Deno.test(`a layer's hooks let other threads draw by "${policy}" on the loader over ${name}`, parts, () => {
      withProgram("egl_threads", (app) => {
        const { rounds, hooked, recorded } = run("threads", [path!, app, "4", "20", policy]);
        assertEquals(rounds.map(({ failed }: { failed: number }) => failed), [0, 0, 0]);
        // Three rounds of four threads: two clears a frame; no context, one that is none, none again.
        const all = { eglMakeCurrent: 3 * 4 * 3, glClear: 3 * 4 * 20 * 2 };
        assertEquals({ hooked, recorded }, {
          hooked: policy === "block" ? all : {},
          recorded: policy === "record" ? all : {},
        });
      });
    });
  }

  for (const platform of ["linux", "android"]) {
    Deno.test(`native threads use Android's display, on ${platform} over ${name}`, parts, () => {
      withProgram("egl_threads", (app) => {
        assertEquals(run("android_threads", [path!, app, "6", "20", platform]), {
          ...{ drawn: 0, failed: 0, pixel: [255, 0, 0, 255], isCurrent: true, isSame: true },
          ...{ refused: 1, gone: 1 }, // windows are TypeScript's, which other threads cannot show in
        });
      });
    });
  }
}
