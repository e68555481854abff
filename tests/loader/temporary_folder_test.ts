import { assertEquals, assertThrows } from "@std/assert";
import { sweepFolders, temporaryFolder } from "../../loader/temporary_folder.ts";
import { withEnvironment, withFolder } from "../support/temporary.ts";

function namesIn(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
}

/** A folder as a killed process leaves one behind, with a file. */
function leave(path: string): void {
  Deno.mkdirSync(path);
  Deno.writeTextFileSync(`${path}/file`, "");
}

Deno.test("temporaryFolder() makes a folder that ends once, with what is in it", () => {
  withFolder((dir) => {
    const folder = temporaryFolder("test", dir);
    Deno.writeTextFileSync(`${folder.path}/file`, "");
    assertEquals(namesIn(dir).length, 1);
    folder[Symbol.dispose]();
    folder[Symbol.dispose]();
    assertEquals(namesIn(dir), []);
  });
});

Deno.test("temporaryFolder() removes folders of processes that are gone, and nothing else", () => {
  withFolder((dir) => {
    const others = ["pumice-test-results", "pumice-test-0123456789abcdef", "small.jsonl.data"];
    for (const name of [...others, ".pumice-gone-0123456789abcdef.tmp", "pumice-gone-89abcdef.tmp"]) {
      leave(`${dir}/${name}`);
    }
    using living = temporaryFolder("test", dir);
    using second = temporaryFolder("test", dir);
    const names = [living, second].map(({ path }) => path.slice(dir.length + 1));
    assertEquals(namesIn(dir), [...others, ...names].sort());
  });
});

Deno.test("sweepFolders() leaves folders of living processes, and removes them when their process is gone", async () => {
  const module = import.meta.resolve("../../loader/temporary_folder.ts");
  const dir = Deno.makeTempDirSync();
  try {
    const program = `import { temporaryFolder } from "${module}";
      temporaryFolder("test", ${JSON.stringify(dir)});
      console.log("made");
      await Deno.stdin.read(new Uint8Array(1));`;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", program],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const answer = child.stdout.getReader();
    await answer.read();
    sweepFolders(dir);
    assertEquals(namesIn(dir).length, 1);
    child.kill("SIGKILL");
    await child.status;
    await answer.cancel();
    await child.stdin.close().catch(() => {});
    sweepFolders(dir);
    assertEquals(namesIn(dir), []);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("temporaryFolder() says when the place is not there", () => {
  assertThrows(() => temporaryFolder("test", "/nowhere/at/all"), Deno.errors.NotFound);
  withEnvironment({ TMPDIR: "/nowhere/at/all" }, () => {
    assertThrows(() => temporaryFolder("test"), Deno.errors.NotFound, "set TMPDIR to a folder that is there");
  });
});
