import { tableLayout } from "../table/table_layout.ts";
import { createSurfaceCheck } from "../../emit/members/surface_check.ts";
import { VK_ERROR_EXTENSION_NOT_PRESENT } from "../../gen/native_gen.ts";

/** The commands that make swapchains, in the order of their places in a device's own slots. */
export const SWAPCHAINS = ["vkCreateSwapchainKHR", "vkCreateSharedSwapchainsKHR"] as const;

let checks: ReadonlyMap<string, bigint> | null | undefined;

/** The refusal of a swapchain whose surface is not a surface, or not one of the device's driver. */
export function noSurface(
  command: string,
): { readonly result: number; readonly refusesNull: true; readonly said: string } {
  const said =
    `${"[Vulkan Loader] ERROR:".padEnd(32)}${command}: Invalid surface: it is NULL, of another instance, or of ` +
    "no use to the driver of this device [VUID-VkSwapchainCreateInfoKHR-surface-parameter]\n";
  return { result: VK_ERROR_EXTENSION_NOT_PRESENT, refusesNull: true, said };
}

/**
 * Functions for {@linkcode SWAPCHAINS}, by name, that refuse a surface of NULL and otherwise call the commands in the
 * device's own slots. Made at the first call, which must not be inside a callback; `undefined` where emitted code cannot
 * be used.
 */
export function surfaceCheck(): ReadonlyMap<string, bigint> | undefined {
  if (checks === undefined) {
    const [one, many] = SWAPCHAINS.map((name, index) => {
      return { name, target: 8 * (tableLayout("device").own + index), ...noSurface(name) };
    });
    checks = createSurfaceCheck(one, many) ?? null;
  }
  return checks ?? undefined;
}
