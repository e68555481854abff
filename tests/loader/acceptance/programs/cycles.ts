/**
 * Makes and destroys an instance with a device again and again, and prints
 * what this process held before and after. A program of its own, so that only
 * that can grow and garbage can be collected:
 * `cycles.ts DRIVER WARM COUNT LAYER...`, DRIVER a library, `scripted`, or
 * `joined` for two scripted ones, WARM cycles before anything is looked at.
 *
 * @module
 */
import { openBlocks } from "../../../../ffi/block.ts";
import { defineDriver } from "../../../../loader/drivers.ts";
import { type DirectDriver, loadVulkan, type Vulkan } from "../../../../loader/mod.ts";
import { allocatedBytes } from "../../../support/allocated.ts";
import { mappingsBesideHeap, openFiles } from "../../../support/open_files.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const [driver, warm, count, ...layers] = Deno.args;
const collect = (globalThis as unknown as { gc(): void }).gc;
using scripted = defineDriver({ name: "cycles" }), second = defineDriver({ name: "more cycles" });
const drivers = new Map<string, DirectDriver | DirectDriver[]>([["scripted", scripted], ["joined", [
  scripted,
  second,
]]]);
using vulkan = loadVulkan({ driver: drivers.get(driver) ?? driver, layers });
run(vulkan, Number(warm)); // everything is compiled, and all that stays for good is there
const before = held();
run(vulkan, Number(count));
console.log(JSON.stringify({ before, after: held() }));

function run(vulkan: Vulkan, cycles: number): void {
  for (let cycle = 0; cycle < cycles; cycle++) {
    const instance = vulkan.vkCreateInstance({}), [gpu] = instance.vkEnumeratePhysicalDevices();
    const device = gpu.vkCreateDevice(QUEUE);
    device.vkGetDeviceQueue(0, 0);
    device.vkDestroyDevice();
    instance.vkDestroyInstance();
    scripted.calls.length = second.calls.length = 0;
  }
}

function held(): Record<"files" | "mappings" | "blocks" | "allocated" | "heap", number> {
  for (let time = 0; time < 3; time++) collect();
  const { heapUsed: heap } = Deno.memoryUsage(), allocated = leastAllocated();
  return { files: openFiles(), mappings: mappingsBesideHeap(), blocks: openBlocks(), allocated, heap };
}

/** The least of some looks: a thread of the engine that compiles has a MiB for a while. */
function leastAllocated(): number {
  const looks = Array.from({ length: 5 }, () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    return allocatedBytes();
  });
  return Math.min(...looks);
}
