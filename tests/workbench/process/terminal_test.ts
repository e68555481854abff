import { assert, assertEquals } from "@std/assert";
import { fold } from "../../../workbench/process/terminal.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { run } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";

const COLUMNS = 40, END = "the end of";
const isThere = run("sh", ["-c", "command -v script"]).code === 0;
// deno-lint-ignore no-control-regex -- the codes of colours
const plain = (text: string) => text.replace(/\x1b\[[\d;]*m/g, "");
const driver = lavapipePath();

/** The output of commands on a terminal of 40 columns, by their arguments. */
function onTerminal(commands: readonly string[], env: Record<string, string>, columns = COLUMNS): Map<string, string> {
  const flags = "--no-prompt --no-check --import-map=tools/offline_import_map.json";
  const deno = `'${Deno.execPath()}' run -A ${flags} cli.ts`;
  const lines = commands.map((each) => `${deno} ${each} 2>/dev/null; echo '${END}' "${each}"`);
  const { stdout } = run("script", ["-qec", [`stty cols ${columns}`, ...lines].join("\n"), "/dev/null"], {
    env: { SHELL: "/bin/sh", TERM: "xterm", ...env },
    without: /^NO_COLOR$/,
  });
  const parts = stdout.replaceAll("\r", "").split(new RegExp(`${END} (.*)\n`));
  return new Map(commands.map((each) => [each, parts[parts.indexOf(each) - 1]]));
}

Deno.test("fold() keeps to a width, loses no word, and leaves what is short enough", () => {
  const text = "  --out FILE  the \x1b[32mfile\x1b[39m for the trace\n\nA sentence that is a little longer\n  none";
  for (const width of [16, 20, 28, 36, 80]) {
    const folded = fold(text, width), words = (each: string) => each.split(/\s+/);
    assertEquals(words(folded), words(text));
    assert(plain(folded).split("\n").every((line) => line.length <= width), folded);
  }
  assertEquals(fold(text, 80), text);
  assertEquals(fold("  name  one two three four five six seven eight", 34).split("\n")[1], "        six seven eight");
  assertEquals(fold("  name  one two three four five", 24), "  name\n    one two three four\n    five");
  assertEquals(fold(`${" ".repeat(60)}far  away`, 20), "far\n  away");
  assertEquals(fold("anextraordinarilylongword and", 16), "anextraordinarilylongword\nand");
});

Deno.test("what the command line prints keeps to a terminal of 40 columns, with and without colours", {
  ...needs("Mesa lavapipe, and script of bsdutils", driver && isThere),
}, () => {
  withFolder((folder) => {
    const file = `${folder}/other.json`, own = `--driver=${driver}`;
    Deno.writeTextFileSync(file, JSON.stringify(changedReport()));
    const check = `check ${own} --only=vulkan`;
    const commands = [
      "--help",
      "trace --help",
      check,
      `info ${own}`,
      `info ${own} --diff=${file}`,
      `explain ${own}`,
      "deqp --level=2023-03-01",
      `run examples/compute.ts ${own} --layer=profile --layer=leaks`,
    ];
    const colored = onTerminal(commands, {}), bare = onTerminal([check], { NO_COLOR: "1" });
    for (const [command, text] of [...colored, ...bare]) {
      assert(text.trim().split("\n").length > 1, `${command}: ${text}`);
      const own = command.startsWith("run ") ? text.slice(text.indexOf(" calls of ")) : text; // the script's lines are its own
      const wide = plain(own).split("\n").filter((line) => line.length > COLUMNS && line.trim().includes(" "));
      assertEquals(wide, [], command);
    }
    assert(colored.get(check)!.includes("\x1b[32mpassed\x1b[39m"));
    assertEquals(bare.get(check)!.includes("\x1b"), false);
  });

  function changedReport(): unknown {
    const args = ["run", "-A", "--no-check", "--import-map=tools/offline_import_map.json", "cli.ts", "info", "--json"];
    const report = JSON.parse(run(Deno.execPath(), [...args, `--driver=${driver}`]).stdout);
    report.devices[0].properties.limits.maxImageDimension2D = 1;
    report.devices[0].properties.deviceName = "a device whose name is longer than a line";
    return report;
  }
});

Deno.test("a terminal of 0 columns, which does not tell its width, shows all", {
  ...needs("Mesa lavapipe, and script of bsdutils", driver && isThere),
}, () => {
  const commands = ["--help", `explain --driver=${driver}`, "check --only=composer --failures"];
  const shown = onTerminal(commands, {}, 0), wide = onTerminal(commands, {}, 400);
  for (const command of commands.slice(0, 2)) assertEquals(shown.get(command), wide.get(command));
  assert(shown.get(commands[2])!.split("\n").length < 20, shown.get(commands[2]));
});

Deno.test("FORCE_COLOR has colours where there is no terminal, NO_COLOR none on a terminal", {
  ...needs("script of bsdutils", isThere),
}, () => {
  const check = "check --only=composer",
    flags = ["run", "-A", "--no-check", "--import-map=tools/offline_import_map.json"];
  const piped = (env: Record<string, string>) =>
    run(Deno.execPath(), [...flags, "cli.ts", ...check.split(" ")], { env, without: /^(NO|FORCE)_COLOR$/ }).stdout;
  assertEquals(piped({}).includes("\x1b["), false);
  assert(piped({ FORCE_COLOR: "1" }).includes("\x1b["));
  assertEquals(onTerminal([check], { NO_COLOR: "1" }).get(check)!.includes("\x1b[32m"), false);
});

Deno.test(
  "data are not broken into lines",
  { ...needs("Mesa lavapipe, and script of bsdutils", driver && isThere) },
  () => {
    const json = `explain --driver=${driver} --json`;
    assertEquals(JSON.parse(onTerminal([json], {}).get(json)!).driver, driver);
  },
);
