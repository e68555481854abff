import { assertEquals } from "@std/assert";
import { arena } from "../../../../../ffi/arena.ts";
import { poke32, poke64 } from "../../../../../ffi/machine.ts";
import type { DriverSpec } from "../../../../../loader/drivers.ts";
import type { VkInstance, VkPhysicalDevice, VkSurfaceKHR } from "../../../../../loader/types.ts";
import { withDrivers } from "../drivers.ts";

const SURFACE = "VK_KHR_surface",
  HEADLESS = "VK_EXT_headless_surface",
  CAPABILITIES_2 = "VK_KHR_get_surface_capabilities2";
const COUNTERS = "VK_EXT_display_surface_counter";
const MODE = 1000274000, SCALING = 1000274001, COMPATIBILITY = 1000274002, INFO_2 = 1000119000, CAPS_2 = 1000119001;
/** VkSurfaceCapabilitiesKHR: bytes, and a result that leaves a few of them written. */
const CAPABILITIES = 52, SURFACE_LOST = -1000000000;
const UNTOUCHED = 0xcccccccc, IMMEDIATE = 0, FIFO = 2;

/** A driver with surfaces whose capabilities are 0, 1, 2 …, one word each. */
function presenting(name: string, extensions: readonly string[], result = 0): DriverSpec {
  const capabilities = (to: bigint) => {
    if (result === 0) { for (let at = 0; at < CAPABILITIES; at += 4) poke32(to + BigInt(at), at / 4); }
    return result;
  };
  return {
    name,
    physicalDevices: [{ properties: { deviceName: name } }],
    instanceExtensions: [SURFACE, HEADLESS, ...extensions],
    missing: extensions.includes(CAPABILITIES_2) ? [] : ["vkGetPhysicalDeviceSurfaceCapabilities2KHR"],
    commands: {
      vkCreateHeadlessSurfaceEXT(_next, _instance, _info, _allocator, out) {
        poke64(out, 11n);
        return 0;
      },
      vkGetPhysicalDeviceSurfaceCapabilitiesKHR: (_next, _gpu, _surface, out) => capabilities(out),
      vkGetPhysicalDeviceSurfaceCapabilities2KHR: (_next, _gpu, _info, out) => capabilities(out + 16n),
    },
  };
}

function gpuOf(instance: VkInstance, name: string): VkPhysicalDevice {
  return instance.vkEnumeratePhysicalDevices().find((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName === name)!;
}

/** Asks what goes with a present mode, with room for so many compatible ones; -1 is no room but a count alone. */
function ask(gpu: VkPhysicalDevice, surface: VkSurfaceKHR, mode: number, room: number): Record<string, number[]> {
  const memory = arena(), mark = memory.mark(), { view } = memory;
  const struct = (size: number, sType: number, next = 0) => {
    const at = memory.alloc(size);
    for (let each = 0; each < size; each += 4) view.setUint32(at + each, UNTOUCHED, true);
    view.setUint32(at, sType, true);
    view.setBigUint64(at + 8, next === 0 ? 0n : memory.address(next), true);
    return at;
  };
  const words = (at: number, length: number) => Array.from({ length }, (_, i) => view.getUint32(at + 4 * i, true));
  const asked = struct(24, MODE), info = struct(24, INFO_2, asked), modes = struct(16, UNTOUCHED);
  const scaling = struct(48, SCALING), compatible = struct(32, COMPATIBILITY, scaling);
  view.setUint32(modes + 8, UNTOUCHED, true);
  const out = struct(72, CAPS_2, compatible);
  view.setUint32(asked + 16, mode, true);
  view.setBigUint64(info + 16, surface, true);
  view.setUint32(compatible + 16, Math.max(room, 0), true);
  view.setBigUint64(compatible + 24, room < 0 ? 0n : memory.address(modes), true);
  const { raw, handle } = gpu;
  const result = raw.vkGetPhysicalDeviceSurfaceCapabilities2KHR(handle, memory.address(info), memory.address(out));
  const told = { result: [result], capabilities: words(out + 16, 13), scaling: words(scaling + 16, 7) };
  const found = { ...told, count: words(compatible + 16, 1), modes: words(modes, 2) };
  memory.release(mark);
  return found;
}

for (const extension of ["VK_EXT_surface_maintenance1", "VK_KHR_surface_maintenance1"]) {
  Deno.test(`a driver without ${extension}: a present mode goes with itself, and images are not scaled`, () => {
    const drivers = [
      presenting("able", [CAPABILITIES_2, extension]),
      presenting("plain", [CAPABILITIES_2]),
      presenting("older", []),
    ];
    withDrivers(drivers, ({ vulkan }) => {
      const ppEnabledExtensionNames = [SURFACE, HEADLESS, CAPABILITIES_2, extension];
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames });
      const surface = instance.vkCreateHeadlessSurfaceEXT({});
      for (const name of ["plain", "older"]) {
        for (const [mode, room, count, first] of [[FIFO, 2, 1, FIFO], [IMMEDIATE, 1, 1, IMMEDIATE]]) {
          assertEquals(ask(gpuOf(instance, name), surface, mode, room), {
            result: [0],
            capabilities: Array.from({ length: 13 }, (_, index) => index),
            scaling: [0, 0, 0, 4, 5, 6, 7],
            count: [count],
            modes: [first, UNTOUCHED],
          });
        }
        const counted = ask(gpuOf(instance, name), surface, FIFO, -1),
          none = ask(gpuOf(instance, name), surface, FIFO, 0);
        assertEquals([counted.count, none.count, none.modes], [[1], [0], [UNTOUCHED, UNTOUCHED]]);
      }
      const own = ask(gpuOf(instance, "able"), surface, FIFO, 2);
      assertEquals([own.count, own.modes], [[2], [UNTOUCHED, UNTOUCHED]], "a driver that has it answers for itself");
      instance.vkDestroySurfaceKHR(surface);
    });
  });
}

Deno.test("what an application chains without the extension stays as it is", () => {
  const drivers = [
    presenting("able", [CAPABILITIES_2, "VK_EXT_surface_maintenance1"]),
    presenting("plain", [CAPABILITIES_2]),
  ];
  withDrivers(drivers, ({ vulkan }) => {
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [SURFACE, HEADLESS, CAPABILITIES_2] });
    const surface = instance.vkCreateHeadlessSurfaceEXT({});
    assertEquals(ask(gpuOf(instance, "plain"), surface, FIFO, 2).modes, [UNTOUCHED, UNTOUCHED]);
    instance.vkDestroySurfaceKHR(surface);
  });
});

for (const [title, result, first] of [["filled", 0, 12], ["all zero after an error", SURFACE_LOST, 0]] as const) {
  Deno.test(`surface capabilities with counters, of a driver that has those without: ${title}`, () => {
    const missing = ["vkGetPhysicalDeviceSurfaceCapabilities2EXT"];
    const drivers = [presenting("able", [COUNTERS]), { ...presenting("plain", [], result), missing }];
    withDrivers(drivers, ({ vulkan }) => {
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [SURFACE, HEADLESS, COUNTERS] });
      const surface = instance.vkCreateHeadlessSurfaceEXT({}), { raw, handle } = gpuOf(instance, "plain");
      const memory = arena(), mark = memory.mark(), out = memory.alloc(72), { view } = memory;
      memory.bytes.fill(0xcc, out, out + 72);
      assertEquals(raw.vkGetPhysicalDeviceSurfaceCapabilities2EXT(handle, surface, memory.address(out)), result);
      const words = Array.from({ length: 14 }, (_, index) => view.getUint32(out + 16 + 4 * index, true));
      memory.release(mark);
      assertEquals(words, Array.from({ length: 14 }, (_, index) => index === 13 ? 0 : Math.min(index, first)));
      instance.vkDestroySurfaceKHR(surface);
    });
  });
}
