import type { AndroidSearch } from "../android/options.ts";
import type { DirectDriver } from "../interface/driver.ts";
import type { Host } from "../host/host.ts";

/** The requested driver: a library, a manifest (`.json`), one in this process, a list of these, or `"auto"`. */
export type WantedDriver = string | DirectDriver | readonly (string | DirectDriver)[];

/** Where and by which rules to search for a driver. */
export interface DriverSearch extends AndroidSearch {
  /** The rules to follow: Android's, Linux's, or those of this system. Default `"auto"`. */
  readonly platform?: "auto" | "android" | "linux";
  /** The machine as the search sees it, for tests. Default: this process. */
  readonly host?: Host;
}
