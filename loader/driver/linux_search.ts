import { parseFilter } from "./filter.ts";
import type { Finding } from "./finding.ts";
import type { Host } from "./host.ts";
import { listed, type ManifestCandidate, manifestsIn, searchFolders } from "./search.ts";
import { Variables } from "./variables.ts";

/**
 * Every driver manifest to look at on Linux, in order: those VK_DRIVER_FILES
 * (or its old name VK_ICD_FILENAMES) lists, else VK_ADD_DRIVER_FILES and then
 * the search folders; less those that VK_LOADER_DRIVERS_SELECT and _DISABLE
 * sort out. All of these variables are ignored in an elevated process. What was
 * read and where was looked is appended to `report`.
 */
export function linuxManifests(host: Host, report: Finding[]): ManifestCandidate[] {
  const variables = new Variables(host, report);
  const found = overriding(variables, host, report) ?? searched(variables, host, report);
  return filtered(withoutRepeats(found), variables, report);
}

/** What the two overriding variables lead to, `undefined` when neither counts. */
function overriding(variables: Variables, host: Host, report: Finding[]): ManifestCandidate[] | undefined {
  const effect = "replaces the search for driver manifests";
  for (const name of ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]) {
    const value = variables.honour(name, effect);
    if (value === "") continue;
    if (name === "VK_DRIVER_FILES") variables.ignore("VK_ICD_FILENAMES", "ignored, because VK_DRIVER_FILES is set");
    variables.ignore("VK_ADD_DRIVER_FILES", `ignored, because ${name} is set`);
    return listed(value, name, host, report);
  }
}

function searched(variables: Variables, host: Host, report: Finding[]): ManifestCandidate[] {
  const added = variables.honour("VK_ADD_DRIVER_FILES", "goes before the search for driver manifests");
  const before = listed(added, "VK_ADD_DRIVER_FILES", host, report);
  const folders = searchFolders("icd.d", (name) => variables.read(name));
  return [...before, ...folders.flatMap((folder) => manifestsIn(folder, folder, host, report))];
}

function withoutRepeats(candidates: readonly ManifestCandidate[]): ManifestCandidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ path }) => !seen.has(path) && seen.add(path));
}

/** A selected driver is taken whatever the other variable says; with a selection, all others are not. */
function filtered(
  candidates: readonly ManifestCandidate[],
  variables: Variables,
  report: Finding[],
): ManifestCandidate[] {
  const select = parseFilter(variables.honour("VK_LOADER_DRIVERS_SELECT", "only manifests it matches count"));
  const disable = parseFilter(variables.honour("VK_LOADER_DRIVERS_DISABLE", "manifests it matches do not count"));
  return candidates.filter(({ path, origin }) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (select ? select(name) : !disable?.(name)) return true;
    const reason = select ? "VK_LOADER_DRIVERS_SELECT does not match it" : "VK_LOADER_DRIVERS_DISABLE matches it";
    report.push({ subject: "manifest", path, origin, taken: false, reason, level: "warning" });
    return false;
  });
}
