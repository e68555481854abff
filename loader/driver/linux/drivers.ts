import { RTLD_NODELETE, RTLD_NOW } from "../../../ffi/library/library.ts";
import { libraryStays } from "../environment/variables.ts";
import type { DriverSource, FoundDriver, FoundDrivers, Join } from "../found_driver.ts";
import type { FollowingHost } from "../host/following_host.ts";
import type { Host } from "../host/host.ts";
import { Remembered } from "../host/remembered.ts";
import { type Driver, type LiveSearch, openDriver } from "../interface/driver.ts";
import { type Probe, probeDriver } from "../interface/probe.ts";
import { behindPortability } from "./portability.ts";
import { linuxManifests } from "./search.ts";
import { type IcdManifest, parseVersion, readIcdManifest } from "../manifest/manifest.ts";
import { readLoaderSettings } from "../manifest/settings_file.ts";
import { type Finding, isOtherWidth, linkerWords, noDriver, refusedFor, saidOf } from "../report/finding.ts";
import type { ManifestCandidate } from "../search/search.ts";
import { DriverError } from "../../error.ts";
import { LOADER_VERSION, versionText } from "../../version.ts";

/** An open driver, and its probe if it was asked. */
export interface OpenedDriver extends FoundDriver {
  /** The manifest. */
  readonly manifest: IcdManifest;
  /** The result of the probe; absent if nobody has asked yet. */
  readonly probe?: Probe;
}

/** The result of one search, opened. */
export interface OpenedDrivers extends FoundDrivers {
  /** The drivers, in order. */
  readonly drivers: readonly OpenedDriver[];
}

/**
 * The drivers that Linux's search finds. All drivers that can be opened count,
 * with or without a device: one may have a device when the next instance is
 * created.
 */
export class LinuxDrivers implements DriverSource, LiveSearch {
  readonly #host: FollowingHost;
  readonly #remembered = new Remembered<OpenedDrivers>();
  /** Open drivers by library, with the stamp of the library when it was opened. */
  readonly #open = new Map<string, { readonly driver: Driver; readonly stamp: string }>();
  /** Assumes that all drivers are in use until the owner sets this function. */
  isUsed = (_driver: Driver): boolean => true;
  readonly #probes = new Map<Driver, Probe>();
  #last: OpenedDrivers;

  /** The source is its own search. */
  readonly search: LiveSearch = this;

  /** Searches for the first time. */
  constructor(host: FollowingHost) {
    this.#host = host;
    this.#last = this.#find(host, true);
  }

  /** Returns the current drivers while the host follows the machine, otherwise those of the last search. */
  look(): OpenedDrivers {
    if (this.#host.isQuiet && !this.#host.isFrozen) {
      this.#last = this.#remembered.get(this.#host, (host) => this.#find(host, false));
    }
    return this.#last;
  }

  /** The findings of the current search. */
  findings(): readonly Finding[] {
    return this.look().findings;
  }

  /** Searches again, and probes each driver. */
  refresh(): void {
    this.#probes.clear();
    this.#remembered.forget();
    this.#last = this.#find(this.#host, true);
  }

  /** Closes a driver that is gone. */
  release(driver: Driver): void {
    for (const [library, each] of this.#open) if (each.driver === driver) this.#open.delete(library);
    this.#probes.delete(driver);
    driver.close();
  }

  /** Closes all drivers. */
  close(): void {
    for (const { driver } of this.#open.values()) driver.close();
    this.#open.clear();
  }

  #find(host: Host, asks: boolean): OpenedDrivers {
    const findings: Finding[] = [], drivers: OpenedDriver[] = [];
    const settings = readLoaderSettings(host, findings);
    const flags = libraryStays(host, []) ? RTLD_NOW | RTLD_NODELETE : RTLD_NOW;
    for (const candidate of linuxManifests(host, findings, settings)) {
      const first = findings.length, manifest = readManifest(candidate, host, findings), { excluded } = candidate;
      if (excluded) findings.push(manifest ? leftOut(excluded, manifest, findings.splice(first, 1)[0]) : excluded);
      if (!manifest || excluded) continue;
      const found = this.#opened(manifest, host, flags, asks, findings);
      if (found && isNew(found, drivers, findings)) drivers.push(found);
    }
    return { drivers, settings, findings };
  }

  #opened(manifest: IcdManifest, host: Host, flags: number, asks: boolean, findings: Finding[]) {
    const details = searching(manifest), { library: path, path: origin } = manifest;
    const finding = { subject: "driver", path, origin, details } as const;
    try {
      const driver = this.#openOnce(manifest.library, host, flags), probe = this.#probe(driver, asks);
      findings.push({ ...finding, ...verdict(driver, manifest, probe) });
      const { major, minor } = parseVersion(manifest.apiVersion);
      return {
        driver,
        manifest,
        probe,
        isIdle: probe !== undefined && probe.rank < 0,
        isPortability: manifest.portability,
        claimsOld: major === 1 && minor === 0,
      };
    } catch (error) {
      const message = failure(manifest.library, (error as Error).message), said = saidOf(error);
      const cause = said ? { cause: said.message } : linkerWords(error);
      findings.push({ ...finding, ...cause, taken: false, reason: (error as Error).message, level: "error", message });
    }
  }

  /**
   * A replaced library is a new driver, if nobody uses the old one, because the
   * dynamic linker has only one library of a path.
   */
  #openOnce(library: string, host: Host, flags: number): Driver {
    const before = this.#open.get(library), stamp = library.includes("/") ? stampOf(library, host) : "";
    if (before && (before.stamp === stamp || this.isUsed(before.driver))) return before.driver;
    if (before) this.release(before.driver);
    const driver = openDriver(library, { flags, quiet: this.#host.isQuiet });
    this.#open.set(library, { driver, stamp });
    return driver;
  }

  #probe(driver: Driver, asks: boolean): Probe | undefined {
    if (asks && !this.#probes.has(driver)) this.#probes.set(driver, probeDriver(driver));
    return this.#probes.get(driver);
  }
}

function stampOf(path: string, host: Host): string {
  try {
    return host.stamp(path).text;
  } catch {
    return ""; // may not be looked at
  }
}

/** A driver with two manifests would show its devices twice. */
function isNew(found: OpenedDriver, drivers: readonly OpenedDriver[], findings: Finding[]): boolean {
  const same = drivers.find(({ driver }) => driver.getInstanceProcAddr === found.driver.getInstanceProcAddr);
  if (!same) return true;
  const reason = `the same driver as ${same.manifest.path} leads to`;
  findings.push({ ...findings.pop()!, taken: false, reason });
  return false;
}

function readManifest({ path, origin }: ManifestCandidate, host: Host, findings: Finding[]): IcdManifest | undefined {
  try {
    const manifest = readIcdManifest(path, host);
    const claims = `names ${manifest.library} for Vulkan ${manifest.apiVersion.slice(0, 40)}`;
    const reason = [claims, ...(manifest.portability ? [PORTABILITY] : []), ...manifest.notes].join("; ");
    const message = `Found ICD manifest file ${path}, version ${manifest.format}`;
    const finding = { subject: "manifest", path, origin, taken: true, level: "debug" } as const;
    findings.push({ ...finding, reason, message, messageLevel: "plain" });
    if (manifest.isNewer) findings.push({ ...finding, ...newer(manifest) });
    return manifest;
  } catch (error) {
    findings.push({ subject: "manifest", path, origin, ...refusedFor(error) });
  }
}

/** The finding about a manifest that was read, and then left out by a filter. */
function leftOut(excluded: Finding, manifest: IcdManifest, { reason, message }: Finding): Finding {
  return { ...excluded, reason: `${excluded.reason}; it ${reason}`, found: message, details: searching(manifest) };
}

/** The Khronos loader's message before a driver is opened, or left out by a filter. */
function searching({ library }: IcdManifest): string {
  return `Searching for ICD drivers named ${library}`;
}

function newer({ path, format }: IcdManifest): Pick<Finding, "reason" | "message"> {
  const { major, minor, patch } = parseVersion(format), version = `${major}.${minor}.${patch}`;
  const message =
    `loader_parse_icd_manifest: ${path} has unknown icd manifest file version ${version}. May cause errors.`;
  return { reason: `file_format_version ${version} is read as if it were 1.0.1`, message };
}

const PORTABILITY = "a portability driver, seen only by applications that ask for it";

function verdict(driver: Driver, manifest: IcdManifest, probe?: Probe): Pick<Finding, "taken" | "reason" | "level"> {
  if (!probe) return { taken: true, reason: `opened (${spoken(driver)})` };
  if (probe.failure) return { taken: false, reason: probe.failure, level: "error" };
  if (probe.rank < 0) return { taken: false, reason: "has no physical device on this machine" };
  const version = versionOf(manifest, probe);
  const reason = `has ${probe.devices.join(", ")} (Vulkan ${version}, ${spoken(driver)})`;
  return { taken: true, reason: [reason, ...lowering(version)].join("; ") };
}

/** Remarks about a driver that is older than the loader, which reports the driver's version as its own. */
function lowering(version: string): string[] {
  const { major, minor } = parseVersion(version), own = parseVersion(versionText(LOADER_VERSION));
  if (major === 1 && minor === 0) return ["is told that every application asks for Vulkan 1.0"];
  if (major > own.major || minor >= own.minor) return [];
  return [`may refuse an application that asks for Vulkan ${own.major}.${own.minor}, which the loader says it has`];
}

function failure(library: string, reason: string): string {
  return isOtherWidth(reason)
    ? `Requested ICD ${library} was wrong bit-type. Ignoring this JSON`
    : `loader_icd_scan: Failed loading library associated with ICD JSON ${library}. Ignoring this JSON`;
}

function spoken({ kind, interfaceVersion }: Driver): string {
  return kind === "hal" ? "HAL module" : `interface version ${interfaceVersion}`;
}

/**
 * A driver whose manifest says 1.0 is for 1.0. A driver without
 * vkEnumerateInstanceVersion is, too, whatever its manifest says.
 */
function versionOf(manifest: IcdManifest, probe: Probe): string {
  const { major, minor } = parseVersion(manifest.apiVersion);
  return major > 1 || minor > 0 ? versionText(probe.apiVersion) : "1.0.0";
}

/** The distance in rank of a portability driver below a conformant driver. */
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
