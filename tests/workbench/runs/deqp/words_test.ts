import { assertEquals } from "@std/assert";
import { judge, outcomeText, runOf } from "../../../../workbench/runs/deqp/judge.ts";
import type { DeqpStatus } from "../../../../workbench/runs/deqp/status.ts";

Deno.test("outcomeText() has one word for each outcome, and dEQP's own word only where that says more", () => {
  const word = (...statuses: DeqpStatus[]) => {
    const attempts = statuses.map((status) => ({ name: "a", status, message: "" }));
    return outcomeText(judge("a", attempts, {}));
  };
  assertEquals([word("Pass"), word("Fail"), word("Crash"), word("Timeout")], [
    "passed",
    "failed",
    "crashed",
    "timed out",
  ]);
  assertEquals([word("Skip"), word("Fail", "Pass"), word(), word("DeviceLost")], [
    "skipped",
    "flaky",
    "missing",
    "failed (DeviceLost)",
  ]);
  const known = (status: DeqpStatus) =>
    outcomeText(judge("a", [{ name: "a", status, message: "" }], { baseline: new Map([["a", status]]) }));
  assertEquals([known("Fail"), known("Crash")], ["expected (failed)", "expected (crashed)"]);
});

Deno.test("a run with a case that crashed or timed out is not good", () => {
  for (const [status, word] of [["Crash", "crashed"], ["Timeout", "timed out"], ["Fail", "failed"]] as const) {
    const { counts, isGood } = runOf([judge("a", [{ name: "a", status, message: "" }], {})]);
    assertEquals([counts[word], isGood], [1, false]);
  }
});
