/**
 * Plans with surfaces: extensions, creation, queries and destruction.
 *
 * @module
 */
import { plan, type Planned } from "./planned.ts";

const KINDS = {
  xcb: "VK_KHR_xcb_surface",
  xlib: "VK_KHR_xlib_surface",
  wayland: "VK_KHR_wayland_surface",
  headless: "VK_EXT_headless_surface",
};
const COMMANDS = {
  xcb: "vkCreateXcbSurfaceKHR",
  xlib: "vkCreateXlibSurfaceKHR",
  wayland: "vkCreateWaylandSurfaceKHR",
  headless: "vkCreateHeadlessSurfaceEXT",
};

/** The same plans for each window system. */
function ofKind([kind, extension]: [string, string]): Planned[] {
  const command = COMMANDS[kind as keyof typeof COMMANDS], both = `instance VK_KHR_surface ${extension}`;
  const make = `instance +VK_KHR_surface +${extension}; surface ${kind}`,
    QUERIES = "support 0; caps 0; formats 0; modes 0";
  return [
    plan(
      `${kind}: no driver has the extension`,
      "gpus 1",
      `instance +VK_KHR_surface +${extension}; instance; has ${command}`,
      "-7 | 0 | no",
    ),
    plan(
      `${kind}: the extension is not enabled`,
      both,
      `instance +VK_KHR_surface; has ${command}; surface ${kind}`,
      "0 | no | -7",
      kind === "headless" ? { differs: "ours" } : {}, // there the Khronos loader succeeds, and gives NULL
    ),
    plan(
      `${kind}: VK_KHR_surface is not enabled`,
      both,
      `instance +${extension}; has ${command} vkDestroySurfaceKHR`,
      "0 | yes no",
    ),
    plan(
      `${kind}: one driver`,
      both,
      `${make}; gpus; ${QUERIES}; destroy surface; destroy instance`,
      "0 | 0 | 0 1.0 | 0 1 | 0 3 | 0 2 37 | 0 3",
    ),
    plan(
      `${kind}: the driver lacks the command`,
      `${both}; lacks ${command}`,
      `${make}; gpus; ${QUERIES}; destroy surface; destroy instance`,
      "0 | 0 | 0 1.0 | 0 0 | -7 0 | -7 4 0 | -7 4",
      { differs: "older" },
    ),
    plan(`${kind}: the driver fails`, `${both}; fails ${command}=-1`, `${make}; destroy instance`, "0 | -1"),
    plan(
      `${kind}: one of two drivers fails`,
      [both, `${both}; fails ${command}=-1`],
      `${make}; destroy instance`,
      "0 | -1",
    ),
    plan(
      `${kind}: one of three drivers lacks the command`,
      [both, `${both}; lacks ${command}`, both],
      `${make}; gpus; support 0; support 1; support 2; destroy surface`,
      "0 | 0 | 0 1.0 2.0 3.0 | 0 1 | 0 0 | 0 1",
      { differs: "older" },
    ),
    plan(
      `${kind}: one of two drivers lacks the extension`,
      [both, "gpus 1"],
      `${make}; gpus; support 0; support 1; destroy surface`,
      "0 | 0 | 0 1.0 2.0 | 0 1 | 0 0",
      { differs: "ours" },
    ),
    plan(
      `${kind}: four drivers`,
      [both, both, both, both],
      `${make}; gpus; support 0; support 1; support 2; support 3; destroy surface; destroy instance`,
      "0 | 0 | 0 1.0 2.0 3.0 4.0 | 0 1 | 0 1 | 0 1 | 0 1",
    ),
    ...kind === "headless" ? [] : [
      plan(
        `${kind}: presentation`,
        both,
        `instance +VK_KHR_surface +${extension}; gpus; present ${kind} 0`,
        "0 | 0 1.0 | 1",
      ),
    ],
  ];
}

const XCB = "instance VK_KHR_surface VK_KHR_xcb_surface", BOTH = `${XCB} VK_KHR_wayland_surface`;
const NEWER = `${XCB} VK_KHR_get_surface_capabilities2`, MAKE = "instance +VK_KHR_surface +VK_KHR_xcb_surface";
const MAKE2 = `${MAKE} +VK_KHR_get_surface_capabilities2; surface xcb; gpus`, SWAPS = "device VK_KHR_swapchain";
const DISPLAY = "instance VK_KHR_surface VK_KHR_display";

/** Plans with surfaces. */
export const SURFACES: readonly Planned[] = [
  ...Object.entries(KINDS).flatMap(ofKind),
  plan(
    "two window systems, one enabled",
    [XCB, "instance VK_KHR_surface VK_KHR_wayland_surface"],
    `${MAKE}; surface wayland; surface xcb; gpus; support 0; support 1`,
    "0 | -7 | 0 | 0 1.0 2.0 | 0 1 | 0 0",
    { differs: "older" },
  ),
  plan(
    "two window systems, the other enabled",
    [XCB, "instance VK_KHR_surface VK_KHR_wayland_surface"],
    "instance +VK_KHR_surface +VK_KHR_wayland_surface; surface xcb; surface wayland; gpus; support 0; support 1",
    "0 | -7 | 0 | 0 1.0 2.0 | 0 0 | 0 1",
    { differs: "older" },
  ),
  plan(
    "two window systems in one driver",
    BOTH,
    `${MAKE} +VK_KHR_wayland_surface; surface xcb; surface wayland; gpus; support 0; use surface 0; support 0; destroy surface; use surface 1; destroy surface; destroy instance`,
    "0 | 0 | 0 | 0 1.0 | 0 1 | 0 1",
  ),
  plan("presentation to another window system", XCB, `${MAKE}; gpus; present wayland 0`, "0 | 0 1.0 | 0"),
  plan(
    "presentation without the query",
    `${XCB}; lacks vkGetPhysicalDeviceXcbPresentationSupportKHR`,
    `${MAKE}; gpus; present xcb 0`,
    "0 | 0 1.0 | 0",
  ),
  plan(
    "presentation of two drivers, one without the query",
    [XCB, `${XCB}; lacks vkGetPhysicalDeviceXcbPresentationSupportKHR`],
    `${MAKE}; gpus; present xcb 0; present xcb 1`,
    "0 | 0 1.0 2.0 | 1 | 0",
  ),
  plan(
    "no query of support",
    `${XCB}; lacks vkGetPhysicalDeviceSurfaceSupportKHR`,
    `${MAKE}; surface xcb; gpus; support 0`,
    "0 | 0 | 0 1.0 | 0 0",
  ),
  plan(
    "no query of capabilities",
    `${XCB}; lacks vkGetPhysicalDeviceSurfaceCapabilitiesKHR`,
    `${MAKE}; surface xcb; gpus; caps 0`,
    "0 | 0 | 0 1.0 | 0 0",
  ),
  plan(
    "no query of formats",
    `${XCB}; lacks vkGetPhysicalDeviceSurfaceFormatsKHR`,
    `${MAKE}; surface xcb; gpus; formats 0`,
    "0 | 0 | 0 1.0 | 0 0 0",
  ),
  plan(
    "no query of modes",
    `${XCB}; lacks vkGetPhysicalDeviceSurfacePresentModesKHR`,
    `${MAKE}; surface xcb; gpus; modes 0`,
    "0 | 0 | 0 1.0 | 0 0",
  ),
  plan(
    "the query of support fails",
    `${XCB}; fails vkGetPhysicalDeviceSurfaceSupportKHR=-1`,
    `${MAKE}; surface xcb; gpus; support 0`,
    "0 | 0 | 0 1.0 | -1 1",
  ),
  plan(
    "the query of capabilities fails",
    `${XCB}; fails vkGetPhysicalDeviceSurfaceCapabilitiesKHR=-1000000000`,
    `${MAKE}; surface xcb; gpus; caps 0`,
    "0 | 0 | 0 1.0 | -1000000000 3",
  ),
  plan(
    "capabilities of the second kind",
    NEWER,
    `${MAKE2}; caps2 0; has vkGetPhysicalDeviceSurfaceCapabilities2KHR vkGetPhysicalDeviceSurfaceFormats2KHR`,
    "0 | 0 | 0 1.0 | 0 103 | yes yes",
  ),
  plan(
    "capabilities of the second kind, without the command",
    `${NEWER}; lacks vkGetPhysicalDeviceSurfaceCapabilities2KHR`,
    `${MAKE2}; caps2 0`,
    "0 | 0 | 0 1.0 | 0 3",
  ),
  plan(
    "capabilities of the second kind, of two drivers, one without",
    [NEWER, XCB],
    `${MAKE2}; caps2 0; caps2 1`,
    "0 | 0 | 0 1.0 2.0 | 0 103 | 0 104",
  ),
  plan(
    "capabilities of the second kind fail",
    `${NEWER}; fails vkGetPhysicalDeviceSurfaceCapabilities2KHR=-1000000000`,
    `${MAKE2}; caps2 0`,
    "0 | 0 | 0 1.0 | -1000000000 103",
  ),
  plan(
    "a swapchain",
    `${XCB}; ${SWAPS}`,
    `${MAKE}; surface xcb; gpus; device 0 +VK_KHR_swapchain; devhas vkCreateSwapchainKHR vkDestroySwapchainKHR; swapchain; destroy device; destroy surface`,
    "0 | 0 | 0 1.0 | 0 | yes yes | 0",
  ),
  plan(
    "a swapchain of the second driver",
    [`${XCB}; ${SWAPS}`, `${XCB}; ${SWAPS}`],
    `${MAKE}; surface xcb; gpus; device 1 +VK_KHR_swapchain; swapchain; destroy device; destroy surface`,
    "0 | 0 | 0 1.0 2.0 | 0 | 0",
  ),
  plan(
    "a swapchain that fails",
    `${XCB}; ${SWAPS}; fails vkCreateSwapchainKHR=-1000000001`,
    `${MAKE}; surface xcb; gpus; device 0 +VK_KHR_swapchain; swapchain`,
    "0 | 0 | 0 1.0 | 0 | -1000000001",
  ),
  plan(
    "no swapchain extension",
    `${XCB}; ${SWAPS}`,
    `${MAKE}; surface xcb; gpus; device 0; devhas vkCreateSwapchainKHR vkGetSwapchainImagesKHR; has vkCreateSwapchainKHR`,
    "0 | 0 | 0 1.0 | 0 | no no | yes",
  ),
  plan(
    "a swapchain extension that the driver lacks",
    XCB,
    `${MAKE}; surface xcb; gpus; device 0 +VK_KHR_swapchain`,
    "0 | 0 | 0 1.0 | -7",
  ),
  plan("a NULL surface is destroyed", XCB, `${MAKE}; destroy surface; count; destroy instance`, "0 | 0 1"),
  plan(
    "a NULL surface without the extension is destroyed",
    XCB,
    "instance; destroy surface; count; destroy instance",
    "0 | 0 1",
  ),
  plan(
    "surfaces go in another order",
    XCB,
    `${MAKE}; surface xcb; surface xcb; surface xcb; gpus; use surface 1; destroy surface; use surface 0; support 0; destroy surface; surface xcb; support 0; destroy surface; use surface 2; support 0; destroy surface; destroy instance`,
    "0 | 0 | 0 | 0 | 0 1.0 | 0 1 | 0 | 0 1 | 0 1",
  ),
  plan("an instance goes before its surface", XCB, `${MAKE}; surface xcb; destroy instance`, "0 | 0"),
  plan(
    "two instances with surfaces",
    XCB,
    `${MAKE}; surface xcb; ${MAKE}; surface xcb; gpus; support 0; destroy surface; destroy instance; use instance 0; use surface 0; gpus; support 0; destroy surface; destroy instance`,
    "0 | 0 | 0 | 0 | 0 1.0 | 0 1 | 0 1.0 | 0 1",
  ),
  plan(
    "40 surfaces",
    XCB,
    `${MAKE}; gpus${"; surface xcb; support 0; destroy surface".repeat(40)}; destroy instance`,
    "0 | 0 1.0 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1 | 0 | 0 1",
  ),
  plan(
    "displays of a driver that has none",
    DISPLAY,
    "instance +VK_KHR_surface +VK_KHR_display; surface display; has vkCreateDisplayPlaneSurfaceKHR vkGetPhysicalDeviceDisplayPropertiesKHR",
    "0 | 0 | yes yes",
  ),
  plan(
    "displays without the extension",
    "gpus 1",
    "instance +VK_KHR_surface +VK_KHR_display; instance; has vkCreateDisplayPlaneSurfaceKHR",
    "-7 | 0 | no",
  ),
  plan(
    "rectangles of a device without groups",
    `${XCB}; ${SWAPS}`,
    `${MAKE}; surface xcb; gpus; rects 0; has vkGetPhysicalDevicePresentRectanglesKHR`,
    "0 | 0 | 0 1.0 | 0 1 | yes",
  ),
  plan(
    "an old driver without interface 3",
    `${XCB}; interface 2`,
    `${MAKE}; surface xcb; gpus; support 0; destroy surface`,
    "0 | 0 | 0 1.0 | 0 1",
  ),
];
