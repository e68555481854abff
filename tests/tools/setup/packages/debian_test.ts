import { assertEquals, assertRejects } from "@std/assert";
import { installDebian } from "../../../../tools/setup/packages/debian.ts";

/** Runs `body` with a program of ours as `apt-get`; answers what it was called with, one line a call, options left out. */
async function withApt(script: string, body: () => Promise<void>): Promise<string[]> {
  const folder = Deno.makeTempDirSync(), path = Deno.env.get("PATH")!;
  try {
    const record = `echo "$@" | sed 's/ -.*//' >> ${folder}/calls\n`;
    Deno.writeTextFileSync(`${folder}/apt-get`, `#!/bin/sh\n${record}${script}`, { mode: 0o755 });
    Deno.env.set("PATH", `${folder}:${path}`);
    await body();
    return Deno.readTextFileSync(`${folder}/calls`).trim().split("\n");
  } finally {
    Deno.env.set("PATH", path);
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("installDebian() says how far apt is", async () => {
  const said: string[] = [];
  const script = `case $1 in install)
    echo dlstatus:1:20.4:Retrieving file 1 of 5
    echo pmstatus:libc6-dev:amd64:57.6:Unpacking libc6-dev
    echo something else;; esac`;
  await withApt(script, () => installDebian(["gcc"], (now) => said.push(now)));
  assertEquals(said, ["reading the package lists", "20 % Retrieving file 1 of 5", "58 % Unpacking libc6-dev"]);
});

Deno.test("installDebian() installs the rest when a package is unknown, and names that one", async () => {
  const script = `case "$*" in *strange*) echo "E: Unable to locate package strange" >&2; exit 100;; esac`;
  const calls = await withApt(script, async () => {
    const error = await assertRejects(() => installDebian(["gcc", "strange"]), Error);
    assertEquals(error.message, "Cannot install strange: E: Unable to locate package strange");
  });
  assertEquals(calls, ["update", "install", "install"]);
});

Deno.test("installDebian() tells what apt said about the lists when it cannot install", async () => {
  const script = `echo "E: no network for $1" >&2; exit 100`;
  await withApt(script, async () => {
    const error = await assertRejects(() => installDebian(["gcc", "binutils"]), Error);
    const update = "(apt-get update: E: no network for update)";
    assertEquals(error.message, `Cannot install gcc binutils: E: no network for install ${update}`);
  });
});
