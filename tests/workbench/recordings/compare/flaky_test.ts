import { assertEquals, assertMatch } from "@std/assert";
import { compareDrivers } from "../../../../workbench/recordings/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { recordFilling } from "../replay/filling.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const PROGRAMS = new URL("programs/", import.meta.url).pathname;

/** Number of the first line of a file that has a text. */
function lineOf(path: string, text: string): number {
  return 1 + Deno.readTextFileSync(path).split("\n").findIndex((line) => line.includes(text));
}

Deno.test("compareDrivers() names the driver that differs from itself, and no command", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const driver = lavapipePath()!, recording = `${folder}/fill.jsonl`, flaky = `${PROGRAMS}flaky_layer.ts`;
    recordFilling(recording, driver);
    const line = lineOf(recording, '"vkQueueSubmit"');
    const { finding } = await compareDrivers(recording, [{ driver }, { driver, layers: [flaky] }]);
    assertEquals([finding?.kind, finding?.side, finding?.line, finding?.action], ["unrepeatable", 1, line, undefined]);
    assertEquals(finding?.differences.map(({ piece }) => piece.name), ["VkBuffer#1"]);
    const args = ["compare", recording, `--driver=${driver}`, `--driver=${driver}`, `--layer-a=${flaky}`];
    const { code, stdout } = runProgram("cli.ts", args);
    assertEquals(code, 3);
    assertMatch(
      stdout,
      new RegExp(`A is not repeatable from line ${line}: two replays of it differ after submission 0`),
    );
  });
});

Deno.test("compareDrivers() names the submission after which a device was lost", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const driver = lavapipePath()!, recording = `${folder}/fill.jsonl`, losing = `${PROGRAMS}losing_layer.ts`;
    recordFilling(recording, driver);
    const { finding } = await compareDrivers(recording, [{ driver }, { driver, layers: [losing] }]);
    assertEquals([finding?.kind, finding?.side, finding?.line], ["lost", 1, lineOf(recording, '"vkQueueSubmit"')]);
    assertMatch(finding!.reason!, /^Cannot replay line \d+, vkQueueSubmit: .*VK_ERROR_DEVICE_LOST/);
  });
});
