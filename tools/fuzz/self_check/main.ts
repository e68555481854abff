/**
 * The process that checks a range of programs: `main.ts FROM TO LIBRARY...`.
 * Prints a line of JSON for each program that begins, and one for its outcome,
 * so that a process which ends before its time tells which program ended it.
 * Every fourth program has several threads.
 *
 * @module
 */
import { selfCheck } from "./check.ts";
import { stepsProgram, threadsCheck } from "./threads.ts";

const [from, to, ...libraries] = Deno.args, folder = Deno.makeTempDirSync(), program = stepsProgram();
if (!program) {
  console.error("No program has threads, which takes a C compiler and the system's Vulkan loader on x86-64");
}
try {
  for (let seed = Number(from); seed < Number(to); seed++) {
    console.log(JSON.stringify({ begun: seed }));
    const outcome = program && seed % 4 === 3
      ? await threadsCheck(seed, libraries, folder, program)
      : selfCheck(seed, libraries, folder);
    console.log(JSON.stringify(outcome));
  }
} finally {
  Deno.removeSync(folder, { recursive: true });
}
