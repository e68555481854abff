import { SEARCH_RULES } from "../../loader/driver/search/search_rules.ts";
import { callback, either, list, oneOf, type OptionRules, text, typed } from "../../ffi/check_options.ts";
import type { AndroidSearch } from "../../loader/driver/android/options.ts";
import type { Host } from "../../loader/driver/host/host.ts";
import type { Platform } from "../../loader/driver/search/platform.ts";
import type { EglRelease } from "./driver_names.ts";

/**
 * The driver a user wants: `"auto"` for what the platform's search finds;
 * `"angle"` for ANGLE, wherever it is; the path of a library, of a folder that
 * holds a driver, or of a libglvnd manifest (`.json`); or the paths of three
 * libraries, `""` for one that is not there.
 */
export type WantedEglDriver =
  | "auto"
  | "angle"
  | (string & Record<never, never>)
  | readonly [egl: string, gles1: string, gles2: string];

/** Which EGL driver is wanted, and where and by whose rules it is searched for. */
export interface EglDriverOptions
  extends Pick<AndroidSearch, "root" | "properties" | "settings" | "app" | "updatableDriver"> {
  /** The driver. Default `"auto"`. */
  readonly driver?: WantedEglDriver;
  /** Whose rules are followed: Android's, Linux's, or those of the system this runs on. Default `"auto"`. */
  readonly platform?: Platform | "auto";
  /** The Android release whose rules are followed: 10, or one that has today's. Default: 17. */
  readonly release?: EglRelease;
  /**
   * Where ANGLE is: folders separated by `:`, or `"system"` for the one Android
   * ships. Default: on Android the system's; on Linux where browsers have it.
   */
  readonly angle?: string;
  /** Is told what was looked at, details left out. */
  readonly log?: (message: string) => void;
  /** The machine as the search sees it; for tests. Default: this process. */
  readonly host?: Host;
}

/** What a driver can be named by. */
export const DRIVER = 'a path, a list of paths, "auto", "angle" or an opened driver';

/** Which options of the search there are, and what fits. */
export const EGL_DRIVER_RULES: OptionRules<EglDriverOptions> = {
  root: SEARCH_RULES.root,
  properties: SEARCH_RULES.properties,
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
