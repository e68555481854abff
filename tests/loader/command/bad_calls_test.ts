import { assert, assertEquals } from "@std/assert";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";

const FORBIDDEN = "--v8-flags=--disallow-code-generation-from-strings";

for (
  const [name, driver, flags] of [
    ["Mesa lavapipe", lavapipePath(), []],
    ["SwiftShader", swiftshaderPath(), []],
    ["SwiftShader, without generated code", swiftshaderPath(), [FORBIDDEN]],
  ] as const
) {
  Deno.test(
    `every bad value of every argument is refused with a TypeError before the driver hears of it (${name})`,
    needs(name, driver),
    () => {
      const { code, stdout, stderr } = runProgram("tests/loader/command/programs/bad_calls.ts", [driver!], { flags });
      const lines = stdout.trim().split("\n");
      assertEquals([code, code && `${lines.at(-1)} ${stderr}`], [0, 0]);
      const { calls, accepted } = JSON.parse(lines.at(-1)!);
      assertEquals(accepted, []);
      assert(calls > 10_000 && lines.length > 150, `${calls} calls of ${lines.length} commands`);
    },
  );
}
