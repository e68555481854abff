import type { Driver, LiveSearch } from "./interface/driver.ts";
import type { FollowingHost } from "./host/following_host.ts";
import type { Finding } from "./report/finding.ts";
import type { Platform } from "./search/platform.ts";
import type { LoaderSettings } from "./manifest/settings_types.ts";
import type { DriverSearch } from "./search/wanted.ts";

/** A driver that a search opened, and what its manifest says of it. */
export interface FoundDriver {
  /** The driver. */
  readonly driver: Driver;
  /** Whether only applications that ask for portability drivers see the driver. */
  readonly isPortability?: boolean;
  /** Whether it was asked and had no device. */
  readonly isIdle?: boolean;
  /** Whether its manifest claims no more than Vulkan 1.0. */
  readonly claimsOld?: boolean;
}

/** What one look for drivers found. */
export interface FoundDrivers {
  /** The drivers, in order; there may be none. */
  readonly drivers: readonly FoundDriver[];
  /** What the settings file says. */
  readonly settings?: LoaderSettings;
  /** What was looked at. */
  readonly findings: readonly Finding[];
}

/** Where the drivers behind one come from. */
export interface DriverSource {
  /** Those there are. The same object while nothing has changed. */
  look(): FoundDrivers;
  /** How it looks for them. Absent: they stay the same. */
  readonly search?: LiveSearch;
  /** Says whether an instance uses a driver. Set by who takes the source over, for a source that looks. */
  isUsed?: (driver: Driver) => boolean;
  /** Closes one that is not there any more and that nobody uses. */
  release(driver: Driver): void;
  /** Closes all members. */
  close(): void;
}

/** Makes one driver of several and takes their source over; `undefined` where that cannot be. */
export type Join = (source: DriverSource, host: FollowingHost) => Driver | undefined;

/** The driver that was named, or that a search ended with. */
export interface ChosenDriver {
  /** The opened driver; the caller closes it. */
  readonly driver: Driver;
  /** Asked before an instance is made while there is none: a driver that has appeared and is to take its place. */
  readonly successor?: () => Driver | undefined;
}

/** A platform's rules for `"auto"`. */
export interface SearchRules {
  /** The platform. */
  readonly name: Platform;
  /** Opens the platform's driver. What is looked at is appended to `report`. Throws a `DriverError` when there is none. */
  findDriver(search: DriverSearch, host: FollowingHost, report: Finding[], join: Join): ChosenDriver;
}
