/**
 * The process that checks a range of programs: `main.ts FROM TO LIBRARY...`.
 * Prints a line of JSON for each program that begins, and one for its outcome,
 * so that a process which ends before its time tells which program ended it.
 *
 * @module
 */
import { selfCheck } from "./check.ts";

const [from, to, ...libraries] = Deno.args, folder = Deno.makeTempDirSync();
try {
  for (let seed = Number(from); seed < Number(to); seed++) {
    console.log(JSON.stringify({ begun: seed }));
    console.log(JSON.stringify(selfCheck(seed, libraries, folder)));
  }
} finally {
  Deno.removeSync(folder, { recursive: true });
}
