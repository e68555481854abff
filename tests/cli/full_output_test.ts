import { assertEquals, assertMatch } from "@std/assert";
import { openPreset } from "../../cli/layers/presets.ts";
import { Output } from "../../cli/output.ts";
import { NEEDS_TINY, TINY } from "../loader/tiny.ts";
import { run, runDeno } from "../support/subprocess.ts";

const ALL = ["run", "-A", "--no-prompt", "--no-check", "--import-map=tools/offline_import_map.json"];
const FULL = "/dev/full", ON_LINUX = { ignore: Deno.build.os !== "linux" };

Deno.test("on a full disk every command ends with 1 and says so, for files that it writes and for standard output", {
  ...NEEDS_TINY,
  ...ON_LINUX.ignore && ON_LINUX,
}, () => {
  const { code, stdout, output } = runDeno([...ALL, "tests/cli/programs/full_disk.ts", TINY!]);
  assertEquals([code, stdout.trim().split("\n").at(-1)], [0, "[]"], output);
});

Deno.test("a program whose output nobody reads, or nobody can keep, ends with 1 and without a stack", {
  ...NEEDS_TINY,
  ...ON_LINUX.ignore && ON_LINUX,
}, () => {
  const commands = ["--help", `info --json --driver=${TINY}`, `explain --driver=${TINY}`];
  for (const command of commands) {
    const line = `'${Deno.execPath()}' ${ALL.join(" ")} cli.ts ${command}`;
    const closed = run("bash", ["-c", `${line} | sleep 0; echo \${PIPESTATUS[0]}`]);
    assertEquals([closed.stdout.trim(), closed.stderr], ["1", ""], command);
    const full = run("bash", ["-c", `${line} > ${FULL}`]);
    assertEquals([full.code, full.stderr.split("\n").length], [1, 2], full.stderr);
  }
});

Deno.test("Output keeps the code of a command that failed, and waits for a pipe that is full for a moment", () => {
  const written: number[] = [];
  let tries = 0;
  const slow = new Output((bytes) => {
    if (tries++ === 0) throw new Deno.errors.WouldBlock("full");
    written.push(bytes[0]);
    return 1;
  });
  slow.print("ab");
  assertEquals([new TextDecoder().decode(new Uint8Array(written)), slow.end(0, () => {})], ["ab\n", 0]);
  const closed = new Output(() => {
    throw new Deno.errors.BrokenPipe("closed");
  });
  closed.print("a");
  assertEquals([closed.end(0, () => {}), closed.end(2, () => {})], [1, 2]);
});

Deno.test("--layer=trace:FILE on a full disk says so and is not whole", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const trace = await openPreset("trace:/dev/full", () => {});
  trace!.close!();
  assertEquals(trace!.isWhole!(), false);
  assertMatch(trace!.report!(), /^\/dev\/full: not written to the end: .*is the disk full\?$/);
});
