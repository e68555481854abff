import { assert, assertEquals } from "@std/assert";
import { compilerPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { mesa } from "../drivers.ts";
import { compileFixture } from "../../support/compile.ts";
import { comparedClient } from "./clients.ts";
import { run } from "./linked.ts";

const STEPS = 480;
const ready = needs(mesa.part, mesa.found || undefined).ignore || needs("C compiler", compilerPath()).ignore;

for (const seed of [1, 20260]) {
  Deno.test(`random calls from two threads that exchange contexts answer as on the system's libraries, seed ${seed}`, {
    ignore: ready,
  }, () => {
    const { lines, counts } = comparedClient({
      fixture: "native_random",
      argument: `${seed} ${STEPS}`,
      env: { EGL_PLATFORM: "surfaceless" },
    });
    assert(lines.length > STEPS / 8, lines.join("\n"));
    assert(counts.glReadPixels > 0 && counts.glDrawArrays > 0, JSON.stringify(counts)); // of the loader's thread
  });
}

Deno.test("fifty runs of two threads leave no more memory behind than on the system's libraries", {
  ignore: ready,
}, () => {
  const left = ["", "libEGL_mesa.so.0"].map((driver) => {
    // With one arena the C library gives back what is freed, whichever threads were there.
    const env = { EGL_PLATFORM: "surfaceless", MALLOC_ARENA_MAX: "1" };
    const report = run("repeated", [driver, compileFixture("native_random")!, "120", "50"], env);
    assertEquals(report.results, 0);
    return report.left as number;
  });
  // TypeScript's own memory comes and goes in megabytes; each run makes two contexts of more than that.
  assert(left[1] - left[0] < 16 << 20, left.join(" and "));
});
