/**
 * Runs a native program in miniature on this loader or on the system's
 * libraries: `native.ts DRIVER PROGRAM ARGUMENT`, where DRIVER is "" for the
 * system's; it prints the program's report, and what a counting layer saw.
 *
 * @module
 */
import { defineGlesLayer, loadEgl } from "../../../../egl/mod.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { cstring, readCString } from "../../../../ffi/cstring.ts";
import { Library } from "../../../../ffi/library.ts";
import { invoke } from "../../../../ffi/machine.ts";

const ROOM = 1 << 16;
const [driver, path, argument] = Deno.args, counts: Record<string, number> = {}, said: string[] = [];
const counting = defineGlesLayer({
  name: "counting",
  anyCommand: (command) =>
    /^gl(Clear|ReadPixels|Draw)/.test(command)
      ? (next, ...args) => {
        counts[command] = (counts[command] ?? 0) + 1;
        return next(...args);
      }
      : undefined,
});
const egl = driver === "" ? undefined : loadEgl({ driver, layers: [counting], log: (text) => said.push(text) });
const installed = egl?.install(), program = Library.open(path);
using report = new NativeBlock(ROOM);
using word = new NativeBlock(256);
word.bytes.set(cstring(argument));
const result = invoke(program.require("native_run"), "s:qqq", [word.address, report.address, BigInt(ROOM)]) as number;
const lines = readCString(report.address, ROOM).trimEnd().split("\n");
console.log(JSON.stringify({ result, lines, counts, said: said.slice(1) })); // the first sentence tells the driver
installed?.uninstall();
egl?.close();
