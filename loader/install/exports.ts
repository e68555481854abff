import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";
import { EXTENSIONS } from "../gen/extensions_gen.ts";

/**
 * What a Linux loader exports beside the commands of every core version: those
 * of the window system extensions by KHR and EXT that a loader has a part in,
 * as they were when `libvulkan.so.1` first came. Later extensions of that kind
 * are reached by vkGetInstanceProcAddr alone.
 */
const EXPORTED_EXTENSIONS: readonly string[] = [
  "VK_KHR_surface",
  "VK_KHR_swapchain",
  "VK_KHR_display",
  "VK_KHR_display_swapchain",
  "VK_KHR_xlib_surface",
  "VK_KHR_xcb_surface",
  "VK_KHR_wayland_surface",
  "VK_KHR_get_surface_capabilities2",
  "VK_KHR_get_display_properties2",
  "VK_EXT_headless_surface",
];

/** Every name Linux's `libvulkan.so.1` exports: the core commands up to Vulkan 1.4 and those above, 269 in all. */
export function linuxExports(): string[] {
  const instance = INSTANCE_NAMES.split(" "), device = DEVICE_NAMES.split(" ");
  const names = new Set<string>();
  for (const line of EXTENSIONS.trim().split("\n")) {
    const [name, kind, , , , , ...commands] = line.split(" ");
    if (kind !== "v" && !EXPORTED_EXTENSIONS.includes(name)) continue;
    for (const command of commands) names.add(commandName(command, instance, device));
  }
  return [...names];
}

/** A slot such as `i4` or `d77`, or a global command by its name. */
function commandName(command: string, instance: readonly string[], device: readonly string[]): string {
  const slot = /^([id])(\d+)$/.exec(command);
  return slot ? (slot[1] === "i" ? instance : device)[Number(slot[2])] : command;
}
