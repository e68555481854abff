import { assertEquals } from "@std/assert";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { compileClient, runClient } from "./client.ts";

const app = compileClient("swapchain_app"), lavapipe = lavapipePath(), swiftshader = swiftshaderPath();
const NEEDS = needs("Vulkan headers and a C compiler", app).ignore;
const LINE =
  "[Vulkan Loader] ERROR:          vkCreateSwapchainKHR: Invalid surface: it is NULL, of another instance, or " +
  "of no use to the driver of this device [VUID-VkSwapchainCreateInfoKHR-surface-parameter]";
const VALIDATION = "VK_LAYER_KHRONOS_validation";

/** Runs the program with a driver, named and found, on each thread. Debian's loader crashes at such a call. */
function check(driver: string, env: Record<string, string> = {}): void {
  for (const loader of [`pumice:${driver}`, "pumice"]) {
    for (const where of ["here", "thread"] as const) {
      const { said } = runClient(app!, { loader, where, driver, env: { NODEVICE_SELECT: "1", ...env } });
      const lines = said.filter((line) => line.startsWith("[Vulkan Loader]") || line.startsWith("-7 -7"));
      assertEquals({ loader, where, lines }, { loader, where, lines: [`-7 -7: ${LINE}`, LINE] });
    }
  }
}

Deno.test("a swapchain of a NULL surface is refused before a driver that was named hears of it (lavapipe)", {
  ignore: NEEDS || needs("Mesa lavapipe", lavapipe).ignore,
}, () => {
  check(lavapipe!);
});

Deno.test("the same below a native layer", {
  ignore: NEEDS || needs("SwiftShader", swiftshader).ignore ||
    needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  check(swiftshader!, { VK_INSTANCE_LAYERS: VALIDATION, VK_LAYER_DISABLES: "VK_VALIDATION_FEATURE_DISABLE_ALL_EXT" });
});
