import { DriverError } from "../error.ts";
import type { AndroidSearch } from "./android_options.ts";
import { type AndroidSource, findAndroidDriver } from "./android_search.ts";
import { bestDriver } from "./auto.ts";
import { type DirectDriver, type Driver, openDirectDriver, openDriver } from "./driver.ts";
import type { Finding } from "./finding.ts";
import { denoHost, type Host } from "./host.ts";
import { linuxManifests } from "./linux_search.ts";
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

/**
 * Opens the driver a user named: a library, a manifest (`.json`), one in this
 * process, or `"auto"` for the best that the platform's search finds. Throws a
 * {@linkcode DriverError} that carries what was looked at otherwise.
 */
export function selectDriver(wanted: string | DirectDriver, search: DriverSearch = {}): Selection {
  const host = search.host ?? denoHost(), findings: Finding[] = [];
  const platform = platformOf(search.platform, host);
  try {
    if (typeof wanted !== "string") return { ...direct(wanted, findings), platform };
    if (wanted !== "auto") return { ...named(wanted, host, findings), platform };
    findings.push(platformFinding(platform, search.platform));
    if (platform === "android") return { ...findAndroidDriver(search, host, findings), platform, findings };
    return { driver: bestDriver(linuxManifests(host, findings), host, findings), platform, findings };
  } catch (error) {
    if (error instanceof DriverError) error.findings = findings;
    throw error;
  }
}

/**
 * Android's late updatable driver: when one has appeared since a built-in
 * driver was opened, closes that and opens the new one. The old driver's
 * instances must be gone. Returns `undefined` when nothing has changed.
 */
export function refreshDriver(old: Selection, search: DriverSearch): Selection | undefined {
  if (old.source !== "built-in" && old.source !== "apex") return undefined;
  if (!updatableAppeared(search)) return undefined;
  old.driver.close();
  return selectDriver("auto", search);
}

function updatableAppeared(search: DriverSearch): boolean {
  const host = search.host ?? denoHost();
  return updatableFolders(search, openProperties(search.properties, search.root ?? "", host), host, []) !== undefined;
}

function direct(wanted: DirectDriver, findings: Finding[]): { driver: Driver; findings: Finding[] } {
  const driver = openDirectDriver(wanted), reason = "handed over by the caller";
  findings.push({ subject: "driver", path: wanted.name, origin: "driver option", taken: true, reason });
  return { driver, findings };
}

function named(wanted: string, host: Host, findings: Finding[]): { driver: Driver; findings: Finding[] } {
  const finding = { subject: "driver", origin: "driver option" } as const;
  let path = wanted;
  try {
    if (wanted.endsWith(".json")) path = readIcdManifest(wanted, host).library;
    const driver = openDriver(path), by = path === wanted ? "named by the caller" : `named by manifest ${wanted}`;
    findings.push({ ...finding, path, taken: true, reason: `${by}, opened as ${driver.kind}` });
    return { driver, findings };
  } catch (error) {
    findings.push({ ...finding, path, taken: false, reason: (error as Error).message, level: "error" });
    throw error;
  }
}
