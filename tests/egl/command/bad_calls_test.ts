import { assert, assertEquals } from "@std/assert";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { angle, mesa, type TestDriver } from "../drivers.ts";

function refusesAll(driver: TestDriver, name: string): void {
  const { code, stdout, output } = runProgram("tests/egl/command/programs/bad_calls.ts", [name], { seconds: 120 });
  const lines = stdout.trimEnd().split("\n");
  assertEquals(code, 0, `${driver.name} ended in ${lines.at(-1)}: ${output.slice(-500)}`);
  const { calls, accepted } = JSON.parse(lines.at(-1)!);
  assertEquals(accepted, []);
  assert(calls > 20_000, `${calls} calls`);
}

Deno.test(
  "every command of EGL and OpenGL ES refuses what is no number, handle, boolean, text or memory, on ANGLE",
  needs(angle.part, angle.found || undefined),
  () => refusesAll(angle, "angle"),
);

Deno.test(
  "every command of EGL and OpenGL ES refuses what is no number, handle, boolean, text or memory, on Mesa",
  needs(mesa.part, mesa.found || undefined),
  () => refusesAll(mesa, "mesa"),
);
