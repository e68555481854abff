import { assertEquals, assertThrows } from "@std/assert";
import { spawnPassing } from "../../workbench/process/stop.ts";
import { runProgram } from "../support/subprocess.ts";

Deno.test("spawnPassing() leaves the end to the child: SIGTERM reaches the child, and this process goes on", () => {
  const { code, stdout, output } = runProgram("tests/cli/programs/passing_signals.ts", []);
  assertEquals([code, stdout], [0, "the shell ended with 5\n"], output);
});

Deno.test("spawnPassing() listens to no signal any more where nothing could be started", () => {
  assertThrows(() => spawnPassing(new Deno.Command("/nowhere/program")), Deno.errors.NotFound);
});
