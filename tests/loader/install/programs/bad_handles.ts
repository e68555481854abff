/**
 * Calls commands of the installed loader, or of another, with handles that are
 * none, and prints what became of it: `bad_handles.ts DRIVER DEATH [LOADER]`.
 * The loader in LOADER, if given, makes its own instance and device.
 *
 * @module
 */
import { arena } from "../../../../ffi/arena.ts";
import { NativeBlock } from "../../../../ffi/block.ts";
import { readCString } from "../../../../ffi/cstring.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../../loader/gen/command_table_gen.js";
import { linuxExports } from "../../../../loader/install/exports.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { NativeVulkan } from "../native.ts";

const [driver, deathPath, loader] = Deno.args;
using vulkan = loader ? undefined : loadVulkan({ driver });
vulkan?.install();
using native = new NativeVulkan(loader), death = Library.open(deathPath), block = new NativeBlock(4096);
const deathOf = death.require("death_of"), deathOfChild = death.require("death_of_child");
const instance = native.createInstance(), gpu = native.firstGpu(instance), device = native.createDevice(gpu);
const gone = native.createInstance(), goneDevice = native.createDevice(native.firstGpu(gone));
const words = [0x123456789ABn, 0n, 1n, block.address + 1024n, block.address + 1028n, 0x1000n, 0x2000n, 0x3000n];
words.forEach((word, index) => block.view.setBigUint64(64 * index, word, true));
/** A block that begins with each word; a handle of the other level; one whose object is destroyed but still there. */
const places = words.map((
  word,
  index,
): [string, bigint] => [`word ${word < 0x10000n ? word : index}`, block.address + BigInt(64 * index)]);
const common: [string, bigint][] = [["NULL", 0n], ...places];
const kept = (handle: bigint, at: number) => {
  block.view.setBigUint64(at, new BigUint64Array([wordOf(handle)])[0], true);
  return block.address + BigInt(at);
};
const goneInstanceWord = kept(gone, 3072), goneDeviceWord = kept(goneDevice, 3136);
native.call("vkDestroyDevice", [goneDevice, 0n]);
native.call("vkDestroyInstance", [gone, 0n]);

const rows: { name: string; kind: string; signal: number; text: string; result: string }[] = [];
const exported = new Set(linuxExports());
for (const [level, names] of [["instance", INSTANCE_NAMES], ["device", DEVICE_NAMES]] as const) {
  const other: [string, bigint] = ["other level", level === "instance" ? device : instance];
  const destroyed: [string, bigint] = ["destroyed", level === "instance" ? goneInstanceWord : goneDeviceWord];
  for (const name of names.split(" ")) {
    const address = exported.has(name) ? native.find(name) : native.ofInstance(instance, name);
    if (address === 0n) continue;
    const handles = loader ? [["NULL", 0n], ["word 0", block.address + 64n]] as const : [...common, other, destroyed];
    for (const [kind, handle] of handles) rows.push({ name, kind, ...probe(address, handle) });
  }
}
const unknown = ["vkGetInstanceProcAddr", "vkGetDeviceProcAddr"].flatMap((name) =>
  ["vkUnknownCommand", "vkQueueSubmit", "vkCreateInstance"].map((asked) => {
    const memory = arena(), text = memory.place(new TextEncoder().encode(asked + "\0"));
    return { name, asked, ...probe(native.find(name), block.address, text) };
  })
);
native.call("vkDestroyDevice", [device, 0n]);
native.call("vkDestroyInstance", [instance, 0n]);
console.log(JSON.stringify({ rows, unknown }));

function probe(address: bigint, handle: bigint, second = 0n): { signal: number; text: string; result: string } {
  const memory = arena(), mark = memory.mark(), text = memory.alloc(512), result = memory.alloc(8);
  memory.view.setBigUint64(result, 0n, true);
  const signal = loader
    ? invokeAddress(deathOfChild, "s:qqow", [address, handle, text, 512]) as number
    : invokeAddress(deathOf, "s:qqqowo", [address, handle, second, text, 512, result]) as number;
  const told = { signal, text: readCString(memory.address(text)), result: `${memory.view.getBigUint64(result, true)}` };
  memory.release(mark);
  return told;
}

function wordOf(handle: bigint): bigint {
  return new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(handle)!, 8)).getBigUint64(
    0,
    true,
  );
}
