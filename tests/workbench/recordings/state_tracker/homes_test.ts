import { assertEquals } from "@std/assert";
import { Homes } from "../../../../workbench/recordings/state_tracker/homes.ts";

Deno.test("Homes tell which bytes of which buffers some bytes of memory are, until a buffer or the memory ends", () => {
  const homes = new Homes(), memory = "VkDeviceMemory#1", other = "VkDeviceMemory#2";
  homes.bind({ buffer: "VkBuffer#1", memory, memoryOffset: "16" }, 8);
  homes.bind({ buffer: "VkBuffer#2", memory, memoryOffset: 24 }, 8);
  homes.bind({ buffer: "VkBuffer#3", memory: other }, 8);
  assertEquals(homes.within(memory, 20, 8), [
    { buffer: "VkBuffer#1", from: 4, to: 8 },
    { buffer: "VkBuffer#2", from: 0, to: 4 },
  ]);
  assertEquals([homes.within(memory, 0, 16), homes.within(memory, 32, 4), homes.within("VkDeviceMemory#9", 0, 4)], [
    [],
    [],
    [],
  ]);
  homes.forget("VkBuffer#1");
  homes.forget(other);
  assertEquals(homes.within(memory, 0, 64), [{ buffer: "VkBuffer#2", from: 0, to: 8 }]);
  assertEquals(homes.within(other, 0, 64), []);
});
