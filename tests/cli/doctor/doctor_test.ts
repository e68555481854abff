import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { DoctorReport } from "../../../cli/doctor/command.ts";
import type { Ending } from "../../../cli/doctor/program.ts";
import { lavapipePath, xvfbPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { CRASHING, doctor, HANGING, NAME, NEEDS, REFUSING, reportOf, surroundings } from "./runs.ts";

const endings = (report: DoctorReport) =>
  Object.fromEntries(report.program!.runs.map(({ what, outcome }) => [what, outcome]));

Deno.test("doctor names the implicit layer that crashes a program, or makes it fail or hang", NEEDS, () => {
  const rows: readonly [library: string, outcome: Ending][] = [
    [CRASHING!, "crashed"],
    [REFUSING!, "failed"],
    [HANGING!, "timed out"],
  ];
  for (const [library, outcome] of rows) {
    withFolder((folder) => {
      const env = surroundings(folder, [library]);
      const report = reportOf(env, "--timeout=4", "--", "vulkaninfo", "--summary"), { program, exit } = report;
      const found = endings(report);
      assertEquals([found["as it is"], found[`without ${NAME}_0`], exit], [outcome, "passed", 1]);
      assertEquals(program!.culprits, [{ kind: "layer", name: `${NAME}_0` }]);
      assertStringIncludes(program!.sentence, "Set BROKEN_0_OFF=1");
      const layer = report.layers.find(({ name }) => name === `${NAME}_0`)!;
      assertEquals([layer.isActive, layer.off], [true, ["BROKEN_0_OFF", "1"]]);
    });
  }
});

Deno.test(
  "doctor says that several layers break a program, where none of them does alone",
  NEEDS,
  () =>
    withFolder((folder) => {
      const report = reportOf(surroundings(folder, [REFUSING!, CRASHING!]), "--", "vulkaninfo", "--summary");
      assertEquals(endings(report)["without implicit layers"], "passed");
      assertEquals(report.program!.culprits, [{ kind: "layers", name: "implicit layers" }]);
    }),
);

Deno.test(
  "doctor names the driver that breaks a program, and survives the driver itself",
  NEEDS,
  () =>
    withFolder((folder) => {
      const env = surroundings(folder, [], [CRASHING!]), report = reportOf(env, "--", "vulkaninfo", "--summary");
      assertEquals([endings(report)["as it is"], endings(report)["with lvp alone"]], ["crashed", "passed"]);
      assertEquals(report.program!.culprits, [{ kind: "driver", name: "broken" }]);
      const { trouble, isIdle } = report.drivers.find(({ name }) => name === "broken")!;
      assertEquals([isIdle, report.exit], [false, 1]);
      assertMatch(trouble!, /^it crashed with SIG/);
      assertEquals(reportOf(env).exit, 1, "a driver that does not open is a finding without a program, too");
    }),
);

Deno.test("doctor names the variable that hides every driver", NEEDS, () => {
  for (const names of [["VK_ICD_FILENAMES"], ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]]) {
    const hidden = Object.fromEntries(names.map((name) => [name, "/nowhere.json"]));
    const { program, exit } = reportOf({ ...hidden, LC_ALL: "C" }, "--", "vulkaninfo", "--summary");
    assertEquals([program!.culprits, exit], [[{ kind: "variables", name: names.join(", ") }], 1], program!.sentence);
    assertMatch(program!.sentence, names.length === 1 ? /unset VK_ICD_FILENAMES/ : /one by one/);
  }
});

Deno.test(
  "doctor finds the one variable of many, as a machine with CUDA has them, and says so of several",
  NEEDS,
  () => {
    const others = { CUDA_HOME: "/x", NVIDIA_VISIBLE_DEVICES: "all", MESA_NO_ERROR: "0", __GL_YIELD: "" };
    const hidden = { VK_ICD_FILENAMES: "/nowhere.json" }, line = ["--", "vulkaninfo", "--summary"];
    const { program, exit } = reportOf({ ...others, ...hidden, LC_ALL: "C" }, ...line);
    assertEquals([program!.culprits, exit], [[{ kind: "variables", name: "VK_ICD_FILENAMES" }], 1], program!.sentence);
    const runs = program!.runs.filter(({ subject }) => subject?.kind === "variables");
    assert(runs.length <= 4, runs.map(({ what }) => what).join("; "));
    const two = reportOf({ ...others, ...hidden, VK_DRIVER_FILES: "/nowhere.json", LC_ALL: "C" }, ...line);
    assert(two.program!.culprits[0].name.split(", ").length >= 5, two.program!.sentence);
  },
);

Deno.test("doctor tries a program with a window, and one that runs on works", {
  ...needs("an X server without a screen", xvfbPath() && !NEEDS.ignore),
}, async () => {
  await using server = await startXServer();
  withFolder((folder) => {
    const env = { ...surroundings(folder, [CRASHING!]), DISPLAY: server.display };
    const broken = reportOf(env, "--", "vkcube", "--c", "3");
    assertEquals([broken.program!.culprits[0]?.name, broken.exit], [`${NAME}_0`, 1], broken.program!.sentence);
    const endless = reportOf({ ...env, BROKEN_0_OFF: "1" }, "--timeout=3", "--", "vkcube");
    assertEquals([endings(endless)["as it is"], endless.exit], ["timed out", 0]);
    assertStringIncludes(endless.program!.sentence, "still ran at the end of its time");
  });
});

Deno.test(
  "doctor tells a driver that is not there, and refuses a program that cannot be started",
  NEEDS,
  () =>
    withFolder((folder) => {
      const env = surroundings(folder, [], [`${folder}/none.so`]), report = reportOf(env);
      assertEquals(report.exit, 1);
      assertStringIncludes(report.drivers.find(({ name }) => name === "none")!.trouble!, "no such file");
      const { code, stderr } = doctor(env, "--", `${folder}/nothing`);
      assertEquals([code, stderr.split("\n")[0]], [
        2,
        `doctor: "${folder}/nothing" cannot be started: there is no such program`,
      ]);
      assertEquals(reportOf(surroundings(folder, []), `--driver=${lavapipePath()}`).drivers.length, 1);
    }),
);
