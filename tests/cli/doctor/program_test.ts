import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Ending, type Run, verdictOf } from "../../../cli/doctor/program.ts";
import type { LayerFact } from "../../../cli/doctor/machine.ts";
import { withFolder } from "../../support/temporary.ts";
import { doctor, NAME, NEEDS, REFUSING, surroundings } from "./runs.ts";

Deno.test(
  "doctor has a table for people, with exit codes and who put a layer there",
  NEEDS,
  () =>
    withFolder((folder) => {
      const env = surroundings(folder, [REFUSING!]), { code, stdout } = doctor(env, "--", "vulkaninfo", "--summary");
      assertEquals(code, 1);
      assertMatch(stdout, / {2}run +outcome +exit +seconds +last line\n {2}as it is +failed +1 /);
      assertMatch(stdout, new RegExp(`  without ${NAME}_0 +passed +0 `));
      assertStringIncludes(stdout, `active ${NAME}_0: nothing turns it off; off with BROKEN_0_OFF=1`);
      assertStringIncludes(stdout, `VK_DRIVER_FILES=${env.VK_DRIVER_FILES}: `);
      assertStringIncludes(stdout, "works  lvp: llvmpipe");
      assertStringIncludes(stdout, `${NAME}_0 (no package's) breaks the program, which passed without ${NAME}_0`);
    }),
);

Deno.test("verdictOf() blames what makes a program better when it is off, and nothing where all ends alike", () => {
  const layers = [{ name: "A", owner: "package a" }, { name: "B", owner: "package b" }] as LayerFact[];
  const run = (what: string, outcome: Ending, kind?: "layer" | "layers" | "driver"): Run => ({
    what,
    outcome,
    ...kind && { subject: { kind, name: what } },
    variables: { [what]: "1" },
    seconds: 1,
    lastLine: "",
  });
  const machine = { layers, drivers: [] };
  const names = (...runs: Run[]) => {
    const { isGood, culprits } = verdictOf(runs, machine);
    return [isGood, ...culprits.map(({ name }) => name)];
  };
  const bare = (outcome: Ending) => run("as it is", outcome);
  assertEquals(names(bare("passed"), run("A", "passed", "layer")), [true]);
  assertEquals(names(bare("failed"), run("A", "failed", "layer"), run("B", "passed", "layer")), [false, "B"]);
  assertEquals(names(bare("timed out"), run("A", "timed out", "layer"), run("d", "timed out", "driver")), [true]);
  assertEquals(names(bare("timed out"), run("A", "passed", "layer")), [false, "A"]);
  assertEquals(names(bare("crashed"), run("A", "timed out", "layer")), [false, "A"]);
  assertEquals(names(bare("failed"), run("d", "failed", "driver"), run("e", "passed", "driver")), [false, "d"]);
  assertEquals(names(bare("passed"), run("d", "crashed", "driver")), [true, "d"]);
  assertEquals(names(bare("failed"), run("A", "failed", "layer"), run("d", "crashed", "driver")), [false]);
});
