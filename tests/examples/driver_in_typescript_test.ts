import { assertEquals } from "@std/assert";
import { runProgram } from "../support/subprocess.ts";

Deno.test("the example of a driver in TypeScript runs as it says", () => {
  const { code, stdout, output } = runProgram("examples/driver_in_typescript.ts", []);
  assertEquals(code, 0, output);
  assertEquals(stdout.trim().split("\n"), ["With both: Card", "Card unplugged: Chip", "0 instances left of 2"]);
});
