import { assertEquals } from "@std/assert";
import { lavapipePath, vulkanHeaders } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";

const headers = vulkanHeaders(), app = headers && compileFixture("threads_app", ["-idirafter", headers]);
const HEADERS = needs("Vulkan headers and a C compiler", app).ignore;
const THREADS = Math.max(4, navigator.hardwareConcurrency);

for (
  const { name, driver } of [{ name: "lavapipe", driver: lavapipePath() }, {
    name: "a driver in TypeScript",
    driver: "scripted",
  }]
) {
  const ignore = HEADERS || needs(name, driver).ignore;

  Deno.test(`line 95: ${THREADS} threads make instances and devices and name objects at once on ${name}`, {
    ignore,
  }, () => {
    const { code, stdout, output } = runProgram("tests/loader/acceptance/programs/threads.ts", [
      driver!,
      app!,
      `${THREADS}`,
    ]);
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
