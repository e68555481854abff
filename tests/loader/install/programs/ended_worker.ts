/**
 * Uses, as native code, a loader that a worker installed, before and after the
 * worker's end: `ended_worker.ts DRIVER terminate|close|throw`. Prints what the
 * commands returned.
 *
 * @module
 */
import { arena } from "../../../../ffi/arena.ts";
import { acquire64, peek32 } from "../../../../ffi/machine.ts";
import { NativeVulkan } from "../native.ts";
import { until } from "../../../support/until.ts";

/** VkBufferCreateInfo, and where the handle goes. */
const INFO_SIZE = 56, BUFFER_CREATE_INFO = 12, TRANSFER_DST = 2;

const [driver, how] = Deno.args;
const worker = new Worker(new URL("installing_worker.ts", import.meta.url), { type: "module" });
worker.onerror = (event) => event.preventDefault();
const gone = await new Promise<bigint>((resolve) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage({ driver });
});

using native = new NativeVulkan();
const memory = arena(), info = memory.alloc(INFO_SIZE), out = memory.alloc(8);
memory.bytes.fill(0, info, info + INFO_SIZE);
memory.view.setUint32(info, BUFFER_CREATE_INFO, true);
memory.view.setBigUint64(info + 24, 64n, true);
memory.view.setUint32(info + 32, TRANSFER_DST, true);

const instance = native.createInstance(), gpu = native.firstGpu(instance), device = native.createDevice(gpu);
const before = makeBuffer();
if (how === "terminate") worker.terminate();
else worker.postMessage(how);
await until("the worker is gone", () => acquire64(gone) !== 0n);
const after = makeBuffer();
native.call("vkDestroyDevice", [device, 0n]);
native.call("vkDestroyInstance", [instance, 0n]);
const create = native.call("vkCreateInstance", [memory.address(info), 0n, memory.address(out)]);
const count = memory.address(out), list = native.call("vkEnumerateInstanceExtensionProperties", [0n, count, 0n]);
console.log(JSON.stringify({ before, after, create, list, extensions: peek32(count) > 0 }));

function makeBuffer(): unknown {
  const result = native.call("vkCreateBuffer", [device, memory.address(info), 0n, memory.address(out)]);
  native.call("vkDestroyBuffer", [device, memory.view.getBigUint64(out, true), 0n]);
  return result;
}
