import type { Driver } from "./driver.ts";
import type { Host } from "./host.ts";
import type { Finding } from "./finding.ts";
import type { LoaderSettings } from "./settings_types.ts";

/** A driver that a search opened, and what its manifest says of it. */
export interface FoundDriver {
  /** The driver. */
  readonly driver: Driver;
  /** Whether only applications that ask for portability drivers may see it. */
  readonly isPortability?: boolean;
  /** Whether its manifest claims no more than Vulkan 1.0. */
  readonly claimsOld?: boolean;
}

/**
 * Makes one driver of several and takes them over; `undefined` where that
 * cannot be. `settings` is what the settings file says. What is read in the
 * environment is appended to `report`.
 */
export type Join = (
  found: readonly FoundDriver[],
  host: Host,
  report: Finding[],
  settings?: LoaderSettings,
) => Driver | undefined;
