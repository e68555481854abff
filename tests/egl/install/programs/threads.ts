/**
 * A native program draws on several threads at once on this loader:
 * `threads.ts DRIVER PROGRAM THREADS FRAMES [POLICY]`; it prints what came of it, and how much memory three rounds
 * took. With a policy a layer hooks glClear and eglMakeCurrent; it prints what hooks and records were made, too.
 *
 * @module
 */
import { defineGlesLayer, type ForeignThreadPolicy, loadEgl } from "../../../../egl/mod.ts";
import { arena } from "../../../../ffi/arena.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { bindNonblocking } from "../../../../ffi/stubs.ts";
import { openFiles } from "../../../support/open_files.ts";

const ANSWERS = 10;
const [driver, path, threads, frames, policy] = Deno.args, said: string[] = [];
const hooked: Record<string, number> = {}, recorded: Record<string, number> = {};
const count = (counts: Record<string, number>, name: string) => counts[name] = (counts[name] ?? 0) + 1;
const counting = defineGlesLayer({
  name: "counting",
  onForeignThread: policy as ForeignThreadPolicy,
  recorded: ({ command }) => count(recorded, command),
  commands: {
    glClear(next, mask) {
      count(hooked, this.below.eglGetCurrentContext() === 0n ? "glClear without a context" : "glClear");
      return next(mask);
    },
    eglMakeCurrent: (next, ...args) => (count(hooked, "eglMakeCurrent"), next(...args)),
  },
});
const egl = loadEgl({ driver, layers: policy ? [counting] : [], log: (message) => said.push(message) });
const installed = egl.install();
const display = egl.eglGetDisplay(0n);
egl.eglInitialize(display); // held, so that no thread's end takes it away from another
const program = Library.open(path), memory = arena(), at = memory.alloc(16 * ANSWERS);

/** The answers to the loader's thread and to another one, field by field. */
function answers(): bigint[][] {
  const result = invokeAddress(program.require("egl_answers"), "s:qq", [
    memory.address(at),
    memory.address(at + 8 * ANSWERS),
  ]);
  if (result !== 0) throw new Error("no thread could be started");
  const read = (from: number) =>
    Array.from({ length: ANSWERS }, (_, index) => memory.view.getBigUint64(from + 8 * index, true));
  return [read(at), read(at + 8 * ANSWERS)];
}

/** Hooks that other threads wait for run while this one waits for nobody. */
const draw = policy === "block"
  ? bindNonblocking("s:ss", program.require("egl_threads"))
  : (...args: number[]) => invokeAddress(program.require("egl_threads"), "s:ss", args);
const [here, elsewhere] = policy === "block" ? [[], []] : answers(),
  rounds: { failed: number; resident: number; files: number }[] = [];
for (let round = 0; round < 3; round++) {
  const failed = await draw(Number(threads), Number(frames)) as number;
  rounds.push({ failed, resident: Deno.memoryUsage().rss, files: openFiles() });
}
installed.uninstall();
egl.close();
const told = { here: here.map(String), elsewhere: elsewhere.map(String) };
console.log(JSON.stringify({ ...told, rounds, hooked, recorded, said: said.slice(1) }));
