import { assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { readCString } from "../../../../ffi/cstring.ts";
import { createThunk } from "../../../../ffi/thunk/thunk.ts";
import { DispatchTable } from "../../../../loader/chain/table/dispatch_table.ts";
import { fillEnabled, hideDisabled, hideNewer } from "../../../../loader/chain/table/enabled.ts";
import { codec, type StructObject } from "../../../../loader/codec/codec.ts";
import { allExtensions } from "../../../../loader/command/registry/extension.ts";
import { findCommand } from "../../../../loader/command/registry/table.ts";
import { VK_MAKE_API_VERSION } from "../../../../loader/version.ts";

/** The commands left of a table that is full, unless `isEmpty`, after `work` had a create info. */
function left(
  level: "instance" | "device",
  members: StructObject,
  work: (table: DispatchTable, info: bigint) => void,
  isEmpty = false,
): Set<string> {
  const memory = arena(), mark = memory.mark();
  const { size, encode } = codec(level === "instance" ? "VkInstanceCreateInfo" : "VkDeviceCreateInfo");
  const at = memory.alloc(size);
  encode(level === "device" ? { pQueueCreateInfos: [], ...members } : members, at);
  using table = new DispatchTable(level);
  for (let slot = 0; !isEmpty && slot < table.layout.count; slot++) table.set(slot, 7n);
  work(table, memory.address(at));
  memory.release(mark);
  const all = allExtensions().flatMap(({ commands }) => commands).map((name) => findCommand(name)!);
  return new Set(all.filter((each) => each.level === level && table.get(each.slot) === 7n).map(({ name }) => name));
}

Deno.test("fillEnabled() asks for core, what is enabled, and what the other level's extensions bring, each into its slot", () => {
  const names = ["VK_KHR_swapchain", "VK_EXT_unknown"], asked: string[] = [];
  using lookup = createThunk("q:qq", (_device, name) => {
    asked.push(readCString(name as bigint));
    return 7n;
  });
  const device = left("device", { ppEnabledExtensionNames: names }, (table, info) => {
    fillEnabled(table, lookup.address, 1n, info);
    const places = (first: number, count: number) =>
      Array.from({ length: count }, (_, index) => table.get(first + index));
    assertEquals(places(table.layout.front, table.layout.count).every((word) => word === 0n), true);
    assertEquals([table.layout.below, table.layout.top].map((slot) => table.get(slot)), Array(2).fill(lookup.address));
  }, true);
  assertEquals([...device].toSorted(), asked.toSorted());
  const rows: [name: string, there: boolean][] = [
    ["vkQueueSubmit", true],
    ["vkCmdBeginRendering", true],
    ["vkCmdBeginRenderingKHR", false],
    ["vkCreateSwapchainKHR", true],
    ["vkAcquireNextImage2KHR", true],
    ["vkCreateSharedSwapchainsKHR", false],
    ["vkSetDebugUtilsObjectNameEXT", true],
  ];
  for (const [name, there] of rows) assertEquals(device.has(name), there, name);
});

Deno.test("hideDisabled() leaves core, what is enabled, and what the other level's extensions bring", () => {
  const instance = left("instance", { ppEnabledExtensionNames: ["VK_KHR_surface"] }, hideDisabled);
  assertEquals(instance.has("vkDestroySurfaceKHR"), true);
  assertEquals(instance.has("vkGetPhysicalDeviceSurfaceCapabilities2KHR"), false);
  assertEquals(instance.has("vkGetPhysicalDevicePresentRectanglesKHR"), true);
});

Deno.test("hideNewer() hides core commands above the application's version, if maintenance5 is enabled", () => {
  const hide = (minor: number) => (table: DispatchTable, info: bigint) =>
    hideNewer(table, info, VK_MAKE_API_VERSION(0, 1, minor, 0));
  const has = (maintenance5: boolean, minor: number) => {
    const names = left("device", { pNext: { sType: 1000470000, maintenance5 } }, hide(minor));
    return ["vkQueueSubmit", "vkTrimCommandPool", "vkCmdSetCullMode", "vkMapMemory2"].map((name) => names.has(name));
  };
  assertEquals(has(true, 0), [true, false, false, false]);
  assertEquals(has(true, 2), [true, true, false, false]);
  assertEquals(has(true, 4), [true, true, true, true]);
  assertEquals(has(false, 0), [true, true, true, true]);
});
