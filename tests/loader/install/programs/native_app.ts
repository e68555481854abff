/**
 * Runs the native program in miniature on lavapipe below a counting layer:
 * `native_app.ts DRIVER APP SONAME here|thread BY_DEVICE [POLICY] [LAYER...]`.
 *
 * @module
 */
import { arena } from "../../../../ffi/arena.ts";
import { cstring } from "../../../../ffi/cstring.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import type { ForeignThreadPolicy } from "../../../../loader/mod.ts";
import { installCounted, report } from "./counted.ts";
import { until } from "../../../support/until.ts";

const VALUE = 0x13572468;
const [driver, path, soname, where, byDevice, policy, ...below] = Deno.args;
using counted = installCounted(driver, below, policy as ForeignThreadPolicy);
using app = Library.open(path);
const memory = arena(), name = memory.place(cstring(soname)), read = memory.alloc(4);
const result = where === "here" ? runHere() : await runOnThread();
counted.vulkan.drain();
await Promise.resolve(); // what a recording lacks is told after native code has returned
report(counted, { result, right: memory.view.getUint32(read, true) === VALUE });

function runHere(): unknown {
  return invokeAddress(app.require("app_run"), "s:qswo", [name, Number(byDevice), VALUE, read]);
}

async function runOnThread(): Promise<unknown> {
  invokeAddress(app.require("app_start"), "v:qsw", [name, Number(byDevice), VALUE]);
  await until("the native program is done", () => invokeAddress(app.require("app_done"), "s:", []) !== 0);
  return invokeAddress(app.require("app_result"), "s:o", [read]);
}
