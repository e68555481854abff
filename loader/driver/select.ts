import { DriverError } from "../error.ts";
import { type Driver, openDriver } from "./driver.ts";
import { readIcdManifest } from "./manifest.ts";
import { probeDriver } from "./probe.ts";
import { driverManifests, type ManifestCandidate } from "./search.ts";

/** One thing the loader looked at, and what became of it. */
export interface Finding {
  /** What was looked at. */
  readonly subject: "driver" | "layer";
  /** The library, or the manifest when no library came of it. */
  readonly path: string;
  /** How it came to be looked at: `driver` option, an environment variable, or the folder searched. */
  readonly origin: string;
  /** Whether it is in use. */
  readonly taken: boolean;
  /** Why it was taken or not, as a sentence without a full stop. */
  readonly reason: string;
}

/** The driver chosen and everything that was looked at on the way. */
export interface Selection {
  /** The opened driver; the caller closes it. */
  readonly driver: Driver;
  /** What was looked at, in order. */
  readonly findings: readonly Finding[];
}

/**
 * Opens the driver a user named: a library, a manifest (`.json`), or `"auto"`
 * for the best this machine has. Throws a {@linkcode DriverError} otherwise.
 */
export function selectDriver(wanted: string): Selection {
  if (wanted === "auto") return bestOf(driverManifests());
  const library = wanted.endsWith(".json") ? readIcdManifest(wanted).library : wanted;
  const driver = openDriver(library);
  const reason = library === wanted
    ? `named by the caller, opened as ${driver.kind}`
    : `named by manifest ${wanted}, opened as ${driver.kind}`;
  return { driver, findings: [{ subject: "driver", path: library, origin: "driver option", taken: true, reason }] };
}

interface Opened {
  driver: Driver;
  rank: number;
  finding: Finding;
}

function bestOf(candidates: ManifestCandidate[]): Selection {
  const opened: Opened[] = [], findings: Finding[] = [];
  for (const candidate of candidates) {
    const outcome = tryCandidate(candidate);
    findings.push("driver" in outcome ? outcome.finding : outcome);
    if ("driver" in outcome) opened.push(outcome);
  }
  const best = opened.reduce<Opened | undefined>((top, next) => !top || next.rank > top.rank ? next : top, undefined);
  if (!best) throw new DriverError("auto", noDriver(findings));
  for (const other of opened) if (other !== best) other.driver.close();
  return { driver: best.driver, findings: findings.map((finding) => verdict(finding, best, opened)) };
}

function tryCandidate({ path, origin }: ManifestCandidate): Opened | Finding {
  let driver: Driver | undefined;
  try {
    driver = openDriver(readIcdManifest(path).library);
    const probe = probeDriver(driver);
    const finding = { subject: "driver", path: driver.path, origin, taken: false } as const;
    if (probe.rank >= 0) {
      return { driver, rank: probe.rank, finding: { ...finding, reason: `has ${probe.devices.join(", ")}` } };
    }
    driver.close();
    return { ...finding, reason: probe.failure ?? "has no physical device on this machine" };
  } catch (error) {
    driver?.close();
    return { subject: "driver", path, origin, taken: false, reason: (error as Error).message };
  }
}

function verdict(finding: Finding, best: Opened, opened: readonly Opened[]): Finding {
  if (finding === best.finding) return { ...finding, taken: true, reason: `${finding.reason}: the best device found` };
  const usable = opened.some((other) => other.finding === finding);
  return usable ? { ...finding, reason: `${finding.reason}, but ${best.driver.path} ranks first` } : finding;
}

function noDriver(findings: readonly Finding[]): string {
  const looked = findings.map((finding) => `  ${finding.path}: ${finding.reason}`).join("\n");
  const seen = findings.length > 0 ? `looked at\n${looked}\n` : "found no driver manifest; ";
  return `Cannot find a Vulkan driver: ${seen}install one (Debian: mesa-vulkan-drivers) or name its library with the driver option`;
}
