import type { Driver, LiveSearch } from "./interface/driver.ts";
import type { FollowingHost } from "./host/following_host.ts";
import type { Finding } from "./report/finding.ts";
import type { DriverSearch, Platform } from "./search/search.ts";
import type { LoaderSettings } from "./manifest/settings_types.ts";

/** A driver that a search opened, and facts from its manifest. */
export interface FoundDriver {
  /** The driver. */
  readonly driver: Driver;
  /** Whether only applications that ask for portability drivers see the driver. */
  readonly isPortability?: boolean;
  /** Whether the driver was asked and had no device. */
  readonly isIdle?: boolean;
  /** Whether its manifest claims no more than Vulkan 1.0. */
  readonly claimsOld?: boolean;
}

/** The result of one search for drivers. */
export interface FoundDrivers {
  /** The drivers, in order; there may be none. */
  readonly drivers: readonly FoundDriver[];
  /** The settings file's contents. */
  readonly settings?: LoaderSettings;
  /** The findings. */
  readonly findings: readonly Finding[];
}

/** The source of joined drivers. */
export interface DriverSource {
  /** Returns the current drivers. The same object while nothing has changed. */
  look(): FoundDrivers;
  /** The search for drivers. Absent: the drivers never change. */
  readonly search?: LiveSearch;
  /** Whether an instance uses a driver. The new owner of a searching source sets this function. */
  isUsed?: (driver: Driver) => boolean;
  /** Closes a driver that is gone and not in use. */
  release(driver: Driver): void;
  /** Closes all drivers. */
  close(): void;
}

/** Joins several drivers into one and takes ownership of their source; `undefined` where that is impossible. */
export type Join = (source: DriverSource, host: FollowingHost) => Driver | undefined;

/** The named driver, or the result of a search. */
export interface ChosenDriver {
  /** The opened driver; the caller closes it. */
  readonly driver: Driver;
  /**
   * Called before an instance is created while there is none. Returns a driver
   * that has appeared and replaces this one.
   */
  readonly successor?: () => Driver | undefined;
}

/** A platform's rules for `"auto"`. */
export interface SearchRules {
  /** The platform. */
  readonly name: Platform;
  /** Opens the platform's driver and appends findings to `report`. Throws a `DriverError` if there is none. */
  findDriver(search: DriverSearch, host: FollowingHost, report: Finding[], join: Join): ChosenDriver;
}
