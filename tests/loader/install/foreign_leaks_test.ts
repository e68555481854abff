import { assertEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { type ObjectLeaks, objectLeaks } from "../../../workbench/layers.ts";
import { loadVulkan, type Vulkan } from "../../../loader/mod.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { fixture, NEEDS_FIXTURE } from "../../ffi/fixture.ts";
import { needs } from "../../support/require.ts";
import { NativeVulkan } from "./native.ts";

const driver = lavapipePath();
const NEEDS = { ignore: NEEDS_FIXTURE.ignore || needs("Mesa lavapipe", driver).ignore };
/** VkFenceCreateInfo. */
const FENCE_CREATE_INFO = 8, FENCE_INFO_SIZE = 24;

/** Runs what `use` does as native code, under a layer that watches for leaks. */
function withNative(leaks: ObjectLeaks, use: (native: NativeVulkan, vulkan: Vulkan) => void): void {
  using vulkan = loadVulkan({ driver: driver!, layers: [leaks.layer] });
  using _installed = vulkan.install();
  using native = new NativeVulkan();
  use(native, vulkan);
}

function makeFence(native: NativeVulkan, device: bigint): bigint {
  const memory = arena(), info = memory.alloc(FENCE_INFO_SIZE), out = memory.alloc(8);
  memory.bytes.fill(0, info, info + FENCE_INFO_SIZE);
  memory.view.setUint32(info, FENCE_CREATE_INFO, true);
  assertEquals(native.call("vkCreateFence", [device, memory.address(info), 0n, memory.address(out)]), 0);
  return memory.view.getBigUint64(out, true);
}

/** Calls a command of up to three arguments on another thread, and waits for that. */
function elsewhere(native: NativeVulkan, command: string, ...args: bigint[]): void {
  const [first, second = 0n, third = 0n] = args;
  invokeAddress(fixture("call3_on_thread"), "q:qqqq", [native.find(command), first, second, third]);
}

function typesOf(objects: readonly { type: string }[]): string[] {
  return objects.map(({ type }) => type);
}

for (const isDeviceFirst of [false, true]) {
  const when = isDeviceFirst ? "after its device was" : "before its device is";
  Deno.test(`objectLeaks() hears of what another thread destroyed, told ${when} destroyed here`, NEEDS, () => {
    const leaks = objectLeaks();
    withNative(leaks, (native, vulkan) => {
      const instance = native.createInstance(), device = native.createDevice(native.firstGpu(instance));
      const [fence] = [makeFence(native, device), makeFence(native, device)];
      elsewhere(native, "vkDestroyFence", device, fence);
      if (!isDeviceFirst) vulkan.drain();
      native.call("vkDestroyDevice", [device, 0n]);
      native.call("vkDestroyInstance", [instance, 0n]);
    });
    assertEquals([typesOf(leaks.report().leaked), leaks.report().live], [["VkFence"], []]);
  });
}

Deno.test("objectLeaks() hears of devices and instances that another thread destroyed", NEEDS, () => {
  const leaks = objectLeaks();
  withNative(leaks, (native) => {
    const instance = native.createInstance(), device = native.createDevice(native.firstGpu(instance));
    makeFence(native, device);
    elsewhere(native, "vkDestroyDevice", device);
    elsewhere(native, "vkDestroyInstance", instance);
  });
  assertEquals([typesOf(leaks.report().leaked), leaks.report().live], [["VkFence"], []]);
});
