/**
 * Runs a native program while a loader in a worker serves and records its
 * Vulkan: `recorded_program.ts DRIVER RECORDING LIBRARY ARGUMENT`. Prints what
 * the program said and what the recording lacks.
 *
 * @module
 */
import { Library } from "../../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../../ffi/machine.ts";
import { NativeBlock } from "../../../../../ffi/block.ts";
import { cstring, readCString } from "../../../../../ffi/cstring.ts";
import type { Order } from "../../../../egl/install/programs/recording_worker.ts";

const ROOM = 16384, [driver, path, program, argument] = Deno.args;
const worker = new Worker(new URL("../../../../egl/install/programs/recording_worker.ts", import.meta.url), {
  type: "module",
});
await ask({ driver, path });
using said = new NativeBlock(ROOM), given = new NativeBlock(ROOM);
given.bytes.set(cstring(argument));
const code = invokeAddress(Library.open(program).require("native_run"), "s:qqq", [
  given.address,
  said.address,
  BigInt(ROOM),
]);
const recorded = await ask("end");
worker.terminate();
console.log(JSON.stringify({ code, said: readCString(said.address).trim().split("\n"), ...recorded }));
Deno.exit();

function ask(order: Order): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(order);
  });
}
