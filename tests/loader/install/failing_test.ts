import { assertEquals } from "@std/assert";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("failing_app"), careful = compileFixture("careful_driver");
const COMPILED = needs("Vulkan headers and a C compiler", app).ignore;
const lavapipe = lavapipePath(), swiftshader = swiftshaderPath();
/** The program's orders: to make a surface, too; that the driver takes one allocation for each object; to make a messenger; to leave messengers. */
const SURFACE = 1, ONE = 2, MESSENGER = 4, LEAVE = 8;
const WELL = ["every one of some allocations failed: 1", "without memory: always", "left: 0"];
/** The loader's own allocations from there; surfaces of a named driver are the driver's own. */
const EVERYTHING = "the loader's own: instance 1, device 1, surface 1, messenger 1";
const NAMED = "the loader's own: instance 1, device 1, surface 0, messenger 1";
/** Layers of the machine have allocations of their own. */
const env = { NODEVICE_SELECT: "1" };

const CASES = [
  { name: "a small driver", driver: careful, what: SURFACE + ONE + MESSENGER, ignore: COMPILED },
  {
    name: "SwiftShader",
    driver: swiftshader,
    what: SURFACE + MESSENGER,
    ignore: COMPILED || needs("SwiftShader", swiftshader).ignore,
  },
  { name: "lavapipe", driver: lavapipe, what: 0, ignore: COMPILED || needs("Mesa lavapipe", lavapipe).ignore },
];

for (const { name, driver, what, ignore } of CASES) {
  Deno.test(`every allocation that fails is VK_ERROR_OUT_OF_HOST_MEMORY, and nothing is left (${name})`, {
    ignore,
  }, () => {
    const named = `pumice:${driver}`, own = (line: string) => what & ONE ? [line, ...WELL] : WELL;
    const left = what & ONE ? LEAVE : 0; // else a driver's own messengers would be left
    for (const [loader, where] of [["pumice", "here"], ["pumice", "thread"], [named, "here"], [named, "thread"]]) {
      const { said } = runClient(app!, {
        loader,
        where: where as "here" | "thread",
        driver: driver!,
        what: what + left,
        env,
      });
      assertEquals({ loader, where, said }, { loader, where, said: own(loader === named ? NAMED : EVERYTHING) });
    }
    if (NEEDS_SYSTEM.ignore) return;
    // That loader can do without some of its own allocations; the one of 1.3.239 does not give messengers back.
    const { said } = runClient(app!, { loader: SYSTEM!, driver: driver!, what, env });
    assertEquals(said.filter((line) => !line.startsWith("without")), own(EVERYTHING).toSpliced(-2, 1));
  });
}
