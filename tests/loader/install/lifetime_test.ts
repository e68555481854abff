import { assertEquals } from "@std/assert";
import { swiftshaderPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("arena_app"), careful = compileFixture("careful_driver");
const second = compileFixture("careful_driver", [], "second"), swiftshader = swiftshaderPath();
const COMPILED = needs("Vulkan headers and a C compiler", app), SWIFTSHADER = needs("SwiftShader", swiftshader);
const THREADS = 64, ROUNDS = 4;
const WELL = [`rounds ${ROUNDS * THREADS}, allocations left 0, freed elsewhere 0, failed at 0`];

/** The counters of each driver: of objects that are left, and of those that were destroyed wrongly. */
function countersOf(...drivers: string[]): string[] {
  return drivers.flatMap((driver) => [`${driver}:careful_left`, `${driver}:careful_wrong`]);
}

Deno.test("threads may unmap their allocator's memory as soon as their instance is destroyed", COMPILED, () => {
  const loaders = ["pumice", `pumice:${careful}`, ...NEEDS_SYSTEM.ignore ? [] : [SYSTEM!]],
    counters = countersOf(careful!);
  for (const loader of loaders) {
    const report = runClient(app!, { loader, what: THREADS, driver: careful!, counters });
    assertEquals({ loader, ...report }, { loader, said: WELL, counts: [0, 0] });
  }
  const several = runClient(app!, {
    loader: `pumice:${careful}:${second}`,
    what: THREADS,
    counters: countersOf(careful!, second!),
  });
  assertEquals(several, { said: WELL, counts: [0, 0, 0, 0] });
});

Deno.test("the same on SwiftShader, named and beside another driver", {
  ignore: COMPILED.ignore || SWIFTSHADER.ignore,
}, () => {
  for (const loader of [`pumice:${swiftshader}`, `pumice:${swiftshader}:${careful}`]) {
    assertEquals(runClient(app!, { loader, what: THREADS }).said, WELL);
  }
});
