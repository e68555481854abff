import { assertEquals } from "@std/assert";
import { importFlags, wordsOfDeno } from "../../../workbench/process/own_flags.ts";
import { runProgram } from "../../support/subprocess.ts";

Deno.test("importFlags() keeps the flags that decide the meaning of imports, with their values", () => {
  const line = "deno test -P --quiet --import-map=a.json --config b.json --filter x --no-lock --cert c.pem y_test.ts";
  assertEquals(importFlags(line.split(" ")), [
    "--import-map=a.json",
    "--config",
    "b.json",
    "--no-lock",
    "--cert",
    "c.pem",
  ]);
});

Deno.test("wordsOfDeno() leaves out the program and its arguments", () => {
  const flags = ["deno", "run", "-A", "--config", "a.json"], here = `file://${Deno.cwd()}/cli.ts`;
  for (
    const [words, program] of [
      [["jsr:@pumice/gfx/cli", "exec", "--", "sh", "-c", "true"], "jsr:@pumice/gfx/cli"],
      [["cli.ts", "exec", "-c", "x"], here],
      [["./cli.ts"], here],
      [["--", "-c", "x"], "file:///elsewhere.ts"],
      [[], here],
    ] as const
  ) assertEquals(wordsOfDeno([...flags, ...words], program), flags);
});

/** The flags that a process gives on which was started with these, and without the right to the network. */
function ownFlagsOf(flags: string[]): string[] {
  const { code, stdout, output } = runProgram("tests/workbench/runs/testing/programs/own_flags.ts", [], { flags });
  assertEquals(code, 0, output);
  return JSON.parse(stdout);
}

Deno.test("ownFlags() gives a process's rights on, and names the configuration of the file", () => {
  const flags = ownFlagsOf([]), root = new URL("../../../", import.meta.url).pathname;
  assertEquals(flags.filter((flag) => flag.startsWith("--config")), [`--config=${root}deno.json`]);
  assertEquals(flags.filter((flag) => /^--allow-(ffi|net)$/.test(flag)), ["--allow-ffi"]);
});

Deno.test("ownFlags() names no configuration where the process was told of one, or of none", () => {
  assertEquals(ownFlagsOf(["--no-config"]).filter((flag) => flag.includes("config")), ["--no-config"]);
});
