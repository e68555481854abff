import { assert, assertEquals, assertThrows } from "@std/assert";
import { defineDriver } from "../../../loader/drivers.ts";
import { defineLayer, loadVulkan, VulkanError } from "../../../loader/mod.ts";
import { lavapipePath, validationManifest } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";

const OWN = "VK_KHR_android_surface", FLAGS = { deviceExtensions: [], instanceExtensions: [] };

function bottom(seen: string[]) {
  return defineLayer({
    name: "VK_LAYER_TEST_windows",
    ownHandles: true,
    instanceExtensions: [{ extensionName: OWN, specVersion: 6 }],
    commands: {
      vkCreateInstance(next, ...args) {
        seen.push("create");
        return next(...args);
      },
      vkCreateAndroidSurfaceKHR(_next, _instance, _info, _allocator, out) {
        seen.push("surface");
        new DataView(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(out)!, 8))
          .setBigUint64(0, 7n, true);
        return 0;
      },
      vkEnumeratePhysicalDevices(next, ...args) {
        seen.push("enumerate");
        return next(...args);
      },
    },
  });
}

Deno.test("bottomLayers are in the chain of instances that ask for what they bring", () => {
  using driver = defineDriver({ name: "bare", physicalDevices: [{}] });
  const seen: string[] = [], layer = bottom(seen);
  using vulkan = loadVulkan({ driver, bottomLayers: [layer] });
  const listed = vulkan.vkEnumerateInstanceExtensionProperties(null).map(({ extensionName }) => extensionName);
  assert(listed.includes(OWN));
  const layers = vulkan.vkEnumerateInstanceLayerProperties().map(({ layerName }) => layerName);
  assert(!layers.includes(layer.name));
  vulkan.vkCreateInstance({}).vkEnumeratePhysicalDevices();
  assertEquals(seen, []);
  const instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: [OWN] });
  instance.vkEnumeratePhysicalDevices();
  assertEquals(instance.vkCreateAndroidSurfaceKHR({ window: 1n as never }), 7n as never);
  assertEquals([...new Set(seen)], ["create", "enumerate", "surface"]);
  assertThrows(() => vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_nothing"] }), VulkanError);
});

Deno.test("bottomLayers stand below native layers", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("validation", validationManifest()).ignore,
}, () => {
  for (const layers of [["VK_LAYER_KHRONOS_validation"], []]) {
    const seen: string[] = [], above = defineLayer({ name: "VK_LAYER_TEST_above", ...FLAGS });
    using vulkan = loadVulkan({ driver: lavapipePath(), layers: [...layers, above], bottomLayers: [bottom(seen)] });
    for (const ppEnabledLayerNames of [[], ["VK_LAYER_KHRONOS_validation"]]) {
      seen.length = 0;
      using instance = vulkan.vkCreateInstance({
        ppEnabledLayerNames,
        ppEnabledExtensionNames: ["VK_KHR_surface", OWN],
      });
      const surface = instance.vkCreateAndroidSurfaceKHR({ window: 1n as never });
      instance.vkEnumeratePhysicalDevices();
      assertEquals([...new Set(seen)].sort(), ["create", "enumerate", "surface"]);
      assert((surface as bigint) !== 0n);
    }
  }
});

Deno.test("bottomLayers are in the chain of all instances of Android", () => {
  using driver = defineDriver({ name: "bare", physicalDevices: [{}] });
  const seen: string[] = [];
  using vulkan = loadVulkan({ driver, platform: "android", bottomLayers: [bottom(seen)] });
  vulkan.vkCreateInstance({}).vkEnumeratePhysicalDevices();
  assertEquals([...new Set(seen)], ["create", "enumerate"]);
});

Deno.test("bottomLayers stand below native layers with layers of other minds about threads", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("validation", validationManifest()).ignore,
}, () => {
  let asked = 0;
  const between = defineLayer({
    name: "VK_LAYER_TEST_between",
    commands: {
      vkGetPhysicalDeviceFeatures(next, ...args) {
        asked++;
        return next(...args);
      },
    },
  });
  const below = { ...bottom([]), onForeignThread: "block" } as const;
  using vulkan = loadVulkan({
    driver: lavapipePath(),
    layers: ["VK_LAYER_KHRONOS_validation", between],
    bottomLayers: [below],
  });
  using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface", OWN] });
  asked = 0;
  instance.vkEnumeratePhysicalDevices()[0].vkGetPhysicalDeviceFeatures();
  assertEquals(asked, 1);
});
