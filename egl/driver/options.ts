import { SEARCH_RULES } from "../../loader/driver/search/search.ts";
import { callback, either, list, oneOf, type OptionRules, text, typed } from "../../ffi/check_options.ts";
import type { AndroidSearch } from "../../loader/driver/android/options.ts";
import type { Host } from "../../loader/driver/host/host.ts";
import type { EglRelease } from "./driver_names.ts";

/**
 * The driver to open: `"auto"` for the result of the platform's search; `"angle"` for ANGLE; the path of a library, of
 * a folder with a driver, or of a libglvnd manifest (`.json`); or the paths of three libraries, `""` for a missing one.
 */
export type WantedEglDriver =
  | "auto"
  | "angle"
  | (string & Record<never, never>)
  | readonly [egl: string, gles1: string, gles2: string];

/** A driver that a caller names. */
export type NamedEglDriver =
  /** A libglvnd manifest, or a library or a folder with one. */
  | { readonly kind: "manifest" | "path"; readonly path: string }
  /** A library for each API, `""` for a missing one. */
  | { readonly kind: "three"; readonly egl: string; readonly gles1: string; readonly gles2: string };

/**
 * The `driver` option, once it is read: everything below an entry takes this value. `"auto"` is the result of the
 * platform's search.
 */
export type EglDriverChoice = { readonly kind: "auto" } | { readonly kind: "angle" } | NamedEglDriver;

/**
 * Reads a `driver` option, where an open driver may stand, too. Throws a `TypeError` for an empty path, and for three
 * libraries without EGL.
 */
export function eglDriverChoice(wanted: WantedEglDriver | undefined): EglDriverChoice;
export function eglDriverChoice<Opened extends object>(
  wanted: WantedEglDriver | Opened | undefined,
): EglDriverChoice | { readonly kind: "opened"; readonly driver: Opened };
export function eglDriverChoice(
  wanted: WantedEglDriver | object = "auto",
): EglDriverChoice | { readonly kind: "opened"; readonly driver: object } {
  if (typeof wanted === "string") return namedChoice(wanted);
  if (!isThree(wanted)) return { kind: "opened", driver: wanted };
  const [egl, gles1, gles2] = wanted;
  if (egl) return { kind: "three", egl, gles1, gles2 };
  throw new TypeError("Cannot open a driver without its EGL library: name that library first, then those of OpenGL ES");
}

function namedChoice(wanted: string): EglDriverChoice {
  if (wanted === "auto") return { kind: "auto" };
  if (wanted === "angle") return { kind: "angle" };
  if (wanted === "") throw new TypeError('Cannot open "" as an EGL driver: give a path, "auto" or "angle"');
  return { kind: wanted.endsWith(".json") ? "manifest" : "path", path: wanted };
}

function isThree(wanted: object): wanted is Extract<WantedEglDriver, readonly unknown[]> {
  return Array.isArray(wanted);
}

/** The EGL driver to open, and the rules of the search. */
export interface EglDriverOptions
  extends Pick<AndroidSearch, "root" | "systemProperties" | "settings" | "app" | "updatableDriver"> {
  /** The driver. Default `"auto"`. */
  readonly driver?: WantedEglDriver;
  /** The platform whose rules are followed: Android, Linux, or the current system. Default `"auto"`. */
  readonly platform?: "auto" | "android" | "linux";
  /** The Android release whose rules are followed: 10, or a release with the current rules. Default 17. */
  readonly release?: EglRelease;
  /**
   * The folders with ANGLE, separated by `:`, or `"system"` for the one that Android ships. Default: on Android the
   * system's; on Linux the folders of browsers.
   */
  readonly angle?: string;
  /** Gets the findings of the search, without the details. Default: no messages. */
  readonly log?: (message: string) => void;
  /** The machine for the search, for tests. Default: this process. */
  readonly host?: Host;
}

/** The rules of a search alone. */
export type EglSearchOptions = Omit<EglDriverOptions, "driver">;

/** The forms in which a driver can be named. */
export const DRIVER = 'a path, a list of paths, "auto", "angle" or an opened driver';

/** The options of the search and their valid values. */
export const EGL_DRIVER_RULES: OptionRules<EglDriverOptions> = {
  root: SEARCH_RULES.root,
  systemProperties: SEARCH_RULES.systemProperties,
  settings: SEARCH_RULES.settings,
  app: SEARCH_RULES.app,
  updatableDriver: SEARCH_RULES.updatableDriver,
  platform: SEARCH_RULES.platform,
  host: SEARCH_RULES.host,
  driver: either(typed(DRIVER, "string"), list(DRIVER, typed("a path, or an empty text for none", "string"))),
  release: oneOf(10, 14, 15, 16, 17),
  angle: text("the path of ANGLE's libEGL or of a folder"),
  log: callback("takes a sentence"),
};
