import { assert } from "@std/assert";
import { compilerPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { mesa } from "../drivers.ts";
import { comparedClient } from "./clients.ts";

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
