import { DriverError } from "../error.ts";
import { versionText } from "../version.ts";
import { type Driver, openDriver } from "./driver.ts";
import type { Finding } from "./finding.ts";
import type { FoundDriver, Join } from "./found_driver.ts";
import type { Host } from "./host.ts";
import { type IcdManifest, parseVersion, readIcdManifest } from "./manifest.ts";
import { behindPortability } from "./portability.ts";
import { type Probe, probeDriver } from "./probe.ts";
import type { ManifestCandidate } from "./search.ts";

/** A driver that was opened and has devices. */
interface Opened {
  readonly driver: Driver;
  readonly manifest: IcdManifest;
  readonly rank: number;
  /** Where in the report it stands. */
  readonly index: number;
}

/** How much lower a portability driver ranks than any conformant one. */
const PORTABILITY_PENALTY = 10;

/**
 * Opens every driver the manifests lead to that has a device, in their order,
 * and puts them behind one; where they cannot be joined, keeps the one with the
 * best device (of equals the first; a portability driver only when there is no
 * other) and closes the others. Throws a {@linkcode DriverError} when no driver
 * has a device.
 */
export function openFound(
  candidates: readonly ManifestCandidate[],
  host: Host,
  report: Finding[],
  join: Join = () => undefined,
): Driver {
  const opened: Opened[] = [];
  for (const candidate of candidates) {
    const found = tryCandidate(candidate, host, report);
    if (found && isNew(found, opened, report)) opened.push(found);
  }
  if (opened.length === 0) throw new DriverError("auto", noDriver(report));
  const joined = join(opened.map(foundDriver), host, report);
  if (!joined) return bestOf(opened, report);
  for (const { index } of opened) report[index] = { ...report[index], taken: true };
  return joined;
}

/** A driver that two manifests lead to would show its devices twice. */
function isNew(found: Opened, opened: readonly Opened[], report: Finding[]): boolean {
  const same = opened.find(({ driver }) => driver.getInstanceProcAddr === found.driver.getInstanceProcAddr);
  if (!same) return true;
  report[found.index] = { ...report[found.index], reason: `the same driver as ${same.manifest.path} leads to` };
  found.driver.close();
  return false;
}

function foundDriver({ driver, manifest }: Opened): FoundDriver {
  const { major, minor } = parseVersion(manifest.apiVersion);
  return { driver, isPortability: manifest.portability, claimsOld: major === 1 && minor === 0 };
}

function bestOf(opened: readonly Opened[], report: Finding[]): Driver {
  const best = opened.reduce((top, next) => next.rank > top.rank ? next : top);
  for (const other of opened) {
    const { reason } = report[other.index];
    if (other === best) {
      report[other.index] = { ...report[other.index], taken: true, reason: `${reason}: the best device found` };
    } else {
      report[other.index] = { ...report[other.index], reason: `${reason}, but ${best.driver.path} ranks first` };
      other.driver.close();
    }
  }
  return best.manifest.portability ? behindPortability(best.driver) : best.driver;
}

function tryCandidate(candidate: ManifestCandidate, host: Host, report: Finding[]): Opened | undefined {
  const manifest = tryManifest(candidate, host, report);
  return manifest && tryDriver(manifest, report);
}

function tryManifest({ path, origin }: ManifestCandidate, host: Host, report: Finding[]): IcdManifest | undefined {
  try {
    const manifest = readIcdManifest(path, host);
    const claims = `names ${manifest.library} for Vulkan ${manifest.apiVersion.slice(0, 40)}`;
    const reason = [claims, ...(manifest.portability ? [PORTABILITY] : []), ...manifest.notes].join("; ");
    report.push({ subject: "manifest", path, origin, taken: true, reason, level: "debug" });
    return manifest;
  } catch (error) {
    const reason = (error as Error).message;
    report.push({ subject: "manifest", path, origin, taken: false, reason, level: "warning" });
  }
}

const PORTABILITY = "a portability driver, seen only by applications that ask for it";

function tryDriver(manifest: IcdManifest, report: Finding[]): Opened | undefined {
  const finding = { subject: "driver", path: manifest.library, origin: manifest.path, taken: false } as const;
  let driver: Driver | undefined;
  try {
    driver = openDriver(manifest.library);
    const probe = probeDriver(driver);
    if (probe.rank >= 0) {
      const reason = `has ${probe.devices.join(", ")} (Vulkan ${versionOf(manifest, probe)}, ${spoken(driver)})`;
      report.push({ ...finding, reason });
      const rank = probe.rank - (manifest.portability ? PORTABILITY_PENALTY : 0);
      return { driver, manifest, rank, index: report.length - 1 };
    }
    driver.close();
    report.push({ ...finding, ...verdict(probe) });
  } catch (error) {
    driver?.close();
    report.push({ ...finding, reason: (error as Error).message, level: "error" });
  }
}

function verdict({ failure }: Probe): Pick<Finding, "reason" | "level"> {
  return failure
    ? { reason: failure, level: "error" }
    : { reason: "has no physical device on this machine", level: "info" };
}

function spoken({ kind, interfaceVersion }: Driver): string {
  return kind === "hal" ? "HAL module" : `interface version ${interfaceVersion}`;
}

/** A driver whose manifest says 1.0 is one, and so is one without vkEnumerateInstanceVersion, whatever its manifest says. */
function versionOf(manifest: IcdManifest, probe: Probe): string {
  const { major, minor } = parseVersion(manifest.apiVersion);
  return major > 1 || minor > 0 ? versionText(probe.apiVersion) : "1.0.0";
}

function noDriver(report: readonly Finding[]): string {
  const looked = report.filter(({ subject }) => subject === "manifest" || subject === "driver")
    .filter(({ taken }) => !taken).map(({ path, reason }) => `  ${path}: ${reason}`).join("\n");
  const seen = looked ? `looked at\n${looked}\n` : "found no driver manifest; ";
  return `Cannot find a Vulkan driver: ${seen}install one (Debian: mesa-vulkan-drivers) or name its library with the driver option`;
}
