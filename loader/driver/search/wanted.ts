import type { Platform } from "./platform.ts";
import type { AndroidSearch } from "../android/options.ts";
import type { DirectDriver } from "../interface/driver.ts";
import type { Host } from "../host/host.ts";

/** The driver a user wants: a library, a manifest (`.json`), one in this process, a list of these, or `"auto"`. */
export type WantedDriver = string | DirectDriver | readonly (string | DirectDriver)[];

/** Where and by whose rules a driver is searched for. */
export interface DriverSearch extends AndroidSearch {
  /** Whose rules are followed: Android's, Linux's, or those of the system this runs on. Default `"auto"`. */
  readonly platform?: Platform | "auto";
  /** The machine as the search sees it; for tests. Default: this process. */
  readonly host?: Host;
}
