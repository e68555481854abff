import { assertEquals, assertNotEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { codec } from "../../../loader/codec/codec.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { VK_MAKE_API_VERSION } from "../../../loader/vk.ts";
import { NativeVulkan } from "../install/native.ts";
import { CHAINS, unchanged } from "./create_info.ts";

Deno.test("acceptance 1: an instance is made and destroyed", () => {
  using driver = defineDriver({ name: "one" });
  using vulkan = loadVulkan({ driver });
  const instance = vulkan.vkCreateInstance({});
  assertEquals([driver.live("VkInstance"), instance.vkEnumeratePhysicalDevices().length], [1, 1]);
  instance.vkDestroyInstance();
  assertEquals(driver.live("VkInstance"), 0);
});

for (const { name, layers, ignore } of CHAINS) {
  Deno.test(`acceptance 2: vkCreateInstance leaves its create info as it was (${name})`, { ignore }, () => {
    using driver = defineDriver({ name: "const", instanceExtensions: ["VK_EXT_debug_utils"] });
    using vulkan = loadVulkan({ driver, layers });
    const info = {
      pApplicationInfo: { pApplicationName: "application", pEngineName: "engine", apiVersion: 1 << 22 },
      ppEnabledExtensionNames: ["VK_EXT_debug_utils"],
      pNext: [{ sType: 1000247000, pEnabledValidationFeatures: [4] }],
    };
    unchanged("VkInstanceCreateInfo", info, (at, out) => vulkan.raw.vkCreateInstance(at, 0n, out));
    assertEquals(driver.live("VkInstance"), 1);
  });
}

Deno.test("acceptance 3: destroying no instance and no device does nothing, called by native code", () => {
  using driver = defineDriver({ name: "null" });
  using vulkan = loadVulkan({ driver });
  using _installed = vulkan.install();
  using native = new NativeVulkan();
  const instance = native.createInstance(), device = native.createDevice(native.firstGpu(instance));
  native.call("vkDestroyDevice", [0n, 0n]);
  native.call("vkDestroyDevice", [0n, 0n], native.ofDevice(device, "vkDestroyDevice"));
  native.call("vkDestroyDevice", [0n, 0n], native.ofInstance(instance, "vkDestroyDevice"));
  native.call("vkDestroyInstance", [0n, 0n]);
  native.call("vkDestroyInstance", [0n, 0n], native.ofInstance(instance, "vkDestroyInstance"));
  assertEquals([driver.live("VkInstance"), driver.live("VkDevice")], [1, 1]);
  native.call("vkDestroyDevice", [device, 0n]);
  native.call("vkDestroyInstance", [instance, 0n]);
  assertEquals([driver.live("VkInstance"), driver.live("VkDevice")], [0, 0]);
});

Deno.test("acceptance 3: destroying no instance and no device does nothing, called raw", () => {
  using driver = defineDriver({ name: "null" });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  device.raw.vkDestroyDevice(0n, 0n);
  instance.raw.vkDestroyInstance(0n, 0n);
  assertEquals([driver.live("VkInstance"), driver.live("VkDevice")], [1, 1]);
});

Deno.test("acceptance 7 and 11: any apiVersion is taken, below 1.0 and above all there are", () => {
  const versions = [[0, 1, 0], [0, 0, 0], [9, 9, 9], [1, 1023, 4095]];
  for (const [major, minor, patch] of versions) {
    const apiVersion = VK_MAKE_API_VERSION(0, major, minor, patch), seen: number[] = [];
    using driver = defineDriver({
      name: "versions",
      commands: {
        vkCreateInstance(next, info, ...rest) {
          const memory = arena(), mark = memory.mark(), create = codec("VkInstanceCreateInfo");
          const { pApplicationInfo } = create.decode(memory.copyIn(info, create.size));
          seen.push((pApplicationInfo as { apiVersion: number }).apiVersion);
          memory.release(mark);
          return next(info, ...rest);
        },
      },
    });
    using vulkan = loadVulkan({ driver });
    using _instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion } });
    assertEquals(seen, [apiVersion]);
  }
});

Deno.test("acceptance 8: instances are made one after another and at the same time", () => {
  using driver = defineDriver({ name: "twice" });
  using vulkan = loadVulkan({ driver });
  for (let time = 0; time < 2; time++) {
    using instance = vulkan.vkCreateInstance({});
    assertEquals(instance.vkEnumeratePhysicalDevices().length, 1);
  }
  using outer = vulkan.vkCreateInstance({});
  {
    using inner = vulkan.vkCreateInstance({});
    assertNotEquals(inner.handle, outer.handle);
    assertEquals(driver.live("VkInstance"), 2);
  }
  assertEquals([outer.vkEnumeratePhysicalDevices().length, driver.live("VkInstance")], [1, 1]);
});
