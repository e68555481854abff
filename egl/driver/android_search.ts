import type { Properties } from "../../ffi/android/properties.ts";
import { openProperties, reporting } from "../../loader/driver/android/properties.ts";
import { NEWEST_RELEASE } from "../../loader/driver/android/options.ts";
import { updatableFolders } from "../../loader/driver/android/updatable_driver.ts";
import { DriverError } from "../../loader/error.ts";
import { first, LibrarySearch } from "./library_search.ts";
import { angleChoice, foldersOf, openAndroidAngle } from "./angle.ts";
import { type EglRelease, namingProperties } from "./driver_names.ts";
import type { EglDriver } from "./egl_driver.ts";
import type { Search } from "./finding_list.ts";
import type { EglSearchOptions } from "./options.ts";

/** The step of Android's search that found the driver. */
export type AndroidEglSource = "angle" | "updatable" | "native" | "property" | "unsuffixed" | "wildcard";

/** The driver of an Android search. */
export interface AndroidEglDriver {
  /** The opened driver. */
  readonly driver: EglDriver;
  /** The step that found the driver. */
  readonly source: AndroidEglSource;
}

const HARDWARE = "ro.hardware.egl";
const FOLDERS = ["/vendor/lib64/egl", "/vendor/lib/egl"];
const FOLDERS_OF_10 = ["/vendor/lib64/egl", "/system/lib64/egl", "/vendor/lib/egl", "/system/lib/egl"];
/** The folders with drivers, in order. */
function driverFolders(release: EglRelease): readonly string[] {
  return release === 10 ? FOLDERS_OF_10 : FOLDERS;
}

/** The API level from which vendors must set a property. */
const NO_WILDCARD_SINCE = 34;

/** The state that the steps share. */
interface Steps {
  readonly options: EglSearchOptions;
  readonly search: Search;
  /** Whether the caller chose ANGLE, which has precedence over Android's settings. */
  readonly wantsAngle: boolean;
  readonly release: EglRelease;
  readonly values: Properties;
  readonly libraries: LibrarySearch;
}

/**
 * Finds Android's driver: ANGLE and the updatable driver if they are chosen, then the driver that properties name, then
 * the names without a suffix, then any driver. Throws a {@linkcode DriverError} where Android ends the process: if
 * ANGLE, the updatable or the vendor's driver is chosen and cannot be loaded, and if there is no driver at all.
 */
export function findAndroidEgl(options: EglSearchOptions, search: Search, wantsAngle: boolean): AndroidEglDriver {
  const root = options.root ?? "";
  const values = reporting(openProperties(options.systemProperties, root, search.host), search.findings);
  const libraries = new LibrarySearch(search, root);
  const steps = { options, search, wantsAngle, release: options.release ?? NEWEST_RELEASE, values, libraries };
  return chosen(steps) ?? builtIn(steps);
}

/** The steps that end the search with a driver or with an error. */
function chosen(steps: Steps): AndroidEglDriver | undefined {
  const { options, search, libraries, wantsAngle } = steps;
  const choice = wantsAngle ? "angle" : angleChoice(options, search);
  if (choice === "angle") {
    return { driver: openAndroidAngle(options, search, libraries) ?? fail(steps, "ANGLE"), source: "angle" };
  }
  const folders = updatableFolders({ ...options, release: undefined }, steps.values, search.host, search.findings);
  if (folders) {
    return { driver: updatable(steps, folders) ?? fail(steps, "the updatable driver"), source: "updatable" };
  }
  if (choice === "native") return { driver: native(steps) ?? fail(steps, "the vendor's driver"), source: "native" };
}

/** Loads, for each kind of library, the first library that any property names. */
function updatable({ libraries, values, release }: Steps, folders: readonly string[]): EglDriver | undefined {
  const origin = "updatable driver", names = namingProperties(release).map((name) => values.get(name)).filter(Boolean);
  return libraries.assemble(
    (kind) => first(names, (name) => libraries.exact(`_${name}`, folders, origin)(kind)),
    origin,
  );
}

function native({ libraries, values, release }: Steps): EglDriver | undefined {
  const name = values.get(HARDWARE), origin = `vendor's driver, ${HARDWARE}`;
  return name === ""
    ? undefined
    : libraries.assemble(libraries.exact(`_${name}`, driverFolders(release), origin), origin);
}

function builtIn(steps: Steps): AndroidEglDriver {
  const { libraries, release } = steps, folders = driverFolders(release);
  const { driver: named, failed } = byProperty(steps);
  if (named) return { driver: named, source: "property" };
  const plain = libraries.assemble(libraries.exact("", folders, "unsuffixed names"), "unsuffixed names");
  if (plain) return { driver: plain, source: "unsuffixed" };
  const any = mayGuess(steps, failed) && libraries.assemble(libraries.wildcard(folders, "wildcard"), "wildcard");
  if (any) return { driver: any, source: "wildcard" };
  throw new DriverError(
    "not-found",
    "auto",
    `Cannot find an OpenGL ES driver in ${folders.map((folder) => (steps.options.root ?? "") + folder).join(", ")}: ` +
      `${seen(steps)}; set one of ${
        namingProperties(release).join(", ")
      } to its suffix, or name it with the driver option`,
  );
}

/**
 * Loads the driver that a property names. Only the first property that is set counts; Android 10 tried both. `failed`
 * is a failure after which the search does not guess; on Android 10 a failure of the board's property was none.
 */
function byProperty({ libraries, values, release }: Steps): { driver?: EglDriver; failed: boolean } {
  const names = namingProperties(release).filter((name) => values.get(name) !== ""), today = release !== 10;
  for (const name of today ? names.slice(0, 1) : names) {
    const value = values.get(name), folders = today ? foldersOf(value, FOLDERS, values) : FOLDERS_OF_10;
    const driver = libraries.assemble(libraries.exact(`_${value}`, folders, name), name);
    if (driver) return { driver, failed: false };
  }
  return { failed: today ? names.length > 0 : values.get(HARDWARE) !== "" };
}

function mayGuess({ release, values, search }: Steps, failed: boolean): boolean {
  const say = (path: string, reason: string) => {
    search.findings.push({ subject: "property", path, origin: "wildcard", taken: false, reason, level: "debug" });
    return false;
  };
  if (failed) return say(namingProperties(release).join(", "), "names a driver, so other names are not searched");
  if (release === 10) return true;
  const level = Number.parseInt(values.get("ro.vendor.api_level")) || 0;
  return level < NO_WILDCARD_SINCE ||
    say("ro.vendor.api_level", `is ${level}: from 34 on, other names are not searched`);
}

function fail(steps: Steps, what: string): never {
  const path = steps.options.angle ?? steps.options.root ?? "";
  throw new DriverError(
    "unusable",
    path === "" ? "auto" : path,
    `Cannot use ${what}: ${seen(steps)}; Android would end the process here; repair this driver or choose another`,
  );
}

/** A short reason for a failed search: the last file that could not be loaded, or no file at all. */
function seen({ search: { findings } }: Steps): string {
  const last = findings.findLast(({ subject, reason }) => subject === "driver" && reason !== "no such file");
  if (last) return last.reason;
  const absent = findings.filter(({ subject }) => subject === "driver").map(({ path }) => path);
  if (absent.length === 0) return "no property names a driver";
  const more = absent.length > 3 ? ` and ${absent.length - 3} more` : "";
  return `found none of ${absent.slice(0, 3).join(", ")}${more}`;
}
