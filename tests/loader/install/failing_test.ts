import { assertEquals } from "@std/assert";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("failing_app"), careful = compileFixture("careful_driver");
const COMPILED = needs("Vulkan headers and a C compiler", app).ignore;
const lavapipe = lavapipePath(), swiftshader = swiftshaderPath();
/** What the program is told: to make a surface, too; that the driver takes one allocation for an instance. */
const SURFACE = 1, ONE = 2;
const WELL = ["every one of some allocations failed: 1", "without memory: always", "left: 0"];
/** A driver that is named has nothing put before it that would need memory. */
const own = (isOurs: boolean) => `the loader's own come from there: ${isOurs ? 1 : 0}`;
/** Layers of the machine have allocations of their own. */
const env = { NODEVICE_SELECT: "1" };

const CASES = [
  { name: "a small driver", driver: careful, what: SURFACE + ONE, ignore: COMPILED },
  {
    name: "SwiftShader",
    driver: swiftshader,
    what: SURFACE,
    ignore: COMPILED || needs("SwiftShader", swiftshader).ignore,
  },
  { name: "lavapipe", driver: lavapipe, what: 0, ignore: COMPILED || needs("Mesa lavapipe", lavapipe).ignore },
];

for (const { name, driver, what, ignore } of CASES) {
  Deno.test(`every allocation that fails is VK_ERROR_OUT_OF_HOST_MEMORY, and nothing is left (${name})`, {
    ignore,
  }, () => {
    for (const [loader, where] of [["pumice", "here"], ["pumice", "thread"], [`pumice:${driver}`, "thread"]] as const) {
      const { said } = runClient(app!, { loader, where, driver: driver!, what, env });
      assertEquals({ loader, where, said }, {
        loader,
        where,
        said: what & ONE ? [...WELL, own(loader === "pumice")] : WELL,
      });
    }
    if (NEEDS_SYSTEM.ignore) return;
    // Some of that loader's own allocations it can do without.
    const { said } = runClient(app!, { loader: SYSTEM!, driver: driver!, what, env });
    assertEquals([said[0], said[2]], [WELL[0], WELL[2]]);
  });
}
