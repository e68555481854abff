/**
 * A native program draws on several threads at once on this loader:
 * `threads.ts DRIVER PROGRAM THREADS FRAMES`; it prints what came of it, and how much memory three rounds took.
 *
 * @module
 */
import { loadEgl } from "../../../../egl/mod.ts";
import { arena } from "../../../../ffi/arena.ts";
import { Library } from "../../../../ffi/library.ts";
import { invoke } from "../../../../ffi/machine.ts";
import { openFiles } from "../../../support/open_files.ts";

const ANSWERS = 10;
const [driver, path, threads, frames] = Deno.args, said: string[] = [];
using egl = loadEgl({ driver, log: (message) => said.push(message) });
using _installed = egl.install();
const display = egl.eglGetDisplay(0n);
egl.eglInitialize(display); // held, so that no thread's end takes it away from another
const program = Library.open(path), memory = arena(), at = memory.alloc(16 * ANSWERS);

/** What the loader's thread and another one were told, field by field. */
function answers(): bigint[][] {
  const result = invoke(program.require("egl_answers"), "s:qq", [memory.address(at), memory.address(at + 8 * ANSWERS)]);
  if (result !== 0) throw new Error("no thread could be started");
  const read = (from: number) =>
    Array.from({ length: ANSWERS }, (_, index) => memory.view.getBigUint64(from + 8 * index, true));
  return [read(at), read(at + 8 * ANSWERS)];
}

const [here, elsewhere] = answers(), rounds: { failed: number; resident: number; files: number }[] = [];
for (let round = 0; round < 3; round++) {
  const failed = invoke(program.require("egl_threads"), "s:ss", [Number(threads), Number(frames)]) as number;
  rounds.push({ failed, resident: Deno.memoryUsage().rss, files: openFiles() });
}
console.log(JSON.stringify({ here: here.map(String), elsewhere: elsewhere.map(String), rounds, said: said.slice(1) }));
