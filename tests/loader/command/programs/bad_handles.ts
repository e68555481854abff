/**
 * Calls all raw commands of `bad_handles.ts ROAD DRIVER...` with what is no handle, and
 * prints what came of each: lines of command, kind of handle and outcome. ROAD is that of machine code.
 *
 * @module
 */
import { NativeBlock } from "../../../../ffi/block.ts";
import { configureImage, type LoadMethod } from "../../../../ffi/image/load.ts";
import { peek64 } from "../../../../ffi/machine.ts";
import { commandSignature } from "../../../../loader/command/plan.ts";
import { findCommand } from "../../../../loader/command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../../loader/gen/command_table_gen.js";
import { loadVulkan } from "../../../../loader/mod.ts";
import type { VkDevice, VkInstance } from "../../../../loader/types.ts";

const [road, ...drivers] = Deno.args, driver = drivers.length > 1 ? drivers : drivers[0];
configureImage({ loadMethod: road as LoadMethod });
using vulkan = loadVulkan({ driver });
using instance = makeInstance();
using device = makeDevice(instance);
device.raw.vkDeviceWaitIdle(device.handle);
const fence = device.vkCreateFence({});
const [goneInstance, goneDevice] = keysOfDestroyed();
const others: [string, bigint][] = [
  ["NULL", 0n],
  ["of no dispatchable kind", BigInt(fence as bigint)],
  ["destroyed instance", objectOf(goneInstance)],
  ["destroyed device", objectOf(goneDevice)],
  ...[0n, 1n, 0x1000n, 0x2000n, 0x3000n, 0x123456789ABn, 2n ** 64n - 1n].map((word): [string, bigint] => [
    `word ${word}`,
    objectOf(word),
  ]),
];
tryAll(instance.raw, INSTANCE_NAMES, [...others, ["other level", device.handle]]);
tryAll(device.raw, DEVICE_NAMES, [...others, ["other level", instance.handle]]);
// A device that comes and goes while another stays, both of them called again and again.
for (let round = 0; round < 3; round++) {
  using other = makeDevice(instance);
  const results = [device, other, device].map((each) => device.raw.vkDeviceWaitIdle(each.handle));
  console.log(`vkDeviceWaitIdle\tlive\t${results}`);
}
device.vkDestroyFence(fence);

function makeInstance(): VkInstance {
  return vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x401000 } });
}

function makeDevice(instance: VkInstance): VkDevice {
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  return gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
}

/** The first words of an instance and a device that were called, and are gone. */
function keysOfDestroyed(): [bigint, bigint] {
  using other = makeInstance();
  using made = makeDevice(other);
  device.raw.vkDeviceWaitIdle(made.handle);
  return [peek64(other.handle), peek64(made.handle)];
}

/** Memory that begins with a word, as objects do. */
function objectOf(word: bigint): bigint {
  const block = new NativeBlock(64);
  block.view.setBigUint64(0, word, true);
  return block.address;
}

function tryAll(raw: object, names: string, handles: readonly [string, bigint][]): void {
  for (const name of names.split(" ")) {
    const [, ...rest] = [...commandSignature(findCommand(name)!, "raw").slice(2)].map((letter) =>
      letter === "q" ? 0n : 0
    );
    const call = (raw as Record<string, (...args: (number | bigint)[]) => unknown>)[name];
    for (const [kind, handle] of handles) console.log(`${name}\t${kind}\t${outcome(() => call(handle, ...rest))}`);
  }
}

function outcome(call: () => unknown): string {
  try {
    return String(call());
  } catch (error) {
    return String(error);
  }
}
