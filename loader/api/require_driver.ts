import { noDriver } from "../driver/report/finding.ts";
import { DriverError } from "../error.ts";
import type { Vulkan } from "./vulkan.ts";

/**
 * Returns the loader itself if one of its drivers has a device. A loader that
 * searched for drivers works without any device, too, as the system's loader
 * does: its lists come from layers, and only creating an instance fails.
 *
 * @throws {DriverError} if no driver has a device; the message lists the
 *   findings. The loader is closed then.
 *
 * @example
 * ```ts ignore
 * import { loadVulkan, requireDriver } from "@pumice/gfx/loader";
 *
 * using vulkan = requireDriver(loadVulkan());
 * ```
 */
export function requireDriver(vulkan: Vulkan): Vulkan {
  if (vulkan.driver !== "") return vulkan;
  const findings = vulkan.explain();
  vulkan.close();
  throw Object.assign(new DriverError("not-found", "auto", noDriver(findings)), { findings });
}
