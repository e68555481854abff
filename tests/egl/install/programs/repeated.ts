/**
 * Runs a native program in miniature again and again in one process, on this
 * loader or, with "" as the driver, on the system's libraries: `repeated.ts
 * DRIVER PROGRAM STEPS TIMES`. It prints how much more memory the later nine
 * tenths of the runs left behind.
 *
 * @module
 */
import { loadEgl } from "../../../../egl/mod.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { cstring } from "../../../../ffi/cstring.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";

const ROOM = 1 << 16;
const [driver, path, steps, times] = Deno.args;
const egl = driver === "" ? undefined : loadEgl({ driver, log: () => {} });
const installed = egl?.install(), program = Library.open(path);
using report = new NativeBlock(ROOM);
using word = new NativeBlock(256);
let results = 0, before = 0;
for (let run = 0; run < Number(times); run++) {
  word.bytes.set(cstring(`${run} ${steps}`));
  results += invokeAddress(program.require("native_run"), "s:qqq", [
    word.address,
    report.address,
    BigInt(ROOM),
  ]) as number;
  if (run === Math.floor(Number(times) / 10)) before = Deno.memoryUsage().rss;
}
console.log(JSON.stringify({ results, left: Deno.memoryUsage().rss - before }));
installed?.uninstall();
egl?.close();
