import { noDriver } from "../driver/report/no_driver.ts";
import { DriverError } from "../error.ts";
import type { Vulkan } from "./vulkan.ts";

/**
 * The loader itself, if one of its drivers has a device. A loader that looked
 * for drivers answers without any, too, as the system's does: what it lists
 * comes from layers, and only making an instance fails.
 *
 * @throws {DriverError} when no driver that was found has a device; the message lists what was looked at. The loader is
 * closed then.
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
