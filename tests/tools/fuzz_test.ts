import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { lavapipePath, validationManifest } from "../../tools/setup/parts.ts";
import { generateProgram } from "../../workbench/programs/mod.ts";
import { countedIn, countText, FEATURES } from "../../tools/fuzz/count.ts";
import { everything } from "../workbench/programs/everything.ts";
import { Notes, sumOf } from "../../tools/fuzz/notes.ts";
import { type Found, replayed } from "../../tools/fuzz/replayed.ts";
import { needs } from "../support/require.ts";
import { withFolder } from "../support/temporary.ts";

const RANGE = { driver: "/nowhere/libvulkan_none.so", actions: 2, from: 7, to: 9 };

Deno.test(
  "replayed() finds which programs end their process",
  needs("the validation layer", validationManifest()),
  async () => {
    const found = await replayed(RANGE);
    assertEquals(found.map(({ driver, seed }) => [driver, seed]), [[RANGE.driver, 7], [RANGE.driver, 8]]);
    assertStringIncludes(found[0].messages[0], "the process ended with 1: ");
  },
);

Deno.test("replayed() finds nothing where validation is silent", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("the validation layer", validationManifest()).ignore,
}, async () => {
  assertEquals(await replayed({ ...RANGE, driver: lavapipePath()! }), []);
});

Deno.test("Notes keep what was replayed, for the next run", () => {
  withFolder((folder) => {
    const path = `${folder}/notes.jsonl`, found = [{ driver: RANGE.driver, seed: 7, messages: ["VUID-x"] }];
    const notes = new Notes(path);
    assertEquals(notes.has(RANGE), false);
    notes.add(RANGE, found);
    const next = new Notes(path);
    assertEquals([next.has(RANGE), next.has({ ...RANGE, actions: 3 })], [true, false]);
    assertEquals(next.found, found);
  });
});

Deno.test("Notes go on behind a line that was cut off, and one line sums them up", () => {
  withFolder((folder) => {
    const path = `${folder}/notes.jsonl`, other = { ...RANGE, from: 9, to: 12 }, { driver } = RANGE;
    const found = [{ driver, seed: 9, messages: ["VUID-x"] }, { driver, seed: 10, messages: ["SIGSEGV"], ended: true }];
    new Notes(path).add(RANGE, []);
    Deno.writeTextFileSync(path, '{"driver":"/now', { append: true });
    const next = new Notes(path);
    assertEquals([next.has(RANGE), next.has(other)], [true, false]);
    next.add(other, found as Found[]);
    const sum = "5 programs (5 on libvulkan_none.so): 1 with messages, 1 ended their process";
    assertEquals(sumOf(new Notes(path)), sum);
  });
});

Deno.test("random programs have every feature that is counted, and most formats", () => {
  const programs = Array.from({ length: 120 }, (_, seed) => generateProgram(everything(), { seed }));
  const { commands, features, formats } = countedIn(programs);
  assertEquals([...features].filter(([, count]) => count === 0), []);
  assertEquals([...features.keys()], Object.keys(FEATURES));
  for (const command of ["vkCmdWaitEvents", "vkCmdCopyImage2", "vkCmdSetCullMode", "vkCmdExecuteCommands"]) {
    assert(commands.get(command)! > 0, command);
  }
  assert(formats.size > 100, `${formats.size} formats`);
  assertStringIncludes(
    countText({ commands, features, formats }).join("\n"),
    `${commands.get("vkCmdDraw")}  vkCmdDraw`,
  );
});
