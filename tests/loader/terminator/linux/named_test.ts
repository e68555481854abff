import { assert, assertEquals } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { createThunk } from "../../../../ffi/thunk/thunk.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import type { VkDevice, VkInstance } from "../../../../loader/types.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../../tools/setup/parts.ts";
import { createMessenger } from "../../../support/messenger.ts";
import { needs } from "../../../support/require.ts";

const lavapipe = lavapipePath()!, swiftshader = swiftshaderPath()!;
const NEEDS = { ignore: needs("Mesa lavapipe", lavapipe).ignore || needs("SwiftShader", swiftshader).ignore };
/** Each driver named alone, and behind one that joins drivers: both are to do the same. */
const DRIVERS = [lavapipe, [lavapipe], swiftshader, [swiftshader]];
const QUERIES = "VK_KHR_get_physical_device_properties2", PORTABILITY = "VK_KHR_portability_enumeration";
const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

/** Runs something on each driver. */
function onEach(use: (vulkan: ReturnType<typeof loadVulkan>, which: string) => void, layers: string[] = []): void {
  for (const driver of DRIVERS) {
    using vulkan = loadVulkan({ driver, platform: "linux", layers });
    use(vulkan, JSON.stringify(driver));
  }
}

/** The bytes of a struct in the arena that a raw command fills. */
function filled(size: number, sType: number, call: (out: bigint) => unknown): number[] {
  const memory = arena(), mark = memory.mark(), at = memory.alloc(size);
  memory.bytes.fill(0, at, at + size);
  memory.view.setUint32(at, sType, true);
  call(memory.address(at));
  const bytes = [...memory.bytes.subarray(at, at + size)];
  memory.release(mark);
  return bytes;
}

Deno.test("an application of Vulkan 1.0 has the queries of 1.1, by both names as far as it enabled them", NEEDS, () => {
  onEach((vulkan, which) => {
    for (const ppEnabledExtensionNames of [[], [QUERIES]]) {
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames });
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      assertEquals(gpu.vkGetPhysicalDeviceProperties2().properties, gpu.vkGetPhysicalDeviceProperties(), which);
      assertEquals(gpu.vkGetPhysicalDeviceFeatures2().features, gpu.vkGetPhysicalDeviceFeatures(), which);
      const { memoryProperties } = gpu.vkGetPhysicalDeviceMemoryProperties2();
      assertEquals(memoryProperties, gpu.vkGetPhysicalDeviceMemoryProperties(), which);
      if (ppEnabledExtensionNames.length === 0) continue;
      const { properties } = gpu.vkGetPhysicalDeviceProperties2KHR();
      assertEquals(properties.deviceName, gpu.vkGetPhysicalDeviceProperties().deviceName, which);
    }
  });
});

Deno.test("validation finds nothing wrong with a device of an application of Vulkan 1.0", {
  ignore: NEEDS.ignore || needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  onEach((vulkan, which) => {
    using messenger = createMessenger();
    using instance = vulkan.vkCreateInstance({
      ppEnabledExtensionNames: ["VK_EXT_debug_utils", QUERIES],
      pNext: [messenger.info],
    });
    using _listening = messenger.listen(instance);
    for (const gpu of instance.vkEnumeratePhysicalDevices()) {
      using device = gpu.vkCreateDevice(QUEUE);
      drawable(device);
    }
    assertEquals([which, messenger.messages], [which, []]);
  }, ["VK_LAYER_KHRONOS_validation"]);
});

/** Makes what needs to know what a format can do: an image with a view, and a render pass. */
function drawable(device: VkDevice): void {
  const FORMAT = 37, COLOR = 0x10, LAYOUT = 2; // R8G8B8A8_UNORM as a colour attachment
  const extent = { width: 16, height: 16, depth: 1 };
  const shape = { imageType: 1, format: FORMAT, extent, mipLevels: 1, arrayLayers: 1, samples: 1, usage: COLOR };
  const image = device.vkCreateImage(shape), { size, memoryTypeBits } = device.vkGetImageMemoryRequirements(image);
  const memoryTypeIndex = Math.log2(memoryTypeBits & -memoryTypeBits);
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex });
  device.vkBindImageMemory(image, memory, 0n);
  const subresourceRange = { aspectMask: 1, levelCount: 1, layerCount: 1 };
  const view = device.vkCreateImageView({ image, viewType: 1, format: FORMAT, subresourceRange });
  const pass = device.vkCreateRenderPass({
    pAttachments: [{ format: FORMAT, samples: 1, loadOp: 2, storeOp: 1, stencilLoadOp: 2, finalLayout: LAYOUT }],
    pSubpasses: [{ pColorAttachments: [{ attachment: 0, layout: LAYOUT }] }],
  });
  device.vkDestroyRenderPass(pass);
  device.vkDestroyImageView(view);
  device.vkDestroyImage(image);
  device.vkFreeMemory(memory);
}

Deno.test("any driver takes VK_KHR_portability_enumeration, which is the loader's", NEEDS, () => {
  onEach((vulkan, which) => {
    const names = vulkan.vkEnumerateInstanceExtensionProperties().map(({ extensionName }) => extensionName);
    assertEquals(names.filter((name) => name === PORTABILITY), [PORTABILITY], which);
    using instance = vulkan.vkCreateInstance({ flags: 1, ppEnabledExtensionNames: [PORTABILITY] });
    assertEquals(instance.vkEnumeratePhysicalDevices().length, 1, which);
  });
});

Deno.test("a list without a count is VK_ERROR_INITIALIZATION_FAILED", NEEDS, () => {
  onEach((vulkan, which) => {
    using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x401000 } });
    const { raw, handle } = instance,
      results = [
        raw.vkEnumeratePhysicalDevices(handle, 0n, 0n),
        raw.vkEnumeratePhysicalDeviceGroups(handle, 0n, 0n),
      ];
    assertEquals([which, ...results], [which, -3, -3]);
  });
});

Deno.test("a debug report callback is made though its create info has no structure type", NEEDS, () => {
  using vulkan = loadVulkan({ driver: [swiftshader, lavapipe], platform: "linux" });
  using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_EXT_debug_report"] });
  const heard: number[] = [];
  const thunk = createThunk("w:wwqqsqqq", (flags) => heard.push(flags as number) && 0);
  report(instance, thunk.address);
  thunk.free();
  assert(heard.includes(8), `${heard}`);
});

/** Makes a callback by a create info of sType 0, has it told of an error, and destroys it. */
function report(instance: VkInstance, callback: bigint): void {
  const { raw, handle } = instance, memory = arena(), mark = memory.mark();
  const info = memory.alloc(40), out = memory.alloc(8), text = memory.place(new TextEncoder().encode("told\0"));
  memory.bytes.fill(0, info, info + 40);
  memory.view.setUint32(info + 16, 8, true);
  memory.view.setBigUint64(info + 24, callback, true);
  assertEquals(raw.vkCreateDebugReportCallbackEXT(handle, memory.address(info), 0n, memory.address(out)), 0);
  raw.vkDebugReportMessageEXT(handle, 8, 0, 0n, 0n, 0, text, text);
  raw.vkDestroyDebugReportCallbackEXT(handle, memory.view.getBigUint64(out, true), 0n);
  memory.release(mark);
}

Deno.test("a device has the commands of VK_EXT_debug_utils only if its instance enabled that", NEEDS, () => {
  const UTILS = "VK_EXT_debug_utils";
  onEach((vulkan, which) => {
    for (const ppEnabledExtensionNames of [[], [UTILS]]) {
      using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames });
      using device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(QUEUE);
      const names = ["vkSetDebugUtilsObjectNameEXT", "vkCmdBeginDebugUtilsLabelEXT", "vkQueueInsertDebugUtilsLabelEXT"];
      const found = names.map((name) => device.vkGetDeviceProcAddr(name) !== 0n);
      assertEquals([which, ...found], [which, ...names.map(() => ppEnabledExtensionNames.length > 0)]);
    }
  });
});

Deno.test("what is emulated outlives the instance it was first found for", NEEDS, () => {
  onEach((vulkan, which) => {
    using kept = vulkan.vkCreateInstance({});
    vulkan.vkCreateInstance({}).close();
    const [gpu] = kept.vkEnumeratePhysicalDevices(), PROPERTIES = 824, INSIDE = 16;
    const chained = filled(
      INSIDE + PROPERTIES,
      1000059001,
      (out) => kept.raw.vkGetPhysicalDeviceProperties2(gpu.handle, out),
    );
    const plain = filled(PROPERTIES, 0, (out) => kept.raw.vkGetPhysicalDeviceProperties(gpu.handle, out));
    assertEquals([which, chained.slice(INSIDE)], [which, plain]);
  });
});
