import { assertEquals } from "@std/assert";
import { MemoryBindings } from "../../../../workbench/recordings/state_tracker/memory_bindings.ts";

Deno.test("MemoryBindings tell which bytes of which buffers some bytes of memory are, until a buffer or the memory ends", () => {
  const bindings = new MemoryBindings(), memory = "VkDeviceMemory#1", other = "VkDeviceMemory#2";
  bindings.bind({ buffer: "VkBuffer#1", memory, memoryOffset: "16" }, 8);
  bindings.bind({ buffer: "VkBuffer#2", memory, memoryOffset: 24 }, 8);
  bindings.bind({ buffer: "VkBuffer#3", memory: other }, 8);
  assertEquals(bindings.within(memory, 20, 8), [
    { buffer: "VkBuffer#1", from: 4, to: 8 },
    { buffer: "VkBuffer#2", from: 0, to: 4 },
  ]);
  assertEquals([
    bindings.within(memory, 0, 16),
    bindings.within(memory, 32, 4),
    bindings.within("VkDeviceMemory#9", 0, 4),
  ], [
    [],
    [],
    [],
  ]);
  bindings.forget("VkBuffer#1");
  bindings.forget(other);
  assertEquals(bindings.within(memory, 0, 64), [{ buffer: "VkBuffer#2", from: 0, to: 8 }]);
  assertEquals(bindings.within(other, 0, 64), []);
});

Deno.test("MemoryBindings tell which images have some memory, until an image or the memory ends", () => {
  const bindings = new MemoryBindings(), [one, other] = ["VkDeviceMemory#1", "VkDeviceMemory#2"];
  bindings.bindImage({ image: "VkImage#1", memory: one, memoryOffset: "0" });
  bindings.bindImage({ image: "VkImage#2", memory: one });
  bindings.bindImage({ image: "VkImage#2", memory: other }); // a plane of its own
  bindings.bindImage({ image: "VkImage#3", memory: null }); // a swapchain's
  assertEquals([...bindings.imagesIn(one)], ["VkImage#1", "VkImage#2"]);
  bindings.forget("VkImage#2");
  assertEquals([[...bindings.imagesIn(one)], [...bindings.imagesIn(other)]], [["VkImage#1"], []]);
  bindings.forget(one);
  assertEquals([...bindings.imagesIn(one)], []);
});
