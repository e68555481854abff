import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { DoctorReport } from "../../../cli/doctor/command.ts";
import { type Ending, type Run, verdictOf } from "../../../cli/doctor/program.ts";
import type { LayerFact } from "../../../cli/doctor/machine.ts";
import { onPath } from "../../../tools/setup/files.ts";
import { lavapipePath, systemLoaderPath, xvfbPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { runDeno } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";

const CRASHING = compileFixture("broken"), HANGING = compileFixture("broken", ["-DHANG"], "hang");
const REFUSING = compileFixture("broken", ["-DREFUSE"], "refuse");
const PROGRAMS = onPath("vulkaninfo") && onPath("vkcube") && systemLoaderPath();
const NEEDS = needs("vulkaninfo, vkcube, Mesa lavapipe, a C compiler", PROGRAMS && lavapipePath() && CRASHING);
const FLAGS = ["run", "-A", "--no-prompt", "--no-check", "--import-map=tools/offline_import_map.json", "cli.ts"];
const NAME = "VK_LAYER_TEST_broken";

/** Writes manifests of implicit layers, by library, and of lavapipe and other drivers; returns the variables for a child. */
function surroundings(
  folder: string,
  layers: readonly string[],
  drivers: readonly string[] = [],
): Record<string, string> {
  const place = `${folder}/share/vulkan/implicit_layer.d`;
  Deno.mkdirSync(place, { recursive: true });
  for (const [index, library_path] of layers.entries()) {
    const layer = {
      name: `${NAME}_${index}`,
      type: "GLOBAL",
      library_path,
      api_version: "1.3.0",
      implementation_version: "1",
      description: "breaks programs",
      disable_environment: { [`BROKEN_${index}_OFF`]: "1" },
    };
    Deno.writeTextFileSync(`${place}/${index}.json`, JSON.stringify({ file_format_version: "1.0.0", layer }));
  }
  const manifests = [lavapipePath()!, ...drivers].map((library_path, index) => {
    const path = `${folder}/driver_${index}.json`, ICD = { library_path, api_version: "1.1.0" };
    Deno.writeTextFileSync(path, JSON.stringify({ file_format_version: "1.0.0", ICD }));
    return path;
  });
  const files = manifests.join(":");
  return { XDG_DATA_HOME: `${folder}/share`, VK_DRIVER_FILES: files, VK_ICD_FILENAMES: files };
}

function doctor(env: Record<string, string>, ...args: string[]) {
  // The variable with which tests keep their shaders apart would be one of those that are suspected.
  return runDeno([...FLAGS, "doctor", ...args], { env, without: /^MESA_/, seconds: 120 });
}

function reportOf(env: Record<string, string>, ...args: string[]): DoctorReport & { readonly exit: number } {
  const { code, stdout, output } = doctor(env, "--json", ...args);
  assert(stdout.startsWith("{"), output);
  return { ...JSON.parse(stdout), exit: code };
}

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
