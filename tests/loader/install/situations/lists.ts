/**
 * Plans about versions, lists of devices, groups, extensions and layers, and
 * the queries that a driver of Vulkan 1.0 lacks.
 *
 * @module
 */
import { plan, type Planned } from "./planned.ts";

const PROPERTIES2 = "VK_KHR_get_physical_device_properties2",
  OLD = "api 1.0",
  PORTABILITY = "VK_KHR_portability_enumeration";

/** Plans about lists and versions. */
export const LISTS: readonly Planned[] = [
  plan("versions: of the loader", "gpus 1", "version; instance 1.0; version", "0 1 | 0 | 0 1"),
  plan("versions: of the loader, over an old driver", OLD, "version", "0 1"),
  ...["1.0", "1.1", "1.2", "1.3", "1.9", "2.0", "0.5"].map((version) =>
    plan(`versions: an application of ${version}`, "gpus 1", `instance ${version}; gpus; destroy instance`, "0 | 0 1.0")
  ),
  ...["1.0", "1.1", "1.3"].map((version) =>
    plan(
      `versions: an application of ${version} on a driver of 1.0`,
      OLD,
      `instance ${version}; gpus; destroy instance`,
      "0 | 0 1.0",
    )
  ),
  plan(
    "versions: a driver of 1.0 beside one of 1.3",
    [OLD, "gpus 1"],
    "instance 1.1; gpus; device 0; device 1",
    "0 | 0 1.0 2.0 | 0 | 0",
  ),
  plan(
    "versions: a driver without vkEnumerateInstanceVersion",
    "lacks vkEnumerateInstanceVersion",
    "instance 1.1; gpus",
    "0 | 0 1.0",
  ),
  ...["2", "3", "4", "5", "6", "7"].map((version) =>
    plan(`versions: interface ${version}`, `interface ${version}`, "instance; gpus; device 0", "0 | 0 1.0 | 0")
  ),
  plan("devices: none", "gpus 0", "instance; gpus; count", "0 | -3 | -3 0"),
  plan("devices: none of two drivers", ["gpus 0", "gpus 0"], "instance; gpus; count", "0 | -3 | -3 0"),
  plan("devices: one driver has none", ["gpus 0", "gpus 2"], "instance; gpus; count", "0 | 0 2.0 2.1 | 0 2"),
  plan(
    "devices: in parts",
    "gpus 4",
    "instance; gpus 0; gpus 1; gpus 2; gpus 3; gpus 4; gpus 5",
    "0 | 5 | 5 1.0 | 5 1.0 1.1 | 5 1.0 1.1 1.2 | 0 1.0 1.1 1.2 1.3 | 0 1.0 1.1 1.2 1.3",
  ),
  plan(
    "devices: in parts, of two drivers",
    ["gpus 2", "gpus 2"],
    "instance; gpus 1; gpus 2; gpus 3; gpus",
    "0 | 5 1.0 | 5 1.0 1.1 | 5 1.0 1.1 2.0 | 0 1.0 1.1 2.0 2.1",
  ),
  plan(
    "devices: counted twice, then listed",
    "gpus 3",
    "instance; count; count; gpus; count; gpus",
    "0 | 0 3 | 0 3 | 0 1.0 1.1 1.2 | 0 3 | 0 1.0 1.1 1.2",
  ),
  plan(
    "devices: a driver fails to list",
    "fails vkEnumeratePhysicalDevices=-3",
    "instance; gpus; count; destroy instance",
    "0 | -3 | -3 0",
  ),
  plan(
    "devices: one of two drivers fails to list",
    ["fails vkEnumeratePhysicalDevices=-3", "gpus 1"],
    "instance; gpus; count",
    "0 | 0 2.0 | 0 1",
    { differs: "older" },
  ),
  plan(
    "devices: one of two drivers has no memory to list",
    ["fails vkEnumeratePhysicalDevices=-1", "gpus 1"],
    "instance; gpus; count; gpus",
    "-1 |  |  | ",
    { differs: "ours" },
  ),
  ...([
    [4, 2, "2.0 1.0"],
    [2, 4, "1.0 2.0"],
    [1, 2, "2.0 1.0"],
    [2, 1, "1.0 2.0"],
    [3, 1, "2.0 1.0"],
    [0, 3, "2.0 1.0"],
    [4, 0, "2.0 1.0"],
  ] as const).map(([first, second, order]) =>
    plan(
      `devices: types ${first} and ${second}`,
      [`type ${first}`, `type ${second}`],
      "instance; gpus",
      `0 | 0 ${order}`,
    )
  ),
  plan(
    "devices: many of many drivers",
    ["gpus 2; type 1", "gpus 2; type 2", "gpus 2; type 4", "gpus 2; type 2"],
    "instance; gpus; gpus 3; count",
    "0 | 0 2.0 2.1 4.0 4.1 1.0 1.1 3.0 3.1 | 5 2.0 2.1 4.0 | 0 8",
  ),
  plan(
    "devices: of 1.0, one driver beside another",
    [OLD, "gpus 1; type 2"],
    "instance 1.1; gpus; props2 0; props2 1",
    "0 | 0 2.0 1.0 | planned 2.0 | planned 1.0",
  ),
  plan("drivers: one fails", ["fails vkCreateInstance=-3", "gpus 1"], "instance; gpus", "0 | 0 2.0"),
  plan("drivers: all fail", ["fails vkCreateInstance=-3", "fails vkCreateInstance=-7"], "instance", "-9"),
  plan("drivers: incompatible ones", ["fails vkCreateInstance=-9", "fails vkCreateInstance=-9"], "instance", "-9"),
  plan("drivers: one has no memory", ["fails vkCreateInstance=-1", "gpus 1"], "instance", "-1"),
  plan("drivers: one lacks a command of 1.0", "lacks vkGetPhysicalDeviceProperties", "instance", "-9", {
    differs: "older",
  }),
  plan(
    "drivers: one of two lacks a command of 1.0",
    ["lacks vkGetPhysicalDeviceFeatures", "gpus 1"],
    "instance; gpus",
    "0 | 0 2.0",
    { differs: "older" },
  ),
  plan("drivers: one lacks vkCreateDevice", ["lacks vkCreateDevice", "gpus 1"], "instance; gpus", "0 | 0 2.0", {
    differs: "older",
  }),
  plan("drivers: one lacks vkDestroyInstance", ["lacks vkDestroyInstance", "gpus 1"], "instance; gpus", "0 | 0 2.0", {
    differs: "older",
  }),
  plan(
    "groups: a driver that knows none",
    "gpus 3",
    "instance 1.1; gpus; groups; groups 8; groups 2",
    "0 | 0 1.0 1.1 1.2 | 0 3 | 0 3 of 1+1+1 | 5 2 of 1+1",
  ),
  plan(
    "groups: of one",
    "gpus 3; pairs 1",
    "instance 1.1; gpus; groups; groups 8; groups 2; groups 0",
    "0 | 0 1.0 1.1 1.2 | 0 3 | 0 3 of 1+1+1 | 5 2 of 1+1 | 5 0",
  ),
  plan(
    "groups: of two",
    "gpus 4; pairs 2",
    "instance 1.1; gpus; groups; groups 8; groups 1",
    "0 | 0 1.0 1.1 1.2 1.3 | 0 2 | 0 2 of 2+2 | 5 1 of 2",
  ),
  plan(
    "groups: with a rest",
    "gpus 5; pairs 3",
    "instance 1.1; gpus; groups; groups 8",
    "0 | 0 1.0 1.1 1.2 1.3 1.4 | 0 2 | 0 2 of 3+2",
  ),
  plan(
    "groups: of two drivers",
    ["gpus 4; pairs 2", "gpus 2; pairs 2"],
    "instance 1.1; groups; groups 8; groups 2",
    "0 | 0 3 | 0 3 of 2+2+2 | 5 2 of 2+2",
  ),
  plan(
    "groups: one driver knows none",
    ["gpus 4; pairs 2", "gpus 2"],
    "instance 1.1; groups; groups 8",
    "0 | 0 4 | 0 4 of 2+2+1+1",
  ),
  plan("groups: of an old driver", OLD, "instance 1.1; groups; groups 8", "0 | 0 1 | 0 1 of 1"),
  plan("groups: without devices", "gpus 0; pairs 2", "instance 1.1; groups", "0 | -3 0"),
  plan(
    "groups: by the extension",
    "gpus 2; pairs 2; instance VK_KHR_device_group_creation",
    "instance 1.0 +VK_KHR_device_group_creation; has vkEnumeratePhysicalDeviceGroupsKHR; groups 4; groups 0",
    "0 | yes | 0 1 of 2 | 5 0",
  ),
  plan(
    "extensions: listed whole and in part",
    "instance VK_KHR_surface VK_KHR_xcb_surface",
    "extensions 64; extensions 1; extensions 0",
    "0 6 | 5 1 | 5 0",
    { differs: "older" },
  ),
  plan(
    "extensions: unknown ones are left out",
    "instance VK_KHR_surface VK_TEST_unknown",
    "extensions 64; instance +VK_TEST_unknown",
    "0 5 | -7",
    { differs: "older" },
  ),
  plan(
    "extensions: unknown ones are let through",
    "instance VK_KHR_surface VK_TEST_unknown",
    "set VK_LOADER_DISABLE_INST_EXT_FILTER=1; extensions 64; instance +VK_TEST_unknown; unset VK_LOADER_DISABLE_INST_EXT_FILTER",
    "0 6 | 0",
    { differs: "older" },
  ),
  plan(
    "extensions: of two drivers",
    ["instance VK_KHR_surface", "instance VK_KHR_surface VK_KHR_xcb_surface"],
    "extensions 64; instance +VK_KHR_xcb_surface +VK_KHR_surface; gpus",
    "0 6 | 0 | 0 1.0 2.0",
    { differs: "older" },
  ),
  plan("extensions: a device extension for an instance", "device VK_KHR_swapchain", "instance +VK_KHR_swapchain", "-7"),
  plan(
    "extensions: named twice",
    "instance VK_KHR_surface",
    "instance +VK_KHR_surface +VK_KHR_surface; gpus",
    "0 | 0 1.0",
  ),
  plan("extensions: portability enumeration", "gpus 1", `instance +${PORTABILITY}; gpus`, "0 | 0 1.0"),
  plan(
    "extensions: of a device",
    "device VK_KHR_swapchain VK_KHR_maintenance1",
    "instance; gpus; devexts 0; devexts 0 64; devexts 0 1; device 0 +VK_KHR_swapchain +VK_KHR_maintenance1",
    "0 | 0 1.0 | 0 2 | 0 2 | 5 1 | 0",
  ),
  plan(
    "extensions: none of a device",
    "gpus 1",
    "instance; gpus; devexts 0; devexts 0 64; device 0 +VK_KHR_swapchain",
    "0 | 0 1.0 | 0 0 | 0 0 | -7",
  ),
  plan(
    "extensions: of another device",
    ["device VK_KHR_swapchain", "gpus 1"],
    "instance; gpus; devexts 0; devexts 1; device 0 +VK_KHR_swapchain; device 1 +VK_KHR_swapchain",
    "0 | 0 1.0 2.0 | 0 1 | 0 0 | 0 | -7",
  ),
  plan("layers: none", "gpus 1", "layers; layers 4; instance layer:VK_LAYER_TEST_nobody", "0 0 | 0 0 | -6"),
  plan(
    "queries of 1.1: nobody enabled them",
    OLD,
    "instance 1.0; gpus; has vkGetPhysicalDeviceProperties2 vkGetPhysicalDeviceProperties2KHR",
    "0 | 0 1.0 | yes no",
  ),
  plan("queries of 1.1: an extension that the driver lacks", OLD, `instance 1.0 +${PROPERTIES2}`, "-7"),
  plan(
    "queries of 1.1: an extension that the driver has",
    `${OLD}; instance ${PROPERTIES2}`,
    `instance 1.0 +${PROPERTIES2}; gpus; has vkGetPhysicalDeviceProperties2KHR; props2 0`,
    "0 | 0 1.0 | yes | planned 1.0",
  ),
  plan(
    "queries of 1.1: one of two drivers has the extension",
    [`${OLD}; instance ${PROPERTIES2}`, OLD],
    `instance 1.0 +${PROPERTIES2}; gpus; props2 0; props2 1; families2 0; families2 1`,
    "0 | 0 1.0 2.0 | planned 1.0 | planned 2.0 | 0 1 | 0 1",
  ),
  plan(
    "queries of 1.1: of a driver of 1.0",
    OLD,
    "instance 1.1; gpus; props2 0; families2 0",
    "0 | 0 1.0 | planned 1.0 | 0 1",
  ),
  plan(
    "queries of 1.1: of a driver of 1.3 for 1.0",
    "gpus 1",
    "instance 1.0; gpus; props2 0; families2 0",
    "0 | 0 1.0 | planned 1.0 | 0 1",
  ),
  plan(
    "queries of 1.1: of drivers of 1.0 and 1.3",
    [OLD, "gpus 1", "api 1.1; gpus 2"],
    "instance 1.1; gpus; props2 0; props2 1; props2 2; props2 3",
    "0 | 0 1.0 2.0 3.0 3.1 | planned 1.0 | planned 2.0 | planned 3.0 | planned 3.1",
  ),
];
