import { assert, assertEquals } from "@std/assert";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { count } from "../../support/counts.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";

const VALIDATION = needs("Khronos validation layer", validationManifest());
/** The number of programs that are replayed; `deno task test:fuzz` replays thousands. */
const PROGRAMS = count(12, 25, 100);
/** The layer's switch for checking synchronisation. */
const env = { VK_LAYER_ENABLES: "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT" };

function validated(driver: string, from: number, to: number, plant = ""): Record<string, string[]> {
  const args = [driver, `${from}`, `${to}`, plant];
  const { code, stdout, output } = runProgram("tests/workbench/programs/programs/validated.ts", args, {
    env,
    seconds: 300,
  });
  assertEquals(code, 0, output);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}

for (const [name, path] of [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const) {
  Deno.test(`validation says nothing of generated programs on ${name}`, {
    ignore: VALIDATION.ignore || needs(name, path).ignore,
  }, () => {
    assertEquals(validated(path!, 0, PROGRAMS), {});
  });
}

Deno.test("validation says much of generated programs without their barriers", {
  ignore: VALIDATION.ignore || needs("Mesa lavapipe", lavapipePath()).ignore,
}, () => {
  const said = Object.values(validated(lavapipePath()!, 0, 5, "^vkCmdPipelineBarrier")).flat();
  assert(said.some((message) => message.includes("Hazard")), said.join("\n"));
});
