import { assertEquals } from "@std/assert";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { count } from "../../../support/counts.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";

/**
 * Kinds of faults whose programs are quickly reduced, one of each group. Reductions of all kinds found programs that
 * break rules of Vulkan, each of which has a test in sound_test.ts.
 */
const KINDS = ["another fill value", "a smaller dispatch", "a smaller copy", "another clear color"].slice(
  0,
  count(1, 2, 4),
);
/** Calls beyond creation that may be left. */
const MOST_LEFT = 25;

Deno.test(
  "reduceRecording() leaves few calls of a fault of any kind, and a script that passes on driver A and fails on driver B",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    const args = ["--json", "--unvalidated", "--programs=fuzzed", `--kinds=${KINDS}`];
    const { stdout, output } = runProgram("tests/workbench/recordings/reduce/planted_main.ts", args, {
      flags: ["--allow-sys"],
      seconds: 900,
    });
    const rows: { kind: string; calls: number; script: string }[] = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    const told = rows.map(({ kind, calls, script }) => [kind, calls <= MOST_LEFT, script]);
    assertEquals(told, KINDS.map((kind) => [kind, true, "right"]), output);
  },
);
