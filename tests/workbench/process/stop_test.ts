import { assertEquals } from "@std/assert";
import type { StopOptions } from "../../../workbench/process/stop.ts";
import { runProgram } from "../../support/subprocess.ts";

/** Checks how a program with these options ends that gets these signals, and what was aborted after each. */
function assertEnds(options: StopOptions, signals: Deno.Signal[], code: number, aborted: string): void {
  const ended = runProgram("tests/cli/programs/stopping.ts", [JSON.stringify(options), ...signals]);
  assertEquals([ended.code, ended.stdout], [code, aborted], ended.output);
}

Deno.test("untilStopped() aborts at the first signal, and a second one ends the process", () => {
  assertEnds({}, ["SIGINT", "SIGTERM"], 143, "true false\n");
});

Deno.test("untilStopped() leaves SIGHUP to the system unless SIGHUP is to count", () => {
  assertEnds({}, ["SIGHUP"], 129, "");
  assertEnds({ hangup: true }, ["SIGHUP"], 0, "true false\n");
});

Deno.test("untilStopped() lets a second signal hurry a program on", () => {
  assertEnds({ second: "hurry" }, ["SIGTERM", "SIGINT"], 0, "true false\ntrue true\n");
});

Deno.test("untilStopped() lets no further signal interrupt a program that tidies up", () => {
  const signals = ["SIGHUP", "SIGTERM", "SIGINT"] as const;
  assertEnds({ second: "nothing", hangup: true }, [...signals], 0, "true false\n".repeat(3));
});
