import { DriverError, type Layer, loadVulkan, requireDriver, type Vulkan } from "@pumice/gfx";
import { swiftshaderPath } from "../tools/setup/parts.ts";

/**
 * Opens the driver that was named, else the best of this machine, else
 * SwiftShader as the set-up unpacked it. `say` gets a sentence when it comes
 * to that. Throws a {@linkcode DriverError} when none can be used.
 */
export function openVulkan(
  driver: string | undefined,
  layers: readonly (Layer | string)[],
  say: (sentence: string) => void,
): Vulkan {
  try {
    return requireDriver(loadVulkan({ driver, layers }));
  } catch (error) {
    const swiftshader = swiftshaderPath();
    if (driver !== undefined || swiftshader === undefined || !(error instanceof DriverError)) throw error;
    const vulkan = loadVulkan({ driver: swiftshader, layers });
    say(`${error.message}; taking SwiftShader, which the set-up unpacked`);
    return vulkan;
  }
}
