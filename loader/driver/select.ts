import { DriverError } from "../error.ts";
import type { AndroidSearch } from "./android_options.ts";
import { type AndroidSource, findAndroidDriver } from "./android_search.ts";
import { findLinuxDrivers } from "./auto.ts";
import { type DirectDriver, type Driver, openDirectDriver, openDriver } from "./driver.ts";
import type { Finding } from "./finding.ts";
import { type FollowingHost, followingHost } from "./following_host.ts";
import type { DriverSource, FoundDriver, Join } from "./found_driver.ts";
import { denoHost, type Host } from "./host.ts";
import { readIcdManifest } from "./manifest.ts";
import { openProperties } from "./android_properties.ts";
import { type Platform, platformFinding, platformOf } from "./platform.ts";
import { updatableFolders } from "./updatable_driver.ts";

export type { Finding } from "./finding.ts";

/** Where and by whose rules a driver is searched for. */
export interface DriverSearch extends AndroidSearch {
  /** Whose rules are followed: Android's, Linux's, or those of the system this runs on. Default `"auto"`. */
  readonly platform?: Platform | "auto";
  /** The machine as the search sees it; for tests. Default: this process. */
  readonly host?: Host;
}

/** The driver chosen and everything that was looked at on the way. */
export interface Selection {
  /** The opened driver; the caller closes it. */
  readonly driver: Driver;
  /** Whose rules the loader follows. */
  readonly platform: Platform;
  /** Which step of an Android search found the driver. */
  readonly source?: AndroidSource;
  /** What was looked at, in order. */
  readonly findings: readonly Finding[];
}

/** The driver a user wants; see {@linkcode selectDriver}. */
export type WantedDriver = string | DirectDriver | readonly (string | DirectDriver)[];

/**
 * Opens the driver a user named: a library, a manifest (`.json`), one in this
 * process, a list of these, or `"auto"` for what the platform's search finds.
 * Several become one by `join`. Throws a {@linkcode DriverError} that carries
 * what was looked at otherwise.
 */
export function selectDriver(wanted: WantedDriver, search: DriverSearch = {}, join?: Join): Selection {
  const host = followed(search.host), findings: Finding[] = [];
  const platform = platformOf(search.platform, host);
  try {
    if (isList(wanted)) return { driver: joinListed(wanted, host, findings, join), platform, findings };
    if (wanted !== "auto") return { ...openOne(wanted, host, findings), platform, findings };
    findings.push(platformFinding(platform, search.platform));
    if (platform === "android") return { ...findAndroidDriver(search, host, findings), platform, findings };
    const driver = findLinuxDrivers(host, join);
    findings.push(...driver.search!.findings());
    return { driver, platform, findings };
  } catch (error) {
    if (error instanceof DriverError) error.findings = [...findings, ...error.findings];
    throw error;
  }
}

/**
 * Android's late updatable driver: what opens one that has appeared since a
 * built-in driver was opened, and gives `undefined` while there is none. Absent
 * for drivers that keep their place. The result throws a
 * {@linkcode DriverError} when the driver that has appeared cannot be used.
 */
export function successorOf({ source }: Selection, search: DriverSearch): (() => Driver | undefined) | undefined {
  const mayAppear = search.app?.packageName !== undefined || search.updatableDriver !== undefined;
  if (!mayAppear || (source !== "built-in" && source !== "apex")) return undefined;
  let found = false;
  return () => {
    if (found || !updatableAppeared(search)) return undefined;
    const { driver } = selectDriver("auto", search);
    found = true;
    return driver;
  };
}

function updatableAppeared(search: DriverSearch): boolean {
  const host = search.host ?? denoHost();
  return updatableFolders(search, openProperties(search.properties, search.root ?? "", host), host, []) !== undefined;
}

function followed(host: Host | undefined): FollowingHost {
  return host && "follow" in host ? host as FollowingHost : followingHost(host);
}

function isList(wanted: WantedDriver): wanted is readonly (string | DirectDriver)[] {
  return Array.isArray(wanted);
}

/** Drivers named one by one, behind one. What cannot be used is an error: each was asked for. */
function joinListed(
  wanted: readonly (string | DirectDriver)[],
  host: FollowingHost,
  findings: Finding[],
  join: Join = () => undefined,
): Driver {
  if (wanted.length === 0) throw new TypeError("Cannot load no driver: name at least one in the driver list");
  const opened: FoundDriver[] = [];
  try {
    for (const each of wanted) opened.push(openOne(each, host, findings));
    const joined = join(listSource(opened), host);
    if (joined) return joined;
    const why = "emitted code cannot be used here, which several drivers behind one need; name one";
    throw new DriverError(opened[0].driver.path, `Cannot join ${opened.length} drivers: ${why}`);
  } catch (error) {
    for (const { driver } of opened) driver.close();
    throw error;
  }
}

/** Drivers that were named stay the same. */
function listSource(drivers: readonly FoundDriver[]): DriverSource {
  const found = { drivers, findings: [] };
  const close = () => drivers.forEach(({ driver }) => driver.close());
  return { look: () => found, release() {}, close };
}

function openOne(wanted: string | DirectDriver, host: Host, findings: Finding[]): FoundDriver {
  return typeof wanted === "string" ? named(wanted, host, findings) : direct(wanted, findings);
}

function direct(wanted: DirectDriver, findings: Finding[]): FoundDriver {
  const driver = openDirectDriver(wanted), reason = "handed over by the caller";
  findings.push({ subject: "driver", path: wanted.name, origin: "driver option", taken: true, reason });
  return { driver };
}

function named(wanted: string, host: Host, findings: Finding[]): FoundDriver {
  const finding = { subject: "driver", origin: "driver option" } as const;
  let path = wanted;
  try {
    const manifest = wanted.endsWith(".json") ? readIcdManifest(wanted, host) : undefined;
    path = manifest?.library ?? wanted;
    const driver = openDriver(path), by = manifest ? `named by manifest ${wanted}` : "named by the caller";
    findings.push({ ...finding, path, taken: true, reason: `${by}, opened as ${driver.kind}` });
    return { driver, isPortability: manifest?.portability };
  } catch (error) {
    findings.push({ ...finding, path, taken: false, reason: (error as Error).message, level: "error" });
    throw error;
  }
}
