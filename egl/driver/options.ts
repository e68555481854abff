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
