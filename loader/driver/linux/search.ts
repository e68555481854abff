import { parseFilter, Variables } from "../environment/variables.ts";
import type { Finding } from "../report/finding.ts";
import type { Host } from "../host/host.ts";
import { listed, type ManifestCandidate, manifestsIn, searched, searchFolders, split } from "../search/search.ts";
import type { LoaderSettings } from "../manifest/settings_types.ts";

/** The variables that choose drivers. */
const CHOOSING = [
  "VK_DRIVER_FILES",
  "VK_ICD_FILENAMES",
  "VK_ADD_DRIVER_FILES",
  "VK_LOADER_DRIVERS_SELECT",
  "VK_LOADER_DRIVERS_DISABLE",
];

/**
 * Returns every driver manifest for Linux, in order: those of VK_DRIVER_FILES
 * (or its old name VK_ICD_FILENAMES), otherwise those of VK_ADD_DRIVER_FILES
 * and the search folders. VK_LOADER_DRIVERS_SELECT and _DISABLE exclude some. An elevated process ignores all of these variables. Drivers
 * of the settings file come first, or are the only ones if the file says so.
 * Appends findings to `report`.
 */
export function linuxManifests(host: Host, report: Finding[], settings?: LoaderSettings): ManifestCandidate[] {
  const variables = new Variables(host, report), origin = settings?.path ?? "";
  const added = (settings?.additionalDrivers ?? []).map((path) => ({ path, origin }));
  if (settings?.additionalDriversExclusively) return filtered(withoutRepeats(added), variables);
  if (settings?.deviceConfigurations) return withoutRepeats([...added, ...configured(variables, host, report)]);
  const found = overriding(variables, host, report) ?? installed(variables, host, report);
  return filtered(withoutRepeats([...added, ...found]), variables);
}

/** If the settings file lists devices, variables do not choose drivers: every driver with such a device is wanted. */
function configured(variables: Variables, host: Host, report: Finding[]): ManifestCandidate[] {
  const because = "ignored, because the settings file lists devices";
  for (const name of CHOOSING) variables.ignore(name, because);
  return inFolders(variables, host, report);
}

/** Returns the manifests of the two overriding variables; `undefined` if neither counts. */
function overriding(variables: Variables, host: Host, report: Finding[]): ManifestCandidate[] | undefined {
  const effect = "replaces the search for driver manifests";
  for (const name of ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]) {
    const value = variables.honour(name, effect);
    if (value === "") continue;
    if (name === "VK_DRIVER_FILES") variables.ignore("VK_ICD_FILENAMES", "ignored, because VK_DRIVER_FILES is set");
    variables.ignore("VK_ADD_DRIVER_FILES", `ignored, because ${name} is set`);
    return said(split(value), listed(value, name, host, report), report);
  }
}

function installed(variables: Variables, host: Host, report: Finding[]): ManifestCandidate[] {
  const added = variables.honour("VK_ADD_DRIVER_FILES", "goes before the search for driver manifests");
  return inFolders(variables, host, report, added);
}

/** Returns the manifests of a list and of the search folders. */
function inFolders(variables: Variables, host: Host, report: Finding[], added = ""): ManifestCandidate[] {
  const folders = searchFolders("icd.d", (name) => variables.read(name));
  const before = listed(added, "VK_ADD_DRIVER_FILES", host, report);
  const found = [...before, ...folders.flatMap((folder) => manifestsIn(folder, folder, host, report))];
  return said([...split(added), ...folders], found, report);
}

/** Returns the candidates without repeats, and reports the search. */
function said(places: readonly string[], found: readonly ManifestCandidate[], report: Finding[]): ManifestCandidate[] {
  const candidates = withoutRepeats(found);
  report.push(searched("driver", places, candidates));
  return candidates;
}

function withoutRepeats(candidates: readonly ManifestCandidate[]): ManifestCandidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ path }) => !seen.has(path) && seen.add(path));
}

/**
 * Marks excluded manifests. A selected driver counts whatever the other variable says. A selection excludes all others;
 * the reason is the other variable if that matches, too.
 */
function filtered(
  candidates: readonly ManifestCandidate[],
  variables: Variables,
): ManifestCandidate[] {
  const select = parseFilter(variables.honour("VK_LOADER_DRIVERS_SELECT", "only manifests it matches count"));
  const disable = parseFilter(variables.honour("VK_LOADER_DRIVERS_DISABLE", "manifests it matches do not count"));
  return candidates.map(({ path, origin }): ManifestCandidate => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const isDisabled = disable?.(name) ?? false;
    if (select ? select(name) : !isDisabled) return { path, origin };
    const reason = isDisabled ? "VK_LOADER_DRIVERS_DISABLE matches it" : "VK_LOADER_DRIVERS_SELECT does not match it";
    const message = `Driver "${name}" ignored because ` +
      (isDisabled
        ? "it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'"
        : "not selected by env var 'VK_LOADER_DRIVERS_SELECT'");
    const excluded = { subject: "manifest", path, origin, taken: false, reason, level: "warning", message } as const;
    return { path, origin, excluded };
  });
}
