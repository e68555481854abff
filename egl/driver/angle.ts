import type { Properties } from "../../ffi/android/properties.ts";
import { installedLibraries } from "../../loader/driver/host/host.ts";
import { first, type LibrarySearch, type LoadKind } from "./library_search.ts";
import type { EglDriver } from "./egl_driver.ts";
import type { Search } from "./finding_list.ts";
import type { EglSearchOptions } from "./options.ts";

/** The choice of the user or the device's owner for an application: ANGLE, the vendor's driver, or the default. */
export type AngleChoice = "angle" | "native" | "default";

const ALL = "angle_gl_driver_all_angle", PACKAGES = "angle_gl_driver_selection_pkgs";
const VALUES = "angle_gl_driver_selection_values", DEBUG_PACKAGE = "angle_debug_package";

/** The choice in Android's settings for the application. The driver option has precedence. */
export function angleChoice({ app, settings = {} }: EglSearchOptions, search: Search): AngleChoice {
  if (!app?.packageName) return "default";
  if (settings[ALL] === "1") return say(search, ALL, "1", "chooses ANGLE for every application", "angle");
  const packages = split(settings[PACKAGES]), values = split(settings[VALUES]), text = settings[VALUES];
  if (packages.length !== values.length) {
    const reason =
      `ignored: ${PACKAGES} has ${packages.length} entries and this list ${values.length}; give both equally many`;
    return say(search, VALUES, text, reason, "default");
  }
  const value = values[packages.indexOf(app.packageName)];
  if (value === undefined || value === "default") return "default";
  if (value === "angle") return say(search, VALUES, text, "chooses ANGLE for this application", value);
  if (value === "native") return say(search, VALUES, text, "chooses the vendor's driver for this application", value);
  return say(search, VALUES, text, `ignored: "${value}" is not angle, native or default`, "default");
}

function split(list = ""): string[] {
  return list === "" ? [] : list.split(",");
}

function say<Choice extends AngleChoice>(
  { findings }: Search,
  path: string,
  value: string | undefined,
  reason: string,
  choice: Choice,
): Choice {
  const taken = choice !== "default", level = taken ? undefined : "warning";
  findings.push({ subject: "setting", path, value, origin: "settings option", taken, reason, level });
  return choice;
}

/** The folders of Android's own ANGLE. */
const SYSTEM = ["/system/lib64", "/system/lib"];

/** Loads ANGLE as Android does: from the given folders, those of the debugged package, or the system's. */
export function openAndroidAngle(
  options: EglSearchOptions,
  search: Search,
  libraries: LibrarySearch,
): EglDriver | undefined {
  const folders = (options.angle ?? debugFolders(options, search) ?? "system").split(":").filter((path) => path !== "");
  const isSystem = folders.length === 1 && folders[0] === "system";
  const origin = isSystem ? "the system's ANGLE" : "ANGLE";
  const load = libraries.exact("_angle", isSystem ? SYSTEM : folders, origin);
  const bare: LoadKind = (kind) => libraries.load(`lib${kind}_angle.so`, origin);
  const mayBeKnown = isSystem && search.host.system === "android" && !options.root;
  return libraries.three(mayBeKnown ? (kind) => bare(kind) ?? load(kind) : load, origin);
}

function debugFolders({ app, settings = {}, root = "" }: EglSearchOptions, { host, findings }: Search) {
  const value = settings[DEBUG_PACKAGE];
  if (!value) return undefined;
  const folder = app?.debuggable ? installedLibraries(value, root, host) : undefined, taken = folder !== undefined;
  const reason = taken
    ? `holds ANGLE in ${folder}`
    : app?.debuggable
    ? "ignored: no such package is installed"
    : "ignored: the application is not debuggable";
  findings.push({ subject: "setting", path: DEBUG_PACKAGE, value, origin: "settings option", taken, reason });
  return folder;
}

/** The folders of ANGLE in browsers on Linux. */
const BROWSERS = [
  "/usr/lib/chromium",
  "/usr/lib64/chromium-browser",
  "/usr/lib/chromium-browser",
  "/opt/google/chrome",
  "/opt/microsoft/msedge",
  "/usr/share/code",
];

/** Loads ANGLE on Linux, from the given folders or those of browsers, under either of its names. */
export function openLinuxAngle(
  { angle, root = "" }: EglSearchOptions,
  search: Search,
  libraries: LibrarySearch,
): EglDriver | undefined {
  const folders = angle?.split(":").filter((path) => path !== "") ?? BROWSERS.map((path) => root + path);
  const origin = angle === undefined ? "where browsers have ANGLE" : "angle option";
  return first(folders, (folder) =>
    first(["_angle", ""], (suffix) => {
      const driver = libraries.three(libraries.exact(suffix, [folder], origin), origin);
      return driver && isAngle(driver, search) ? driver : undefined;
    }));
}

function isAngle(driver: EglDriver, { findings }: Search): boolean {
  if (driver.kind === "angle") return true;
  driver.close();
  const reason = "it is another driver than ANGLE; name it as such, or the folder of ANGLE";
  findings.push({ ...findings.pop()!, taken: false, reason, level: "warning" });
  return false;
}

/** The folders for a suffix. ANGLE belongs to the system unless the vendor supports it. */
export function foldersOf(value: string, folders: readonly string[], properties: Properties): readonly string[] {
  return value === "angle" && properties.get("ro.gfx.angle.supported") !== "true" ? SYSTEM : folders;
}
