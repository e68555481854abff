import { assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { openBlocks } from "../../../../ffi/block.ts";
import { cstring } from "../../../../ffi/cstring.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { defineLayer, loadVulkan } from "../../../../loader/mod.ts";
import type { VkDevice, VkInstance } from "../../../../loader/types.ts";
import { NativeVulkan } from "../../install/native.ts";
import { DEVICE, withMixed } from "../../interposers/chain.ts";
import { NEEDS_TINY, TINY } from "../../tiny.ts";

const COMMAND = "vkAnswerACME", SIGNATURE = "s:qw";

/** A layer with a command of its own that answers a number and what it was given. */
function answering(number: number) {
  const call = (_device: bigint, more: number) => number + more;
  return defineLayer({ name: `VK_LAYER_TEST_${number}`, newCommands: { [COMMAND]: { signature: SIGNATURE, call } } });
}

/** The result for a script that asks for the command and calls it; `undefined` when it is not there. */
function ask(object: VkDevice | VkInstance, getProcAddr: "vkGetDeviceProcAddr" | "vkGetInstanceProcAddr") {
  const memory = arena(), mark = memory.mark();
  const address = object.raw[getProcAddr](object.handle, memory.place(cstring(COMMAND)));
  memory.release(mark);
  return address === 0n ? undefined : invokeAddress(address, SIGNATURE, [object.handle, 1]);
}

/** Attaches, replaces and detaches layers with the command, above and below native layers. */
function checkComingAndGoing(natives: readonly string[]): void {
  const [top, other] = [answering(40), answering(50)];
  for (const layers of [[top, ...natives], [...natives, top], [top, ...natives, other]]) {
    withMixed(layers, (instance) => {
      using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(DEVICE);
      const both = () => [ask(device, "vkGetDeviceProcAddr"), ask(instance, "vkGetInstanceProcAddr")];
      assertEquals(both(), [41, 41]);
      const newer = answering(60);
      instance.replace(top, newer);
      assertEquals(both(), [61, 61]);
      instance.detach(newer);
      assertEquals(both(), layers.includes(other) ? [51, 51] : [undefined, undefined]);
    });
  }
}

Deno.test(
  "a command that nobody knows is there as long as a layer that adds it is, wherever it stands",
  NEEDS_TINY,
  () => {
    checkComingAndGoing(["a"]); // some blocks are kept for the life of the process
    for (const natives of [[], ["a"]]) {
      const blocks = openBlocks();
      checkComingAndGoing(natives);
      assertEquals(openBlocks(), blocks);
    }
  },
);

Deno.test("native code gets the commands that a layer adds", NEEDS_TINY, () => {
  using vulkan = loadVulkan({ driver: TINY!, layers: [answering(40)] });
  using installed = vulkan.install();
  using native = new NativeVulkan();
  const handle = native.createInstance(), device = native.createDevice(native.firstGpu(handle));
  for (const address of [native.ofDevice(device, COMMAND), native.ofInstance(handle, COMMAND)]) {
    assertEquals(invokeAddress(address, SIGNATURE, [device, 2]), 42);
  }
  native.call("vkDestroyDevice", [device, 0n]);
  native.call("vkDestroyInstance", [handle, 0n]);
  assertEquals(installed.instances(), []);
});
