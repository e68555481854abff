import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { denoHost, isElevated } from "../../../../loader/driver/host/host.ts";
import { run, runProgram } from "../../../support/subprocess.ts";
import { withEnvironment, withFolder } from "../../../support/temporary.ts";
import { fakeHost, SETUID } from "../fake_host.ts";

Deno.test("denoHost() sees this process", () => {
  const host = denoHost(), { uid, gid } = host.identity();
  assertEquals([uid, gid], [Deno.uid(), Deno.gid()]);
  assertEquals(isElevated(host), false);
  withEnvironment({ PUMICE_TEST: "set" }, () => assertEquals(host.env("PUMICE_TEST"), "set"));
  assertEquals(host.env("PUMICE_TEST_UNSET"), undefined);
});

Deno.test("denoHost() tells files, folders and other things apart, through links", () => {
  withFolder((folder) => {
    const host = denoHost();
    Deno.writeTextFileSync(`${folder}/file`, "text");
    Deno.symlinkSync(`${folder}/file`, `${folder}/link`);
    const kinds = ["", "/file", "/link", "/nothing", "/file/below"].map((name) => host.exists(folder + name));
    assertEquals(kinds, ["folder", "file", "file", undefined, undefined]);
    assertEquals(host.exists("/dev/null"), "other");
    assertEquals(host.readDir(folder).sort(), ["file", "link"]);
    assertEquals(host.realPath(`${folder}/link`), `${host.realPath(folder)}/file`);
    assertThrows(() => host.readFile(`${folder}/nothing`), Deno.errors.NotFound);
  });
});

Deno.test("isElevated() goes by users, groups and the kernel's mark", () => {
  const ordinary = { ...SETUID, euid: SETUID.uid };
  assertEquals(isElevated(fakeHost({ identity: ordinary })), false);
  assert(isElevated(fakeHost({ identity: SETUID })));
  assert(isElevated(fakeHost({ identity: { ...ordinary, egid: 0 } })));
  assert(isElevated(fakeHost({ identity: { ...ordinary, secure: true } })));
});

Deno.test("a variable that may not be read counts as unset, and that is said", () => {
  const { stdout } = runProgram("cli.ts", ["explain", "--json"], {
    flags: ["--deny-env=VK_DRIVER_FILES"],
    env: { VK_DRIVER_FILES: "/nowhere", VK_ICD_FILENAMES: "/nowhere/else.json" },
  });
  const said = JSON.parse(stdout).findings.filter(({ subject }: { subject: string }) => subject === "variable");
  assertEquals(said.map(({ path, taken }: { path: string; taken: boolean }) => [path, taken]), [
    ["VK_DRIVER_FILES", false],
    ["VK_ICD_FILENAMES", true],
  ]);
  assertStringIncludes(said[0].reason, "--allow-env=VK_DRIVER_FILES");
});

const FIND = "tests/loader/driver/programs/find.ts";

Deno.test("what permissions hide of the drivers is said, with the flags that show it", () => {
  const { stdout } = runProgram(FIND, [], { flags: ["--deny-read=/etc,/usr", "--deny-env=VK_DRIVER_FILES"] });
  assertMatch(
    stdout,
    /folders of driver manifests \(\/\S+ and \d+ more\) may not be read; allow it with --allow-read \(/,
  );
  assertMatch(stdout, /--allow-env.* or name its library with the driver option/);
  assertEquals(stdout.includes("install"), false);
});

Deno.test("a variable that is not UTF-8 counts, and what it names is refused in words", () => {
  for (const name of ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]) {
    const line = `${name}=$(printf '/nowhere/\\377.json') exec "$@"`;
    const { stdout } = run("sh", ["-c", line, "sh", Deno.execPath(), "run", "-A", "--no-check", FIND], {
      without: /^VK_/,
      seconds: 60,
    });
    assertStringIncludes(stdout, '/nowhere/\uFFFD.json": has bytes that are not UTF-8');
  }
});
