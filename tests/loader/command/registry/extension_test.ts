import { assert, assertEquals } from "@std/assert";
import { nameOfSType } from "../../../../loader/codec/layout/layout.ts";
import { allExtensions, findExtension } from "../../../../loader/command/registry/extension.ts";
import { findCommand } from "../../../../loader/command/registry/table.ts";

Deno.test("findExtension() knows core versions, instance and device extensions", () => {
  assertEquals({ ...findExtension("VK_KHR_surface") }, {
    name: "VK_KHR_surface",
    kind: "instance",
    platform: "-",
    specVersion: 25,
    commands: [
      "vkDestroySurfaceKHR",
      "vkGetPhysicalDeviceSurfaceSupportKHR",
      "vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
      "vkGetPhysicalDeviceSurfaceFormatsKHR",
      "vkGetPhysicalDeviceSurfacePresentModesKHR",
    ],
    structs: [],
  });
  assertEquals(findExtension("VK_KHR_swapchain")!.kind, "device");
  assertEquals(findExtension("VK_KHR_xcb_surface")!.platform, "xcb");
  assertEquals(findExtension("VK_VERSION_1_1")!.kind, "core");
  assertEquals(findExtension("VK_VERSION_1_1")!.commands[0], "vkEnumerateInstanceVersion");
});

Deno.test("findExtension() takes whole names only, and finds the last one", () => {
  for (const name of ["VK_KHR_surfac", "VK_KHR_surface ", "KHR_surface", "", "VK_NO_such_extension"]) {
    assertEquals(findExtension(name), undefined, name);
  }
  assertEquals(findExtension("VK_ANDROID_native_buffer")!.commands.length, 6);
});

Deno.test("allExtensions() names only commands that there are", () => {
  const all = allExtensions();
  assert(all.length > 400);
  for (const { commands } of all) for (const name of commands) assert(findCommand(name), name);
});

Deno.test("findExtension() knows the structs that devices are asked for, by the names the extension gives them", () => {
  const structs = (name: string) => findExtension(name)!.structs.map(({ name, sType }) => [name, nameOfSType(sType)]);
  assertEquals(structs("VK_EXT_robustness2"), [
    ["VkPhysicalDeviceRobustness2FeaturesEXT", "VkPhysicalDeviceRobustness2FeaturesKHR"],
    ["VkPhysicalDeviceRobustness2PropertiesEXT", "VkPhysicalDeviceRobustness2PropertiesKHR"],
  ]);
  assertEquals(structs("VK_KHR_line_rasterization"), [
    ["VkPhysicalDeviceLineRasterizationFeaturesKHR", "VkPhysicalDeviceLineRasterizationFeatures"],
    ["VkPhysicalDeviceLineRasterizationPropertiesKHR", "VkPhysicalDeviceLineRasterizationProperties"],
  ]);
  assertEquals(structs("VK_KHR_variable_pointers").map(([name]) => name), [
    "VkPhysicalDeviceVariablePointerFeaturesKHR",
    "VkPhysicalDeviceVariablePointersFeaturesKHR",
  ]);
  assertEquals(structs("VK_EXT_memory_budget"), []); // its struct is of the memory's chain
  const named = allExtensions().flatMap(({ structs }) => structs).map(({ sType }) => nameOfSType(sType));
  assert(named.length > 400 && named.every((name) => name?.startsWith("VkPhysicalDevice")));
});
