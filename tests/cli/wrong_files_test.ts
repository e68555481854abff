import { assert, assertEquals, assertFalse, assertMatch, assertThrows } from "@std/assert";
import { COMMANDS } from "../../cli/commands.ts";
import { isRefusal, refusalText } from "../../workbench/process/exit_code.ts";
import { onPath } from "../../tools/setup/files.ts";
import { NEEDS_TINY } from "../loader/tiny.ts";
import { commandLine as cli } from "../support/command_line.ts";
import { needs } from "../support/require.ts";
import { run } from "../support/subprocess.ts";
import { withFolderAsync } from "../support/temporary.ts";
import { LINES, writeWrong, wrongLines } from "./wrong_lines.ts";

/** Commands that read no file that a user names. */
const WITHOUT_FILES = ["help", "version", "completions"];
/** Writing below `/dev/full` and the like needs the right to read what others may not. */
const RIGHTS = "--bounding-set=-dac_override,-dac_read_search";

for (const wrong of ["missing", "folder", "garbage"] as const) {
  Deno.test(
    `every command says on standard error, in a sentence and with 2, that a file is wrong: ${wrong}`,
    NEEDS_TINY,
    () =>
      withFolderAsync(async (folder) => {
        writeWrong(folder);
        assertEquals(await wrongLines(folder, wrong), []);
      }),
  );
}

Deno.test(
  "every command says on standard error, in a sentence and with 2, that a file may not be read",
  { ...needs("setpriv, for superusers", NEEDS_TINY.ignore ? undefined : Deno.uid() !== 0 || onPath("setpriv")) },
  () =>
    withFolderAsync((folder) => {
      writeWrong(folder);
      const module = new URL("wrong_lines.ts", import.meta.url).href;
      const script = `${folder}/child.ts`;
      Deno.writeTextFileSync(
        script,
        `import { wrongLines } from "${module}"; console.log(JSON.stringify(await wrongLines("${folder}", "unreadable")));`,
      );
      const deno = [Deno.execPath(), "run", "-A", "--no-check", `--config=${Deno.cwd()}/deno.json`, script];
      const line = Deno.uid() === 0 ? ["setpriv", RIGHTS, ...deno] : deno;
      const { stdout, output } = run(line[0], line.slice(1));
      assertEquals(stdout.trim().split("\n").at(-1), "[]", output);
      return Promise.resolve();
    }),
);

Deno.test("every command that takes a file has a line of a wrong file", () => {
  const all = [...COMMANDS.keys()].filter((name) => !WITHOUT_FILES.includes(name));
  assertEquals(all.filter((name) => !(name in LINES)), []);
});

/** Command lines with `FOLDER`, which is a folder, and `NOWHERE`, a file in a folder that is not there. */
const ROWS: readonly [args: string[], message: RegExp][] = [
  [["trace", "SCRIPT", "--out=FOLDER"], /^trace: ".*" is a folder; give a file$/],
  [["trace", "SCRIPT", "--text", "--out=FOLDER"], /^trace: ".*" is a folder; give a file$/],
  [["trace", "SCRIPT", "--perfetto=FOLDER"], /^trace: ".*" is a folder; give a file$/],
  [["trace", "SCRIPT", "--out=NOWHERE"], /^trace: ".*nowhere.*" cannot be made or opened: its folder, or the file, is/],
  [["record", "SCRIPT", "--out=FOLDER"], /^record: ".*" is a folder; give a file$/],
  [["compose", "--frames=1", "--perfetto=FOLDER"], /^compose: ".*" is a folder; give a file$/],
  [["compose", "--frames=1", "--driver=NOWHERE"], /NOWHERE|Cannot use/],
];

Deno.test("cli says in one sentence which file it cannot write", async () => {
  await withFolderAsync(async (folder) => {
    Deno.writeTextFileSync(`${folder}/script.ts`, "");
    const places: Record<string, string> = {
      FOLDER: folder,
      NOWHERE: `${folder}/nowhere/file.so`,
      SCRIPT: `${folder}/script.ts`,
    };
    for (const [args, message] of ROWS) {
      const given = args.map((arg) => arg.replace(/FOLDER|NOWHERE|SCRIPT/, (place) => places[place]));
      const outcome = await cli(...given), [sentence] = outcome.text.split("\n");
      assertEquals([args, outcome.code], [args, 2], outcome.text);
      assertMatch(sentence, message);
    }
    assertThrows(() => Deno.statSync(`${folder}.data`), Deno.errors.NotFound);
  });
});

Deno.test("what the system refuses without a class of its own, such as a full disk, is a refusal in words, too", () => {
  const full = Object.assign(new Error("No space left on device (os error 28): writefile '/out'"), { code: "ENOSPC" });
  assert(isRefusal(full));
  assertEquals(refusalText(full), '"/out" is on a full disk; make room, or give another path');
  for (const other of [new Error("a fault"), Object.assign(new Error("a fault"), { code: "ERR_INVALID" })]) {
    assertFalse(isRefusal(other));
  }
});
