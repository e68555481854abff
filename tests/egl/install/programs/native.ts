/**
 * Runs a native program in miniature on this loader or on the system's
 * libraries: `native.ts DRIVER PROGRAM ARGUMENT`, where DRIVER is "" for the
 * system's; it prints the program's report, what a counting layer saw on this
 * thread and on others, and whether the system's libEGL was there.
 *
 * @module
 */
import { defineGlesLayer, loadEgl } from "../../../../egl/mod.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { cstring, readCString } from "../../../../ffi/cstring.ts";
import { Library, RTLD_NOLOAD, RTLD_NOW } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { systemLibrary } from "../../../../tools/setup/files.ts";

const ROOM = 1 << 16;
const [driver, path, argument] = Deno.args, said: string[] = [];
const counts: Record<string, number> = {}, elsewhere: Record<string, number> = {};
const counting = defineGlesLayer({
  name: "counting",
  onForeignThread: "record",
  recorded: ({ command }) => elsewhere[command] = (elsewhere[command] ?? 0) + 1,
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
const result = invokeAddress(program.require("native_run"), "s:qqq", [
  word.address,
  report.address,
  BigInt(ROOM),
]) as number;
const lines = readCString(report.address, ROOM).trimEnd().split("\n");
const isSystems = isLoaded(systemLibrary("libEGL.so.1")!);
installed?.uninstall();
egl?.close(); // what was recorded is told
console.log(JSON.stringify({ result, lines, counts, elsewhere, isSystems, said: said.slice(1) })); // the first sentence tells the driver

function isLoaded(path: string): boolean {
  try {
    Library.open(path, RTLD_NOW | RTLD_NOLOAD).close();
    return true;
  } catch {
    return false;
  }
}
