import { assertEquals } from "@std/assert";
import { lavapipePath, validationManifest, vulkanHeaders } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";

const headers = vulkanHeaders(), app = headers && compileFixture("threads_app", ["-idirafter", headers]);
const HEADERS = needs("Vulkan headers and a C compiler", app).ignore;
const THREADS = Math.max(4, navigator.hardwareConcurrency);
const lavapipe = lavapipePath(), LAVAPIPE = needs("Mesa lavapipe", lavapipe).ignore;
const VALIDATION = needs("Khronos validation layer", validationManifest()).ignore;

const CASES = [
  { name: "lavapipe", driver: lavapipe, layers: [], ignore: LAVAPIPE },
  {
    name: "lavapipe with validation",
    driver: lavapipe,
    layers: ["VK_LAYER_KHRONOS_validation"],
    ignore: LAVAPIPE || VALIDATION,
  },
  { name: "a driver in TypeScript", driver: "scripted", layers: [], ignore: false },
];

for (const { name, driver, layers, ignore } of CASES) {
  Deno.test(`acceptance 95: ${THREADS} threads make instances and devices and name objects at once (${name})`, {
    ignore: HEADERS || ignore,
  }, () => {
    const args = [driver!, app!, `${THREADS}`, ...layers];
    const { code, stdout, output } = runProgram("tests/loader/acceptance/programs/threads.ts", args);
    assertEquals(code, 0, output);
    assertEquals(JSON.parse(stdout), {
      instances: 50 * THREADS,
      devices: 100 * THREADS,
      names: 1000 * THREADS,
      failed_at: 0,
      left: [0, 0, 0],
    });
  });
}
