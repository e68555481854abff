import { assertEquals, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { peek32, poke32 } from "../../../ffi/machine.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { VulkanError } from "../../../loader/mod.ts";
import { openDevice } from "../../support/device.ts";

Deno.test("memory of a driver in TypeScript keeps what is written, mapped again and at an offset", () => {
  using driver = defineDriver({ name: "memory" });
  using open = openDevice({ driver });
  const { device } = open, blocks = openBlocks();
  const memory = device.vkAllocateMemory({ allocationSize: 4096n, memoryTypeIndex: 0 });
  const at = device.vkMapMemory(memory, 0n, 4096n);
  assertEquals(peek32(at + 64n), 0);
  poke32(at + 64n, 0xabcd);
  device.vkUnmapMemory(memory);
  assertEquals(peek32(device.vkMapMemory(memory, 64n, 4n)), 0xabcd);
  assertEquals(assertThrows(() => device.vkMapMemory(7n as typeof memory, 0n, 4n), VulkanError).code, -5);
  device.vkFreeMemory(memory);
  assertEquals([openBlocks(), driver.live("VkDeviceMemory")], [blocks, 0]);
});

Deno.test("buffers of a driver in TypeScript need their size in memory, of any type there is", () => {
  const memoryTypes = [1, 2, 6].map((propertyFlags) => ({ propertyFlags, heapIndex: 0 }));
  const memoryProperties = { memoryTypes, memoryHeaps: [{ size: 1n << 20n, flags: 0 }] };
  using driver = defineDriver({ name: "needs", physicalDevices: [{ memoryProperties }] });
  using open = openDevice({ driver });
  const { device } = open, buffer = device.vkCreateBuffer({ size: 1000n, usage: 2 });
  const needed = { size: 1024n, alignment: 256n, memoryTypeBits: 7 };
  assertEquals(device.vkGetBufferMemoryRequirements(buffer), needed);
  assertEquals(device.vkGetBufferMemoryRequirements2({ buffer }, []).memoryRequirements, needed);
});
