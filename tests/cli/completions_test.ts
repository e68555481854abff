import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../cli/commands.ts";
import { onPath } from "../../tools/setup/files.ts";
import { commandLine as cli } from "../support/command_line.ts";
import { needs } from "../support/require.ts";
import { run } from "../support/subprocess.ts";
import { withFolderAsync } from "../support/temporary.ts";

/** Words up to where Tab is pressed, and what a shell then offers or makes of the last one. */
const ROWS: readonly [line: string[], offered: string[]][] = [
  [["inf"], ["info"]],
  [["record"], ["record", "recording"]],
  [["info", "--dr"], ["--driver="]],
  [["replay", "--dif"], ["--diff"]],
  [["completions", ""], ["bash", "fish", "zsh"]],
  [["help", "comple"], ["completions"]],
  [["recording", "v"], ["verify"]],
];

/** Writes a shell's script into a folder and calls `use` with the script's path. */
function withScript(shell: string, use: (path: string, folder: string) => void): Promise<void> {
  return withFolderAsync(async (folder) => {
    const { code, text } = await cli("completions", shell), path = `${folder}/script`;
    assertEquals(code, 0);
    Deno.writeTextFileSync(path, text);
    Deno.writeTextFileSync(`${folder}/recording.jsonl`, "");
    use(path, folder);
  });
}

function words(text: string): string[] {
  return text.split("\n").filter(Boolean).sort();
}

Deno.test(
  "completions bash offers commands, options and values in bash",
  needs("bash", onPath("bash")),
  () =>
    withScript("bash", (path) => {
      const offer = (...line: string[]) => {
        const list = ["pumice", ...line].map((word) => `'${word}'`).join(" ");
        const program =
          `. ${path}; COMP_WORDS=(${list}); COMP_CWORD=${line.length}; _pumice; printf '%s\\n' "\${COMPREPLY[@]}"`;
        const { stdout, stderr } = run("bash", ["--norc", "-c", program]);
        assertEquals(stderr, "");
        return words(stdout);
      };
      for (const [line, offered] of ROWS) assertEquals(offer(...line), offered, line.join(" "));
      assertEquals(offer("info", "--platform", "=", "a"), ["android"]); // bash parts words at =
      assertEquals(offer("info", "--platform", "="), ["android", "linux"]);
      assertEquals(offer("exec", "--", "--lay"), [], "what follows -- is not ours");
      assertEquals(offer("info", "--diff", "=", "x"), [], "bash itself offers files");
    }),
);

Deno.test(
  "completions fish offers commands, options, values and files in fish",
  needs("fish", onPath("fish")),
  () =>
    withScript("fish", (path, folder) => {
      const offer = (line: string) => {
        const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, TERM: "dumb" };
        const program = `cd ${folder}; source ${path}; complete -C 'pumice ${line}'`;
        const { stdout, output } = run("fish", ["--no-config", "-c", program], { env });
        return [words(stdout).map((each) => each.split("\t")[0]), output] as const;
      };
      for (const [line, offered] of ROWS) {
        const [found, output] = offer(line.join(" "));
        assertEquals(found, offered.map((each) => each.replace("=", "")), output);
      }
      assertEquals(offer("info --platform=")[0], ["--platform=android", "--platform=linux"]);
      assertEquals(offer("replay recor")[0], ["recording.jsonl"]);
    }),
);

Deno.test(
  "completions zsh completes commands, options, values and files in zsh",
  needs("zsh", onPath("zsh")),
  () =>
    withScript("zsh", (path, folder) => {
      const typed = [...ROWS.filter(([, offered]) => offered.length === 1), [["replay", "recor"], ["recording.jsonl"]]];
      typed.push([["info", "--platform=an"], ["--platform=android"]]);
      for (const [line, [completed]] of typed) {
        const { stdout, output } = run("zsh", ["-f", "-c", typing(path, folder, (line as string[]).join(" "))], {
          seconds: 30,
          env: { HOME: folder, TERM: "dumb" },
        });
        const expected = ["pumice", ...(line as string[]).slice(0, -1), completed].join(" ");
        assertEquals(/GOT:(.*?) *:/.exec(stdout)?.[1], expected.slice("pumice ".length).replace(/=$/, ""), output);
      }
    }),
);

/** A program of zsh that types a line and Tab into another zsh at a terminal. */
function typing(path: string, folder: string, line: string): string {
  const setUp = `cd ${folder}; PROMPT=; autoload -Uz compinit; compinit -u -D; source ${path}; ` +
    `pumice() { print -r -- "G""OT:$*:" }; print REA""DY`;
  return `zmodload zsh/zpty
zpty typist zsh -f -i
zpty -w typist '${setUp.replaceAll("'", `'\\''`)}'
zpty -r typist first '*READY*'
zpty -w -n typist $'pumice ${line}\\t\\n'
zpty -r typist last '*GOT:*:*'
print -r -- "$last"
zpty -d typist`;
}

Deno.test("completions of all shells have every command and each of its options", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { text } = await cli("completions", shell);
    for (const [name, { options }] of COMMANDS) {
      assertMatch(text, new RegExp(`\\b${name}\\b`));
      for (const option of Object.keys(options)) assertStringIncludes(text, option);
    }
  }
  const wrong = await cli("completions", "csh");
  assertEquals([wrong.code, wrong.text.split("\n")[0]], [2, 'completions: "csh" is not known; give bash, zsh, fish']);
});

Deno.test("help COMMAND is COMMAND --help, version is --version, and help names a command that was meant", async () => {
  for (const name of COMMANDS.keys()) {
    const [one, other] = [await cli("help", name), await cli(name, "--help")];
    assertEquals([one.code, one.stdout], [0, other.stdout]);
    assert(one.stdout.startsWith(`Usage: pumice ${name}`));
  }
  assertEquals((await cli("help")).stdout, (await cli("--help")).stdout);
  assertEquals((await cli("version")).stdout, (await cli("--version")).stdout);
  const wrong = await cli("help", "inof");
  assertEquals([wrong.code, wrong.text.split("\n")[0]], [2, 'There is no command "inof": did you mean info?']);
});
