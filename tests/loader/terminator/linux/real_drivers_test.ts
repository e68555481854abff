import { assert, assertEquals } from "@std/assert";
import { defineLayer, loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../../tools/setup/parts.ts";
import { createMessenger, listen } from "../../../support/messenger.ts";
import { mappings, openFiles } from "../../../support/open_files.ts";
import { needs } from "../../../support/require.ts";
import { fillAndReadOn } from "../../fill.ts";

const DRIVERS = [lavapipePath()!, swiftshaderPath()!];
const BOTH = needs("Mesa lavapipe", lavapipePath()).ignore || needs("SwiftShader", swiftshaderPath()).ignore;
const INFO = { pApplicationInfo: { apiVersion: 0x403000 } };

Deno.test("two real drivers behind one fill buffers through a TypeScript layer", { ignore: BOTH }, () => {
  let filled = 0;
  const counter = defineLayer({
    name: "VK_LAYER_TEST_counter",
    commands: {
      vkCmdFillBuffer(next, ...args) {
        filled++;
        return next(...args);
      },
    },
  });
  using vulkan = loadVulkan({ driver: DRIVERS, layers: [counter] });
  using instance = vulkan.vkCreateInstance(INFO);
  const gpus = instance.vkEnumeratePhysicalDevices();
  assertEquals(gpus.map((gpu) => fillAndReadOn(gpu, 0x600dca11)), [0x600dca11, 0x600dca11]);
  assertEquals(filled, 2);
});

Deno.test("two real drivers behind one satisfy validation, which hears from both", {
  ignore: BOTH || needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  using messenger = createMessenger();
  using vulkan = loadVulkan({ driver: DRIVERS, layers: ["VK_LAYER_KHRONOS_validation"] });
  using instance = vulkan.vkCreateInstance({
    ...INFO,
    ppEnabledExtensionNames: ["VK_EXT_debug_utils"],
    pNext: [messenger.info],
  });
  using _listening = listen(instance, messenger);
  const gpus = instance.vkEnumeratePhysicalDevices();
  assertEquals(gpus.map((gpu) => fillAndReadOn(gpu, 0x600dca11)), [0x600dca11, 0x600dca11]);
  for (const gpu of gpus) {
    using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
    // Not the physical device: Mesa 22.3 looks for the allocator of its device, which it has not.
    device.vkSetDebugUtilsObjectNameEXT({ objectType: 3, objectHandle: device.handle, pObjectName: "it" });
  }
  assertEquals(messenger.messages, []);
  for (const gpu of gpus) {
    using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
    device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 0 }));
  }
  assertEquals(messenger.messages.length, 2);
  assert(messenger.messages.every((message) => message.includes("VUID-VkBufferCreateInfo-")));
});

Deno.test("two real drivers behind one leave nothing behind", { ignore: BOTH }, () => {
  const cycle = () => {
    using vulkan = loadVulkan({ driver: DRIVERS });
    using instance = vulkan.vkCreateInstance(INFO);
    for (const gpu of instance.vkEnumeratePhysicalDevices()) {
      gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] }).close();
    }
  };
  cycle();
  const before = openFiles();
  cycle();
  assertEquals([openFiles(), mappings("libvk_swiftshader")], [before, 0]);
});
