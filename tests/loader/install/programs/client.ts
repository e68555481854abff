/**
 * Runs a native program of tests/fixtures that includes client.h, and prints
 * what it says: `client.ts SYSTEM|pumice[:DRIVER…] here|thread APP WHAT [LIBRARY:FUNCTION…]`.
 * SYSTEM is the path of a C loader. DRIVER is what to give to `loadVulkan`,
 * several with a colon between; without one it looks for drivers. The numbers that the
 * functions return follow in a line of JSON. PUMICE_TEST_LAYER may describe a TypeScript layer, in JSON, too; PUMICE_TEST_GUESTS
 * has that of guest_layer.ts stand there.
 *
 * @module
 */
import { arena } from "../../../../ffi/arena.ts";
import { cstring, readCString } from "../../../../ffi/cstring.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { defineLayer, loadVulkan, type Vulkan } from "../../../../loader/mod.ts";
import { guestLayer } from "./guest_layer.ts";

const [loader, where, path, what, ...counters] = Deno.args;
const vulkan = loader.startsWith("pumice") ? install(loader.split(":").slice(1)) : undefined;
const app = Library.open(path), soname = arena().place(cstring(vulkan ? "libvulkan.so.1" : loader));
const found = where === "here"
  ? invokeAddress(app.require("client_run"), "s:qs", [soname, Number(what)])
  : await runOnThread();
if (found === 0) throw new Deno.errors.NotFound(`there is no Vulkan at ${loader}`);
console.log(readCString(invokeAddress(app.require("client_said"), "q:", []) as bigint).trimEnd());
console.log(JSON.stringify(counters.map(read)));
vulkan?.close();

function install(drivers: string[]): Vulkan {
  const driver = drivers.length === 0 ? "auto" : drivers.length === 1 ? drivers[0] : drivers;
  const layer = Deno.env.get("PUMICE_TEST_LAYER");
  const layers = layer === undefined ? [] : [defineLayer({ commands: {}, ...JSON.parse(layer) })];
  const guests = Deno.env.get("PUMICE_TEST_GUESTS") ? [guestLayer] : [];
  const loaded = loadVulkan({ driver, platform: "linux", layers: [...guests, ...layers] });
  loaded.install();
  return loaded;
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
