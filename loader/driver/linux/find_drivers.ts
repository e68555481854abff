import { DriverError } from "../../error.ts";
import type { Driver, LiveSearch } from "../interface/driver.ts";
import type { Finding } from "../report/finding.ts";
import type { FollowingHost } from "../host/following_host.ts";
import type { Join } from "../found_driver.ts";
import { LinuxDrivers, type OpenedDriver } from "./drivers.ts";
import { noDriver } from "../report/refusal.ts";
import { behindPortability } from "./portability.ts";

/** How much lower a portability driver ranks than a conformant driver. */
const PORTABILITY_PENALTY = 10;

/**
 * Returns all drivers of Linux's search, joined. Where they cannot be joined,
 * returns the one with the best device (of equals the first; a portability
 * driver only if there is no other) or throws a {@linkcode DriverError} if no
 * driver has a device.
 */
export function findLinuxDrivers(host: FollowingHost, join: Join = () => undefined): Driver {
  const drivers = new LinuxDrivers(host);
  try {
    return join(drivers, host) ?? bestOf(drivers);
  } catch (error) {
    drivers.close();
    throw error;
  }
}

/** Keeps the best driver and closes all others. */
function bestOf(all: LinuxDrivers): Driver {
  const { drivers, findings } = all.look(), able = drivers.filter((each) => rankOf(each) > -Infinity);
  if (able.length === 0) throw Object.assign(new DriverError("not-found", "auto", noDriver(findings)), { findings });
  const best = able.reduce((top, next) => rankOf(next) > rankOf(top) ? next : top);
  for (const { driver } of drivers.filter((each) => each !== best)) all.release(driver);
  const search: LiveSearch = { findings: () => findings.map((each) => judged(each, best)), refresh() {} };
  return { ...best.isPortability ? behindPortability(best.driver) : best.driver, search };
}

function rankOf({ probe, isPortability }: OpenedDriver): number {
  if (!probe || probe.rank < 0) return -Infinity;
  return probe.rank - (isPortability ? PORTABILITY_PENALTY : 0);
}

/** The finding about a driver where only the best is kept. */
function judged(finding: Finding, { manifest, driver }: OpenedDriver): Finding {
  if (finding.subject !== "driver" || !finding.taken) return finding;
  if (finding.origin === manifest.path) return { ...finding, reason: `${finding.reason}: the best device found` };
  return { ...finding, taken: false, reason: `${finding.reason}, but ${driver.path} ranks first` };
}
