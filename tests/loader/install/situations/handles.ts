/**
 * Plans with handles and arguments that are none. Each ends in a child, of
 * which the signal and the broken rule are told.
 *
 * @module
 */
import { plan, type Planned } from "./planned.ts";

const SURFACES =
  "instance VK_KHR_surface VK_KHR_xcb_surface VK_KHR_xlib_surface VK_KHR_wayland_surface VK_EXT_headless_surface " +
  "VK_KHR_display VK_KHR_get_surface_capabilities2 VK_EXT_debug_utils VK_EXT_debug_report; device VK_KHR_swapchain";
const BEGIN =
  "instance +VK_KHR_surface +VK_KHR_xcb_surface +VK_KHR_xlib_surface +VK_KHR_wayland_surface +VK_EXT_headless_surface " +
  "+VK_KHR_display +VK_KHR_get_surface_capabilities2 +VK_EXT_debug_utils +VK_EXT_debug_report; gpus; device 0 +VK_KHR_swapchain; surface headless; utils 1 1; report 1";

/** A step with a handle of a kind that is memory without a table, and with NULL: the rule of a command is broken. */
function bad(kind: string, step: string, command: string): Planned[] {
  const parameter = kind === "gpu" ? "physicalDevice" : kind;
  const broken = `0 | 0 1.0 | 0 | 0 | 0 | 0 | 6 [VUID-${command}-${parameter}-parameter]`;
  return (["garbage", "null"] as const).map((how) => {
    const isOlder = how === "null" && kind === "gpu", isOurs = how === "garbage" && kind === "device";
    const differs = isOlder ? { differs: "older" as const } : isOurs ? { differs: "ours" as const } : {};
    return plan(`${how} ${kind}: ${step}`, SURFACES, `${BEGIN}; dies spoil ${kind} ${how} , ${step}`, broken, differs);
  });
}

/** A step with NULL that breaks no rule. */
function harmless(kind: string, step: string, more: Pick<Planned, "differs"> = {}): Planned {
  const steps = `${BEGIN}; dies spoil ${kind} null , ${step}`;
  return plan(`harmless NULL ${kind}: ${step}`, SURFACES, steps, "0 | 0 1.0 | 0 | 0 | 0 | 0 | 0", more);
}

const NULLABLE = /GetInstanceProcAddr|DestroyInstance|DestroyDevice|GetDeviceProcAddr/;
const STEPS: readonly (readonly [kind: string, step: string, command: string])[] = [
  ["instance", "gpus", "vkEnumeratePhysicalDevices"],
  ["instance", "count", "vkEnumeratePhysicalDevices"],
  ["instance", "has vkCreateDevice", "vkGetInstanceProcAddr"],
  ["instance", "surface xcb", "vkCreateXcbSurfaceKHR"],
  ["instance", "surface xlib", "vkCreateXlibSurfaceKHR"],
  ["instance", "surface wayland", "vkCreateWaylandSurfaceKHR"],
  ["instance", "surface headless", "vkCreateHeadlessSurfaceEXT"],
  ["instance", "surface display", "vkCreateDisplayPlaneSurfaceKHR"],
  ["instance", "destroy surface", "vkDestroySurfaceKHR"],
  ["instance", "destroy instance", "vkDestroyInstance"],
  ["gpu", "device 0", "vkCreateDevice"],
  ["gpu", "support 0", "vkGetPhysicalDeviceSurfaceSupportKHR"],
  ["gpu", "caps 0", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR"],
  ["gpu", "caps2 0", "vkGetPhysicalDeviceSurfaceCapabilities2KHR"],
  ["gpu", "formats 0", "vkGetPhysicalDeviceSurfaceFormatsKHR"],
  ["gpu", "modes 0", "vkGetPhysicalDeviceSurfacePresentModesKHR"],
  ["gpu", "rects 0", "vkGetPhysicalDevicePresentRectanglesKHR"],
  ["gpu", "displays 0", "vkGetPhysicalDeviceDisplayPropertiesKHR"],
  ["gpu", "present xcb 0", "vkGetPhysicalDeviceXcbPresentationSupportKHR"],
  ["gpu", "present xlib 0", "vkGetPhysicalDeviceXlibPresentationSupportKHR"],
  ["gpu", "present wayland 0", "vkGetPhysicalDeviceWaylandPresentationSupportKHR"],
  ["device", "swapchain", "vkCreateSwapchainKHR"],
  ["device", "name device", "vkSetDebugUtilsObjectNameEXT"],
  ["device", "devhas vkCmdDraw", "vkGetDeviceProcAddr"],
  ["device", "destroy device", "vkDestroyDevice"],
];

/** Plans with values that are no handle. Debian's loader dies of NULL physical devices, and of devices that are none. */
export const HANDLES: readonly Planned[] = [
  ...STEPS.flatMap(([kind, step, command]) => bad(kind, step, command).slice(0, NULLABLE.test(command) ? 1 : 2)),
  harmless("instance", "has vkCreateDevice"),
  harmless("instance", "destroy instance"),
  harmless("device", "devhas vkCmdDraw", { differs: "older" }),
  harmless("device", "destroy device"),
];
