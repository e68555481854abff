import type { Finding } from "../../loader/driver/report/finding.ts";
import type { Host } from "../../loader/driver/host/host.ts";
import { type ManifestCandidate, manifestsIn } from "../../loader/driver/search/search.ts";
import { Variables } from "../../loader/driver/environment/variables.ts";

const FILENAMES = "__EGL_VENDOR_LIBRARY_FILENAMES", DIRS = "__EGL_VENDOR_LIBRARY_DIRS";
const FOLDERS = ["/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d"];

/** The candidate manifests, and whether a variable chose them. */
export interface VendorCandidates {
  /** The candidates in order. */
  readonly manifests: readonly ManifestCandidate[];
  /** Whether the variable with a list of files chose them, so that no other driver is wanted. */
  readonly chosen: boolean;
}

/**
 * The vendor manifests in libglvnd's order: the files in `__EGL_VENDOR_LIBRARY_FILENAMES`, otherwise the files in the
 * folders of `__EGL_VENDOR_LIBRARY_DIRS`, otherwise those in libglvnd's own folders, sorted within each folder. Both
 * variables are ignored in an elevated process.
 */
export function vendorManifests(host: Host, report: Finding[], root = ""): VendorCandidates {
  const variables = new Variables(host, report);
  const files = variables.honour(FILENAMES, "lists the only vendor manifests that count");
  if (files !== "") {
    variables.ignore(DIRS, `ignored, because ${FILENAMES} is set`);
    return { manifests: split(files).map((path) => ({ path, origin: FILENAMES })), chosen: true };
  }
  const folders = split(variables.honour(DIRS, "replaces the folders of vendor manifests"));
  const searched = folders.length > 0 ? folders : FOLDERS.map((folder) => root + folder);
  const origin = folders.length > 0 ? DIRS : "libglvnd's folders";
  return { manifests: searched.flatMap((folder) => manifestsIn(folder, origin, host, report)), chosen: false };
}

function split(value: string): string[] {
  return value.split(":").filter((entry) => entry !== "");
}
