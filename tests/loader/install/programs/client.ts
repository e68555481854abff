/**
 * Runs a native program of tests/fixtures that includes client.h, and prints
 * what it says: `client.ts SYSTEM|pumice[:DRIVER…] here|thread APP WHAT [LIBRARY:FUNCTION…]`.
 * SYSTEM is the path of a C loader. DRIVER is what to give to `loadVulkan`,
 * several with a colon between; without one it looks for drivers. The numbers that the
 * functions return follow in a line of JSON. PUMICE_TEST_LAYER may describe a TypeScript layer, in JSON, too; PUMICE_TEST_GUESTS
 * has that of guest_layer.ts stand there. What the log is told that begins with PUMICE_TEST_LOG is printed, too.
 *
 * @module
 */
import { arena } from "../../../../ffi/arena.ts";
import { cstring, readCString } from "../../../../ffi/cstring.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import type { Vulkan } from "../../../../loader/mod.ts";

// Loaded for Pumice alone: half of the programs are there for the C loader, and need nothing of it.
type LoaderModule = typeof import("../../../../loader/mod.ts");
type GuestModule = typeof import("./guest_layer.ts");

const logged: string[] = [], logging = Deno.env.get("PUMICE_TEST_LOG");
const [loader, where, path, what, ...counters] = Deno.args;
const vulkan = loader.startsWith("pumice") ? await install(loader.split(":").slice(1)) : undefined;
const app = Library.open(path), soname = arena().place(cstring(vulkan ? "libvulkan.so.1" : loader));
const found = where === "here"
  ? invokeAddress(app.require("client_run"), "s:qs", [soname, Number(what)])
  : await runOnThread();
if (found === 0) throw new Deno.errors.NotFound(`there is no Vulkan at ${loader}`);
console.log(readCString(invokeAddress(app.require("client_said"), "q:", []) as bigint).trimEnd());
if (logging !== undefined) {
  vulkan?.drain();
  await Promise.resolve(); // what native code caused comes into the log once it has returned
  for (const line of logged.filter((each) => each.startsWith(logging))) console.log(`log: ${line}`);
}
console.log(JSON.stringify(counters.map(read)));
vulkan?.close();

async function install(drivers: string[]): Promise<Vulkan> {
  const { defineLayer, loadVulkan } = await import("../../../../loader/mod.ts" as string) as LoaderModule;
  const driver = drivers.length === 0 ? "auto" : drivers.length === 1 ? drivers[0] : drivers;
  const layer = Deno.env.get("PUMICE_TEST_LAYER");
  const layers = layer === undefined ? [] : [defineLayer({ commands: {}, ...JSON.parse(layer) })];
  const virtualDevices = Deno.env.get("PUMICE_TEST_GUESTS") ? [await guests()] : [];
  const log = logging ? (line: string) => logged.push(line) : undefined;
  const loaded = loadVulkan({ driver, platform: "linux", layers: [...virtualDevices, ...layers], log });
  loaded.install();
  return loaded;
}

async function guests(): Promise<GuestModule["guestLayer"]> {
  return (await import("./guest_layer.ts" as string) as GuestModule).guestLayer;
}

async function runOnThread(): Promise<unknown> {
  invokeAddress(app.require("client_start"), "v:qs", [soname, Number(what)]);
  while (invokeAddress(app.require("client_done"), "s:", []) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return invokeAddress(app.require("client_result"), "s:", []);
}

function read(counter: string): unknown {
  const [library, name] = counter.split(":");
  return invokeAddress(Library.open(library).require(name), "s:", []);
}
