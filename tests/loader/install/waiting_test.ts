import { assertEquals } from "@std/assert";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { compileClient, runClient } from "./client.ts";

const app = compileClient("waiting_app"), careful = compileFixture("careful_driver");
const lavapipe = lavapipePath(), swiftshader = swiftshaderPath();
const COMPILED = needs("Vulkan headers and a C compiler", app).ignore;
const REAL = needs("Mesa lavapipe and SwiftShader", lavapipe && swiftshader).ignore;
const env = { NODEVICE_SELECT: "1", PUMICE_TEST_LAYER: JSON.stringify({ name: "VK_LAYER_TEST_ts" }) };
const WELL = [0, 1, 2, 3, 4].map((thread) => `thread ${thread} failed at 0`);

/** Runs the program on the loader's own thread, where it waits for five others, and on one of its own. */
function check(loader: string, driver?: string): void {
  for (const where of ["here", "thread"] as const) {
    const { said } = runClient(app!, { loader, where, driver, env });
    assertEquals({ loader, where, said }, { loader, where, said: WELL });
  }
}

Deno.test("the loader's own thread may wait for threads that ask, work and destroy", { ignore: COMPILED }, () => {
  check("pumice", careful!);
  check(`pumice:${careful}`);
});

Deno.test("the same on real drivers behind one", { ignore: COMPILED || REAL }, () => {
  check(`pumice:${lavapipe}:${swiftshader}`);
});
