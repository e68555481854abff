import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { compareDrivers } from "../../../../workbench/recordings/mod.ts";
import { RecordingError } from "../../../../workbench/layers.ts";
import { VK_FORMAT_R16G16B16A16_SFLOAT } from "../../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { DemoRecordings } from "../replay/demo_recordings.ts";
import { commandLine } from "../../../support/command_line.ts";
import { programsOf } from "../../../support/pages.ts";
import { runPasted } from "../../../support/pasted.ts";
import { runProgram } from "../../../support/subprocess.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const DEMOS = new DemoRecordings();
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), SWIFTSHADER = needs("SwiftShader", swiftshaderPath());
const PROGRAMS = new URL("programs/", import.meta.url).pathname;
const DROPPED = JSON.stringify({ command: "vkCmdDraw", nth: 0, change: "drop" });

Deno.test(
  "compareDrivers() says at which line a driver crashed or hung, and leaves nothing behind",
  LAVAPIPE,
  async () => {
    await withFolderAsync(async (folder) => {
      const driver = lavapipePath()!, recording = `${folder}/demo.jsonl`;
      DEMOS.write(recording, driver);
      const text = Deno.readTextFileSync(recording).split("\n");
      const line = 1 + text.findIndex((each) => each.includes('"vkCmdDraw"'));
      for (
        const [signal, kind, words] of [["SIGKILL", "crashed", /SIGKILL/], [
          "SIGSTOP",
          "timed out",
          /no answer/,
        ]] as const
      ) {
        Deno.env.set("ENDS", signal);
        Deno.env.set("TMPDIR", folder);
        const drivers = [{ driver }, { driver, layers: [`${PROGRAMS}ending_layer.ts`] }] as const;
        const { finding } = await compareDrivers(recording, drivers, { timeout: 8000 });
        assertEquals([finding?.kind, finding?.side, finding?.line], [kind, 1, line]);
        assertMatch(finding!.reason!, words);
      }
      Deno.env.delete("TMPDIR");
      assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["demo.jsonl", "demo.jsonl.data"]);
    });
  },
);

Deno.test("compareDrivers() refuses what cannot be replayed or loaded, by name", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const driver = lavapipePath()!, recording = `${folder}/demo.jsonl`, one = { driver };
    DEMOS.write(recording, driver);
    await assertRejects(() => compareDrivers("/nowhere.jsonl", [one, one]), RecordingError, "/nowhere.jsonl");
    await assertRejects(() => compareDrivers("/etc/passwd", [one, one]), RecordingError, "its first line");
    await assertRejects(() => compareDrivers(recording, [one, { driver: "/nowhere.so" }]), TypeError, "/nowhere.so");
    const layers = [`${PROGRAMS}../compare_drivers_test.ts`];
    await assertRejects(
      () => compareDrivers(recording, [one, { driver, layers }]),
      TypeError,
      "as a layer: it exports",
    );
    const away = { driver, layers: ["/nowhere.ts"] }, sentence = 'Cannot load the layer "/nowhere.ts"';
    await assertRejects(() => compareDrivers(recording, [one, away]), TypeError, sentence);
    await assertRejects(() => compareDrivers(recording, [one] as never), TypeError, "Cannot compare 1 drivers");
    await assertRejects(() => compareDrivers(recording, [one, one], { share: 2 }), TypeError, "a number from 0 to 1");
    Deno.writeTextFileSync(recording, Deno.readTextFileSync(recording).replace("VkBuffer#1", "VkBuffer#9"));
    await assertRejects(() => compareDrivers(recording, [one, one]), RecordingError, "it was changed");
  });
});

Deno.test(
  "compareDrivers() finds that lavapipe and SwiftShader agree on the demo's copies and depth, but for edges",
  { ignore: LAVAPIPE.ignore || SWIFTSHADER.ignore },
  async () => {
    await withFolderAsync(async (folder) => {
      const recording = `${folder}/demo.jsonl`, drivers = [lavapipePath()!, swiftshaderPath()!] as const;
      DEMOS.write(recording, drivers[0]);
      const sides = [{ driver: drivers[0] }, { driver: drivers[1] }] as const;
      const strict = await compareDrivers(recording, sides, { bisect: false });
      assertEquals([strict.finding?.kind, strict.finding?.submission, strict.replays], ["differs", 1, 1]);
      assertEquals(strict.drivers.map((each) => /llvmpipe|SwiftShader/.exec(each!.deviceName)?.[0]), [
        "llvmpipe",
        "SwiftShader",
      ]);
      const loose = await compareDrivers(recording, sides, {
        bisect: false,
        share: 0.5,
        steps: { [VK_FORMAT_R16G16B16A16_SFLOAT]: 65535 },
      });
      // The rest is a buffer of colours, whose bytes are compared one by one.
      assertEquals(loose.finding?.differences.map(({ piece }) => piece.name), ["VkBuffer#5"]);
    });
  },
);

Deno.test("cli compare prints the command, its exit code says whether something differs", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const driver = lavapipePath()!,
      recording = `${folder}/demo.jsonl`,
      both = [`--driver=${driver}`, `--driver=${driver}`];
    DEMOS.write(recording, driver);
    const cli = (...args: string[]) => runProgram("cli.ts", ["compare", ...args], { env: { PLANT: DROPPED } });
    const same = cli(recording, ...both), layer = `--layer-b=${PROGRAMS}planted_layer.ts`;
    assertEquals([same.code, same.stdout.trim().split("\n").at(-1)], [0, "no difference"]);
    const found = cli(recording, ...both, layer);
    assertEquals(found.code, 1, found.output);
    assertMatch(found.stdout, /first command that differs: vkCmdDraw, at line \d+, action 7 of 10 of the submission/);
    assertMatch(found.stdout, /attachment 0: VkImage#3\n/);
    const { finding } = JSON.parse(cli(recording, ...both, layer, "--json").stdout);
    assertEquals([finding.action.command, finding.contents], ["vkCmdDraw", undefined]);
    for (
      const [args, words] of [
        [[recording, both[0]], "1 driver is given; give two"],
        [["/nowhere.jsonl", ...both], "is not there"],
        [[recording, ...both, "--share=much"], "no number above 0"],
        [[recording, ...both, "--steps=RGBA=1"], "no format with a number"],
        [[`${PROGRAMS}planted_layer.ts`, ...both], "its first line does not say"],
      ] as const
    ) {
      const { code, text, stdout } = await commandLine("compare", ...args);
      assertEquals([code, stdout, text.includes(words)], [2, "", true], text);
    }
  });
});

Deno.test("docs/where-drivers-part.md: the program names the dropped draw", LAVAPIPE, async () => {
  await withFolderAsync((folder) => {
    const driver = lavapipePath()!, recording = `${folder}/demo.jsonl`;
    DEMOS.write(recording, driver);
    const [{ source }] = programsOf("where-drivers-part");
    const args = JSON.stringify([recording, driver, `${PROGRAMS}planted_layer.ts`]);
    Deno.env.set("PLANT", DROPPED);
    const { code, stdout, output } = runPasted(source.replace("Deno.args", args));
    assertEquals([code, stdout.trim().split("\n").at(-1)], [0, "vkCmdDraw"], output);
    return Promise.resolve();
  });
});
