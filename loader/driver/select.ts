import { DriverError } from "../error.ts";
import { platformFinding } from "./search/search.ts";
import { type DirectDriver, type Driver, openDirectDriver, openDriver } from "./interface/driver.ts";
import { carrying, type Finding } from "./report/finding.ts";
import { type FollowingHost, followingHost } from "./host/following_host.ts";
import type { ChosenDriver, DriverSource, FoundDriver, Join, SearchRules } from "./found_driver.ts";
import type { Host } from "./host/host.ts";
import { readIcdManifest } from "./manifest/manifest.ts";
import type { DriverSearch, WantedDriver } from "./search/wanted.ts";

/** The chosen driver and all findings. */
export interface Selection extends ChosenDriver {
  /** The findings in order. */
  readonly findings: readonly Finding[];
}

/**
 * Opens the requested driver: a library, a manifest (`.json`), one in this
 * process, a list of these, or `"auto"` for the result of the platform's
 * search. `join` joins several drivers. Throws a {@linkcode DriverError} with
 * the findings so far.
 */
export function selectDriver(
  wanted: WantedDriver,
  search: DriverSearch,
  rules: SearchRules,
  join: Join = () => undefined,
): Selection {
  const host = followed(search.host), findings: Finding[] = [];
  return carrying(findings, () => {
    if (isList(wanted)) return { driver: joinListed(wanted, host, findings, join), findings };
    if (wanted !== "auto") return { ...openOne(wanted, host, findings), findings };
    findings.push(platformFinding(rules.name, search.platform));
    return { ...rules.findDriver(search, host, findings, join), findings };
  });
}

function followed(host: Host | undefined): FollowingHost {
  return host && "follow" in host ? host as FollowingHost : followingHost(host);
}

function isList(wanted: WantedDriver): wanted is readonly (string | DirectDriver)[] {
  return Array.isArray(wanted);
}

/** Joins drivers that were named one by one. An unusable one is an error, because each was requested. */
function joinListed(
  wanted: readonly (string | DirectDriver)[],
  host: FollowingHost,
  findings: Finding[],
  join: Join,
): Driver {
  if (wanted.length === 0) throw new TypeError("Cannot load no driver: name at least one in the driver list");
  const opened: FoundDriver[] = [];
  try {
    for (const each of wanted) opened.push(openOne(each, host, findings));
    const joined = join(listSource(opened), host);
    if (joined) return joined;
    const why = "emitted code cannot be used here, which several drivers behind one need; name one";
    throw new DriverError("bad-match", opened[0].driver.path, `Cannot join ${opened.length} drivers: ${why}`);
  } catch (error) {
    for (const { driver } of opened) driver.close();
    throw error;
  }
}

/** Named drivers never change. */
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
