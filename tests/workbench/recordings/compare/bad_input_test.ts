import { assertEquals, assertRejects } from "@std/assert";
import { compareDrivers } from "../../../../workbench/recordings/mod.ts";
import { RecordingError } from "../../../../workbench/layers.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { recordDemo } from "../replay/recorded.ts";
import { commandLine } from "../../../support/command_line.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const LACKING = new URL("programs/lacking_layer.ts", import.meta.url).pathname;

/** The changes of a recording's text, and the words of the error. */
const SPOILED: readonly (readonly [string, (text: string) => string, string])[] = [
  ["empty", () => "", "its first line does not say that it is a recording"],
  ["a header alone", (text) => text.slice(0, text.indexOf("\n") + 1), "it was cut"],
  ["cut in a line", (text) => text.slice(0, text.length >> 1), "it was cut"],
  ["cut behind a line", (text) => text.slice(0, text.lastIndexOf("\n", text.length >> 1) + 1), "it was cut"],
  ["of another version", (text) => text.replace('"version":1', '"version":9'), "it is of version 9"],
];

Deno.test(
  "compareDrivers() refuses recordings that cannot be replayed, and leaves nothing behind",
  LAVAPIPE,
  async () => {
    await withFolderAsync(async (folder) => {
      const driver = lavapipePath()!,
        one = { driver },
        recording = `${folder}/demo.jsonl`,
        before = Deno.env.get("TMPDIR");
      recordDemo(recording, driver);
      const text = Deno.readTextFileSync(recording), spoiled = `${folder}/spoiled.jsonl`, resume = `${folder}/resume`;
      Deno.env.set("TMPDIR", folder);
      try {
        for (const [name, spoil, words] of SPOILED) {
          Deno.writeTextFileSync(spoiled, spoil(text));
          await assertRejects(() => compareDrivers(spoiled, [one, one], { resume }), RecordingError, words, name);
        }
        Deno.writeTextFileSync(spoiled, text);
        await assertRejects(
          () => compareDrivers(spoiled, [one, one]),
          RecordingError,
          "keep the folder beside its recording",
        );
        const lacking = [one, { driver, layers: [LACKING] }] as const;
        await assertRejects(
          () => compareDrivers(recording, lacking, { resume }),
          RecordingError,
          "B: llvmpipe",
        );
      } finally {
        if (before === undefined) Deno.env.delete("TMPDIR");
        else Deno.env.set("TMPDIR", before);
      }
      const left = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
      assertEquals(left, ["demo.jsonl", "demo.jsonl.data", "spoiled.jsonl"]);
    });
  },
);

Deno.test(
  "cli compare refuses reports and progress that cannot be written before it replays anything",
  LAVAPIPE,
  async () => {
    await withFolderAsync(async (folder) => {
      const both = Array(2).fill(`--driver=${lavapipePath()}`), spoiled = `${folder}/spoiled.jsonl`;
      Deno.writeTextFileSync(spoiled, "{}");
      Deno.mkdirSync(`${folder}/page/finding.html`, { recursive: true });
      for (
        const [option, words] of [
          [`--html=${folder}/page`, "is a folder; give a file"],
          [`--html=${spoiled}/page`, "which is no folder"],
          [`--html=${folder}/new`, "its first line does not say"],
          [`--resume=${folder}/page`, "its first line does not say"],
        ]
      ) {
        const { code, text, stdout } = await commandLine("compare", spoiled, ...both, option);
        assertEquals([code, text.includes(words), stdout], [2, true, ""], text);
      }
      assertEquals([...Deno.readDirSync(`${folder}/new`)], []);
    });
  },
);
