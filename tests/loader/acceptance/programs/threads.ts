/**
 * Runs the native program of many threads on an installed loader and prints
 * what it got through: `threads.ts DRIVER APP THREADS LAYER...`, DRIVER a library or
 * `scripted`. This thread goes on with its event loop meanwhile, for there
 * instances and devices are made.
 *
 * @module
 */
import { arena } from "../../../../ffi/arena.ts";
import { cstring } from "../../../../ffi/cstring.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { defineDriver } from "../../../../loader/drivers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { until } from "../../../support/until.ts";

const [driver, path, count, ...layers] = Deno.args;
using scripted = defineDriver({
  name: "threads",
  instanceExtensions: ["VK_EXT_debug_utils"],
  onForeignThread: "block",
});
using vulkan = loadVulkan({ driver: driver === "scripted" ? scripted : driver, layers });
using installed = vulkan.install();
using app = Library.open(path);
invokeAddress(app.require("threads_start"), "s:qs", [arena().place(cstring("libvulkan.so.1")), Number(count)]);
await until("all threads have ended", () => said("running") <= 0);
const done = Object.fromEntries(["instances", "devices", "names", "failed_at"].map((what) => [what, said(what)]));
const left = [installed.instances().length, scripted.live("VkInstance"), scripted.live("VkDevice")];
console.log(JSON.stringify({ ...done, left }));

function said(what: string): number {
  return invokeAddress(app.require(`threads_${what}`), "s:", []) as number;
}
