import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { exportLibrary } from "../../../ffi/functions/exported.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { openFiles, openFilesNamed } from "../../support/open_files.ts";
import { runProgram } from "../../support/subprocess.ts";
import { fixture, NEEDS_FIXTURE } from "../fixture.ts";

Deno.test("loaded images keep no file open, and are told apart where file numbers come again", NEEDS_FIXTURE, () => {
  const files = openFiles();
  const images = ["one", "two", "two"].map((name) => exportLibrary({ slots: [["slot", fixture(name)]] })!);
  assert(openFiles() <= files); // workers of earlier tests may still close theirs
  assertEquals(new Set(images.map(({ path }) => path)).size, 3);
  for (const [index, image] of images.entries()) {
    const library = Deno.dlopen(image.path, { slot: { parameters: ["u64", "u64"], result: "u64" } });
    const expected = invokeAddress(fixture(["one", "two", "two"][index]), "q:qq", [5n, 1n]);
    assertEquals([library.symbols.slot(5n, 1n), invokeAddress(image.address("slot"), "q:qq", [5n, 1n])], [
      expected,
      expected,
    ]);
    library.close();
  }
});

Deno.test("an image that is gone is not taken for another one on its file number", NEEDS_FIXTURE, () => {
  const first = exportLibrary({ slots: [["slot", fixture("one")]] })!;
  assertEquals(first.unload(), true);
  const second = exportLibrary({ slots: [["slot", fixture("two")]] })!;
  assertNotEquals(second.path, first.path);
  assertEquals(first.reload(), false);
  assertEquals(invokeAddress(second.address("slot"), "q:qq", [5n, 1n]), 7n);
  assertEquals(second.unload(), true);
});

Deno.test("an image is unloaded whatever has its file number by now: nothing waits for a pipe", NEEDS_FIXTURE, () => {
  const { code, stdout } = runProgram("tests/ffi/image/unload_beside_pipe.ts", [], { seconds: 60 });
  assertEquals([code, stdout], [0, "the number is a pipe's\ntrue false\n"]);
});

Deno.test("workers leave no file of emitted code open", async () => {
  const workers = await Promise.all([startWorker(), startWorker(), startWorker()]);
  for (const worker of workers) worker.terminate();
  assertEquals(openFilesNamed("memfd:libpumice"), 0);
});

/** A worker that has loaded emitted code. */
async function startWorker(): Promise<Worker> {
  const worker = new Worker(new URL("../arena_worker.ts", import.meta.url), { type: "module" });
  await new Promise((resolve, reject) => {
    worker.onerror = reject;
    worker.onmessage = resolve;
    worker.postMessage("where");
  });
  return worker;
}
