import { assert, assertEquals, assertFalse, assertMatch, assertThrows } from "@std/assert";
import { isRefusal, refusalText } from "../../workbench/process/exit_code.ts";
import { commandLine as cli } from "../support/command_line.ts";
import { withFolderAsync } from "../support/temporary.ts";

/** Command lines with `FOLDER`, which is a folder, and `NOWHERE`, a file in a folder that is not there. */
const ROWS: readonly [args: string[], code: number, message: RegExp][] = [
  [["run", "FOLDER"], 2, /^run: ".*" is a folder; give a file$/],
  [["trace", "FOLDER"], 2, /^trace: ".*" is a folder; give a file$/],
  [["record", "FOLDER"], 2, /^record: ".*" is a folder; give a file$/],
  [["replay", "FOLDER"], 2, /^replay: ".*" is a folder; give a file$/],
  [["replay", "NOWHERE"], 2, /^replay: ".*" is not there$/],
  [["trace", "SCRIPT", "--out=FOLDER"], 1, /^trace: cannot open ".*": Is a directory$/],
  [["trace", "SCRIPT", "--text", "--out=FOLDER"], 1, /^trace: cannot open ".*": Is a directory$/],
  [["trace", "SCRIPT", "--perfetto=FOLDER"], 1, /^trace: cannot open ".*": Is a directory$/],
  [["trace", "SCRIPT", "--out=NOWHERE"], 2, /^trace: cannot open ".*nowhere.*": No such file or directory$/],
  [["record", "SCRIPT", "--out=FOLDER"], 1, /^record: cannot open ".*": Is a directory$/],
  [["compose", "--frames=1", "--perfetto=FOLDER"], 1, /^compose: cannot open ".*": Is a directory$/],
  [["compose", "--frames=1", "--driver=NOWHERE"], 2, /NOWHERE|Cannot use/],
];

Deno.test("cli says in one sentence which file it cannot read or write", async () => {
  await withFolderAsync(async (folder) => {
    Deno.writeTextFileSync(`${folder}/script.ts`, "");
    const places: Record<string, string> = {
      FOLDER: folder,
      NOWHERE: `${folder}/nowhere/file.so`,
      SCRIPT: `${folder}/script.ts`,
    };
    for (const [args, code, message] of ROWS) {
      const given = args.map((arg) => arg.replace(/FOLDER|NOWHERE|SCRIPT/, (place) => places[place]));
      const outcome = await cli(...given), [sentence] = outcome.text.split("\n");
      assertEquals([args, outcome.code], [args, code], outcome.text);
      assertMatch(sentence, message);
    }
    assertThrows(() => Deno.statSync(`${folder}.data`), Deno.errors.NotFound);
  });
});

Deno.test("what the system refuses without a class of its own, such as a full disk, is a refusal in words, too", () => {
  const full = Object.assign(new Error("No space left on device (os error 28): writefile '/out'"), { code: "ENOSPC" });
  assert(isRefusal(full));
  assertEquals(refusalText(full), 'cannot write "/out": No space left on device');
  for (const other of [new Error("a fault"), Object.assign(new Error("a fault"), { code: "ERR_INVALID" })]) {
    assertFalse(isRefusal(other));
  }
});
