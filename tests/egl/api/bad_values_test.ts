import { assertEquals } from "@std/assert";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { drivers } from "../drivers.ts";

for (const { name, part, found } of drivers) {
  Deno.test(`strange values are refused before EGL and OpenGL ES hear of them, on ${name}`, needs(part, found), () => {
    const { code, stdout, stderr } = runProgram("tests/egl/api/programs/bad_values.ts", [name]);
    assertEquals([code, code && stderr], [0, 0]);
    assertEquals(JSON.parse(stdout), { current: true, outcomes: {} });
  });
}
