import { DriverError } from "../error.ts";
import { platformFinding } from "./search/search.ts";
import { type Driver, openDirectDriver, openDriver } from "./interface/driver.ts";
import { carrying, type Finding } from "./report/finding.ts";
import { type FollowingHost, followingHost } from "./host/following_host.ts";
import type { ChosenDriver, DriverSource, FoundDriver, Join, SearchRules } from "./found_driver.ts";
import type { Host } from "./host/host.ts";
import { readIcdManifest } from "./manifest/manifest.ts";
import type { DriverSearch } from "./search/search.ts";
import type { DriverChoice, SingleDriver } from "./choice.ts";

/** The chosen driver and all findings. */
export interface Selection extends ChosenDriver {
  /** The findings in order. */
  readonly findings: readonly Finding[];
}

/**
 * Opens the chosen driver. `join` joins several drivers. Throws a {@linkcode DriverError} with the findings so far.
 */
export function selectDriver(
  choice: DriverChoice,
  search: DriverSearch,
  rules: SearchRules,
  join: Join = () => undefined,
): Selection {
  const host = followed(search.host), findings: Finding[] = [];
  return carrying(findings, () => {
    if (choice.kind === "list") return { driver: joinListed(choice.drivers, host, findings, join), findings };
    if (choice.kind !== "auto") return { ...openOne(choice, host, findings), findings };
    findings.push(platformFinding(rules.name, search.platform));
    return { ...rules.findDriver(search, host, findings, join), findings };
  });
}

function followed(host: Host | undefined): FollowingHost {
  return host && "follow" in host ? host as FollowingHost : followingHost(host);
}

/** Joins drivers that were named one by one. An unusable one is an error, because each was requested. */
function joinListed(
  wanted: readonly SingleDriver[],
  host: FollowingHost,
  findings: Finding[],
  join: Join,
): Driver {
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

function openOne(wanted: SingleDriver, host: Host, findings: Finding[]): FoundDriver {
  const finding = { subject: "driver", origin: "driver option" } as const;
  if (wanted.kind === "direct") {
    const driver = openDirectDriver(wanted.driver), reason = "handed over by the caller";
    findings.push({ ...finding, path: wanted.driver.name, taken: true, reason });
    return { driver };
  }
  let { path } = wanted;
  try {
    const manifest = wanted.kind === "manifest" ? readIcdManifest(path, host) : undefined;
    path = manifest?.library ?? path;
    const driver = openDriver(path), by = manifest ? `named by manifest ${wanted.path}` : "named by the caller";
    findings.push({ ...finding, path, taken: true, reason: `${by}, opened as ${driver.kind}` });
    return { driver, isPortability: manifest?.portability };
  } catch (error) {
    findings.push({ ...finding, path, taken: false, reason: (error as Error).message, level: "error" });
    throw error;
  }
}
