/**
 * Plans with drivers that the application gives by VK_LUNARG_direct_driver_loading.
 *
 * @module
 */
import { plan, type Planned } from "./planned.ts";

const WITH = "+VK_LUNARG_direct_driver_loading", D0 = "DIR/driver_0.so", D1 = "DIR/driver_1.so", D2 = "DIR/driver_2.so";
const NONE = "unset VK_DRIVER_FILES; ", HIDDEN = "hidden; interface 7";

const LIST = "VkDirectDriverLoadingListLUNARG", EXTENSION = "VK_LUNARG_direct_driver_loading extension";
const INFO = "VkDirectDriverLoadingInfoLUNARG structure at index";
const ADDED = "loader_add_direct_driver: Adding driver found in", SCAN = "loader_scan_for_direct_drivers: The";

/** A messenger that is chained hears this once. */
function said(title: string, drivers: string | string[], words: string, text: string): Planned {
  return plan(`said: ${title}`, drivers, `instance utils:1111 ${words}; heard ${text}`, "0 | 1", { differs: "older" });
}

/** Plans with direct drivers. */
export const DIRECT: readonly Planned[] = [
  plan(
    "alone",
    HIDDEN,
    `${NONE}instance ${WITH} direct:${D0}; gpus; device 0; destroy device; destroy instance`,
    "0 | 0 1.0 | 0",
    { differs: "older" },
  ),
  plan("alone and exclusive", HIDDEN, `${NONE}instance ${WITH} only:${D0}; gpus; destroy instance`, "0 | 0 1.0", {
    differs: "older",
  }),
  plan(
    "beside an installed one",
    ["gpus 1", HIDDEN],
    `instance ${WITH} direct:${D1}; gpus; destroy instance`,
    "0 | 0 1.0 2.0",
    { differs: "older" },
  ),
  plan(
    "beside an installed one, exclusive",
    ["gpus 1", HIDDEN],
    `instance ${WITH} only:${D1}; gpus; destroy instance`,
    "0 | 0 2.0",
    { differs: "older" },
  ),
  plan(
    "two",
    [HIDDEN, HIDDEN],
    `${NONE}instance ${WITH} direct:${D0} direct:${D1}; gpus; device 0; device 1; destroy instance`,
    "0 | 0 1.0 2.0 | 0 | 0",
    { differs: "older" },
  ),
  plan(
    "two, exclusive, beside an installed one",
    ["gpus 1", HIDDEN, HIDDEN],
    `instance ${WITH} only:${D1} only:${D2}; gpus`,
    "0 | 0 2.0 3.0",
    { differs: "older" },
  ),
  plan("one twice", HIDDEN, `${NONE}instance ${WITH} direct:${D0} direct:${D0}; gpus`, "0 | 0 1.0 1.0", {
    differs: "older",
  }),
  plan("without the extension", ["gpus 1", HIDDEN], `instance direct:${D1}; gpus`, "0 | 0 1.0"),
  plan("without the extension, exclusive", ["gpus 1", HIDDEN], `instance only:${D1}; gpus`, "0 | 0 1.0"),
  plan("without a function", "gpus 1", `instance ${WITH} null:; gpus`, "0 | 0 1.0", { differs: "older" }),
  plan(
    "without a function, another with",
    ["gpus 1", HIDDEN],
    `instance ${WITH} null: direct:${D1}; gpus`,
    "0 | 0 1.0 2.0",
    { differs: "older" },
  ),
  plan("an empty list", "gpus 1", `instance ${WITH} none:; gpus`, "0 | 0 1.0", { differs: "older" }),
  plan("interface 6", ["gpus 1", "hidden; interface 6"], `instance ${WITH} direct:${D1}; gpus`, "0 | 0 1.0", {
    differs: "older",
  }),
  plan("interface 5", ["gpus 1", "hidden; interface 5"], `instance ${WITH} direct:${D1}; gpus`, "0 | 0 1.0", {
    differs: "older",
  }),
  plan("interface 8", ["gpus 1", "hidden; interface 8"], `instance ${WITH} direct:${D1}; gpus`, "0 | 0 1.0 2.0", {
    differs: "older",
  }),
  plan(
    "no negotiation",
    ["gpus 1", `${HIDDEN}; lacks vk_icdNegotiateLoaderICDInterfaceVersion`],
    `instance ${WITH} direct:${D1}; gpus`,
    "0 | 0 1.0",
    { differs: "older" },
  ),
  plan(
    "no vkCreateInstance",
    ["gpus 1", `${HIDDEN}; lacks vkCreateInstance`],
    `instance ${WITH} direct:${D1}; gpus`,
    "0 | 0 1.0",
    { differs: "older" },
  ),
  plan(
    "no list of extensions",
    ["gpus 1", `${HIDDEN}; lacks vkEnumerateInstanceExtensionProperties`],
    `instance ${WITH} direct:${D1}; gpus`,
    "0 | 0 1.0",
    { differs: "older" },
  ),
  plan(
    "no vk_icdGetPhysicalDeviceProcAddr",
    ["gpus 1", `${HIDDEN}; lacks vk_icdGetPhysicalDeviceProcAddr`],
    `instance ${WITH} direct:${D1}; gpus`,
    "0 | 0 1.0 2.0",
    { differs: "older" },
  ),
  plan(
    "a driver that fails",
    ["gpus 1", `${HIDDEN}; fails vkCreateInstance=-3`],
    `instance ${WITH} direct:${D1}; gpus`,
    "0 | 0 1.0",
    { differs: "older" },
  ),
  plan(
    "a driver that fails alone",
    `${HIDDEN}; fails vkCreateInstance=-3`,
    `${NONE}instance ${WITH} only:${D0}; instance`,
    "-9 | -9",
  ),
  plan(
    "its extensions",
    ["gpus 1", `${HIDDEN}; instance VK_KHR_surface VK_KHR_xcb_surface`],
    `instance ${WITH} +VK_KHR_surface +VK_KHR_xcb_surface direct:${D1}; surface xcb; gpus; support 0; support 1`,
    "0 | 0 | 0 1.0 2.0 | 0 0 | 0 1",
    { differs: "ours" },
  ),
  plan(
    "an older driver for a newer application",
    `${HIDDEN}; api 1.0`,
    `${NONE}instance 1.1 ${WITH} only:${D0}; gpus`,
    "0 | 0 1.0",
    { differs: "older" },
  ),
  plan(
    "its unknown commands",
    [`${HIDDEN}; knows vkMineTEST; device_knows vkTheirsTEST`],
    `${NONE}instance ${WITH} only:${D0}; gpus; knows vkMineTEST 0 1 2; device 0; devknows vkTheirsTEST 3 4`,
    "0 | 0 1.0 | 1003 | 0 | 1012",
    { differs: "older", elsewhere: "0 | 0 1.0 | NULL | 0 | 1012" },
  ),
  plan(
    "two instances, one with",
    ["gpus 1", HIDDEN],
    `instance ${WITH} direct:${D1}; gpus; instance; gpus; use instance 0; gpus; destroy instance`,
    "0 | 0 1.0 2.0 | 0 | 0 1.0 | 0 1.0 2.0",
    { differs: "older" },
  ),
  plan("no device", ["gpus 1", `${HIDDEN}; gpus 0`], `instance ${WITH} direct:${D1}; gpus`, "0 | 0 1.0", {
    differs: "older",
  }),
  plan(
    "a filter that names no driver",
    ["gpus 1", HIDDEN],
    `set VK_LOADER_DRIVERS_DISABLE=*; instance ${WITH} direct:${D1}; gpus; unset VK_LOADER_DRIVERS_DISABLE`,
    "0 | 0 2.0",
    { differs: "older" },
  ),
  plan(
    "a filter that selects the installed one",
    ["gpus 1", HIDDEN],
    `set VK_LOADER_DRIVERS_SELECT=0.json; instance ${WITH} direct:${D1}; gpus; unset VK_LOADER_DRIVERS_SELECT`,
    "0 | 0 1.0 2.0",
    { differs: "older" },
  ),
  said(
    "a driver is added",
    HIDDEN,
    `${WITH} direct:${D0}`,
    `${ADDED} index 0 of ${LIST}::pDrivers structure. pfnGetInstanceProcAddr was set to 0x`,
  ),
  said(
    "a second driver is added",
    [HIDDEN, HIDDEN],
    `${WITH} direct:${D0} direct:${D1}`,
    `${ADDED} index 1 of ${LIST}::pDrivers structure. pfnGetInstanceProcAddr was set to 0x`,
  ),
  said(
    "no function",
    "gpus 1",
    `${WITH} null:`,
    "loader_add_direct_driver: VkDirectDriverLoadingInfoLUNARG structure at index 0 contains a NULL pointer for the pfnGetInstanceProcAddr member, skipping.",
  ),
  said(
    "exclusive",
    HIDDEN,
    `${WITH} only:${D0}`,
    `${SCAN} ${EXTENSION} is active and specified VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG, skipping system and environment variable driver search mechanisms.`,
  ),
  said(
    "no array",
    "gpus 1",
    `${WITH} none:`,
    `${SCAN} ${LIST} structure in the pNext chain of VkInstanceCreateInfo has a NULL pDrivers member.`,
  ),
  said(
    "no list",
    "gpus 1",
    WITH,
    `${SCAN} ${EXTENSION} was enabled but the pNext chain of VkInstanceCreateInfo did not contain the ${LIST} structure.`,
  ),
  said(
    "the extension is not enabled",
    ["gpus 1", HIDDEN],
    `direct:${D1}`,
    `${SCAN} pNext chain of VkInstanceCreateInfo contained the ${LIST} structure, but the ${EXTENSION} was not enabled.`,
  ),
  ...["vk_icdNegotiateLoaderICDInterfaceVersion", "vkCreateInstance", "vkEnumerateInstanceExtensionProperties"].map((
    name,
  ) =>
    said(
      `no ${name}`,
      ["gpus 1", `${HIDDEN}; lacks ${name}`],
      `${WITH} direct:${D1}`,
      `loader_add_direct_driver: Could not get '${name}' from ${INFO} 0, skipping.`,
    )
  ),
  said(
    "interface 6",
    ["gpus 1", "hidden; interface 6"],
    `${WITH} direct:${D1}`,
    `loader_add_direct_driver: ${INFO} 0 supports interface version 6, which is incompatible with the Loader Driver Interface version that supports the ${EXTENSION}, skipping.`,
  ),
];
