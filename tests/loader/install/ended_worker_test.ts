import { assertEquals } from "@std/assert";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";

const driver = lavapipePath();

for (const how of ["terminate", "close", "throw"]) {
  Deno.test(
    `what a worker installed answers by the driver after its end by ${how}`,
    needs("Mesa lavapipe", driver),
    () => {
      const { code, stdout, output } = runProgram("tests/loader/install/programs/ended_worker.ts", [driver!, how]);
      assertEquals(code, 0, output);
      const found = JSON.parse(stdout.trim().split("\n").at(-1)!);
      assertEquals(found, { before: 0, after: 0, create: -3, list: 0, extensions: true });
    },
  );
}
