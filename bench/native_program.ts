/** The program of {@linkcode measureNative}: `native_program.ts call|layer|mixed|device|instance|startup DRIVER`. */
import { cstring } from "../ffi/cstring.ts";
import { NameBlob } from "../ffi/machine.ts";
import { DEVICE_NAMES } from "../loader/gen/command_table_gen.js";
import { defineLayer, type Layer, loadVulkan } from "../loader/mod.ts";
import { systemLoaderPath } from "../tools/setup/parts.ts";
import { counterparts } from "./counterparts.ts";
import { compare, type Comparison, type Work } from "./measure.ts";
import { mixedCommands, mixedOrder, passingLayer } from "./mixed.ts";
import { manifestOf } from "./parts.ts";

const CALLS = 2_000_000, MIXED_CALLS = 300_000, ROUNDS = 20;

const [what, driver] = Deno.args;
using vulkan = loadVulkan(what === "startup" ? {} : { driver });
using installed = vulkan.install();
const c = counterparts();
const MEASURES: Readonly<Record<string, () => Comparison>> = {
  call: measureCall,
  layer: measureLayer,
  mixed: measureMixed,
  device: () => measureNames("device"),
  instance: () => measureNames("instance"),
  startup: measureStartup,
};
console.log(JSON.stringify(MEASURES[what]()));

/** An exported command of this loader and of the system's. */
function measureCall(): Comparison {
  const ours = open("libvulkan.so.1"), theirs = open(systemLoaderPath()!);
  return compare((times) => c.system_event_status(ours, times), (times) => c.system_event_status(theirs, times), CALLS);
}

/** Two instances, a layer on the first. */
function measureLayer(): Comparison {
  const hooked = open("libvulkan.so.1"), bare = open("libvulkan.so.1");
  installed.instances()[0].attach(passing());
  return compare(
    (times) => c.system_event_status(hooked, times),
    (times) => c.system_event_status(bare, times),
    CALLS,
    c.thread_milliseconds,
  );
}

/** Two instances, a layer with hooks on many commands on the first. */
function measureMixed(): Comparison {
  const hooked = open("libvulkan.so.1"), bare = open("libvulkan.so.1"), commands = mixedCommands();
  installed.instances()[0].attach(passingLayer(commands));
  using names = new NameBlob(commands.map(({ name }) => name).join(" "));
  const order = mixedOrder();
  const calls = (system: bigint): Work => {
    const mixed = c.system_mixed(system, names.address);
    if (mixed === 0n) throw new Error("Cannot measure: the driver lacks one of the commands");
    return (times) => c.call_mixed(mixed, order, order.length, times);
  };
  return compare(calls(hooked), calls(bare), MIXED_CALLS, c.thread_milliseconds);
}

/** Both loaders look for the driver each time: a variable names its manifest. */
function measureStartup(): Comparison {
  const ours = open("libvulkan.so.1"), theirs = open(systemLoaderPath()!);
  return compare(
    (times) => c.system_startup(ours, times),
    (times) => c.system_startup(theirs, times),
    ROUNDS,
    c.process_milliseconds,
  );
}

function measureNames(what: string): Comparison {
  using names = new NameBlob(DEVICE_NAMES);
  const ask = what === "device" ? c.system_device_procs : c.system_instance_procs;
  const ours = open("libvulkan.so.1"), theirs = open(systemLoaderPath()!);
  return compare(
    (times) => ask(ours, names.address, names.count, times),
    (times) => ask(theirs, names.address, names.count, times),
    ROUNDS,
  );
}

function passing(): Layer {
  return defineLayer({
    name: "VK_LAYER_BENCH_pass",
    commands: { vkGetEventStatus: (next, device, event) => next(device, event) },
  });
}

function open(loader: string): bigint {
  const system = c.system_open(cstring(manifestOf(driver)), cstring(loader));
  if (system === 0n) throw new Error(`Cannot measure: ${loader} does not open ${driver}`);
  return system;
}
