import { DriverError } from "../../loader/error.ts";
import type { ManifestCandidate } from "../../loader/driver/search.ts";
import { probeDisplay } from "./display_probe.ts";
import type { EglDriver } from "./egl_driver.ts";
import type { Search } from "./finding_list.ts";
import { readVendorManifest } from "./glvnd_manifest.ts";
import { vendorManifests } from "./glvnd_search.ts";
import { openVendor } from "./glvnd_vendor.ts";
import { openSystem } from "./system.ts";

/**
 * Opens what Linux has: every vendor libglvnd would use, the one with a working
 * display first; where there is none, the system's libEGL.so.1. Throws a
 * {@linkcode DriverError} when there is nothing.
 */
export function findLinuxDrivers(search: Search): { drivers: EglDriver[]; source: "vendor" | "system" } {
  const { manifests, chosen } = vendorManifests(search.host, search.findings);
  const vendors = openVendors(manifests, search);
  if (vendors.length > 0) return { drivers: inOrder(vendors, search), source: "vendor" };
  const system = chosen ? undefined : openSystem(search);
  if (system) return { drivers: [system], source: "system" };
  throw new DriverError("auto", nothing(search));
}

function openVendors(manifests: readonly ManifestCandidate[], search: Search): EglDriver[] {
  const vendors: EglDriver[] = [];
  for (const candidate of manifests) {
    const library = libraryOf(candidate, search);
    if (library === undefined) continue;
    const driver = search.attempt(library, candidate.path, () => openVendor(library));
    if (driver && isNew(driver, vendors, search)) vendors.push(driver);
  }
  return vendors;
}

function libraryOf({ path, origin }: ManifestCandidate, { host, findings }: Search): string | undefined {
  try {
    const { library } = readVendorManifest(path, host), reason = `names ${library}`;
    findings.push({ subject: "manifest", path, origin, taken: true, reason, level: "debug" });
    return library;
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    findings.push({ subject: "manifest", path, origin, taken: false, reason: error.message, level: "warning" });
  }
}

/** Two manifests may lead to one library; what it is loaded as tells. */
function isNew(driver: EglDriver, vendors: readonly EglDriver[], search: Search): boolean {
  const main = (each: EglDriver) => each.find("eglGetProcAddress", "egl");
  const same = vendors.find((each) => main(each) === main(driver));
  if (!same) return true;
  amendLast(search, { taken: false, reason: `the same library as ${same.path}, which came before` });
  driver.close();
  return false;
}

/** With one vendor there is nothing to choose, so nothing is tried. */
function inOrder(vendors: EglDriver[], search: Search): EglDriver[] {
  if (vendors.length === 1) return vendors;
  const working = vendors.findIndex((vendor) => works(vendor, search));
  if (working <= 0) return vendors;
  const [first] = vendors.splice(working, 1);
  return [first, ...vendors];
}

function works(vendor: EglDriver, { findings }: Search): boolean {
  const display = probeDisplay(vendor), index = findings.findIndex(({ path, taken }) => taken && path === vendor.path);
  const more = display
    ? `its ${display.platform} display works (EGL ${display.version}): goes first`
    : "no display of its works here";
  findings[index] = { ...findings[index], reason: `${findings[index].reason}; ${more}` };
  return display !== undefined;
}

function amendLast({ findings }: Search, change: { taken: boolean; reason: string }): void {
  findings.push({ ...findings.pop()!, ...change });
}

function nothing({ findings }: Search): string {
  const looked = findings.filter(({ subject, taken }) => !taken && (subject === "manifest" || subject === "driver"))
    .map(({ path, reason }) => `  ${path}: ${reason}`).join("\n");
  const seen = looked ? `looked at\n${looked}\n` : "found no vendor manifest and no libEGL.so.1; ";
  return `Cannot find an EGL driver: ${seen}install one (Debian: libegl1 libgles2) or name its library with the driver option`;
}
