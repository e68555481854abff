import { denoHost } from "../../loader/driver/host.ts";
import type { Finding } from "../../loader/driver/finding.ts";
import { type Platform, platformFinding, platformOf } from "../../loader/driver/platform.ts";
import { DriverError } from "../../loader/error.ts";
import type { EglDriver } from "./egl_driver.ts";
import { Search } from "./finding_list.ts";
import { findLinuxDrivers } from "./linux_search.ts";
import { openNamed, openThree } from "./named.ts";
import type { EglDriverOptions } from "./options.ts";

/** The driver chosen and everything that was looked at on the way. */
export interface EglSelection extends Disposable {
  /** The driver in use: the first of {@linkcode EglSelection.drivers}. */
  readonly driver: EglDriver;
  /** Every driver that works; there are several only with libglvnd. */
  readonly drivers: readonly EglDriver[];
  /** Whose rules the search followed. */
  readonly platform: Platform;
  /** What was looked at, in order: the data of `explain()`. */
  readonly findings: readonly Finding[];
  /** Closes all drivers. A second call does nothing. */
  close(): void;
}

/**
 * Finds and opens an EGL and OpenGL ES driver. Throws a
 * {@linkcode DriverError} that says what was found and what to do, and carries
 * all that was looked at; nothing stays open then.
 *
 * @example
 * ```ts ignore
 * import { findEglDriver } from "@pumice/gfx/egl";
 *
 * using found = findEglDriver({ driver: "libEGL_mesa.so.0" });
 * console.log(found.driver.kind, found.driver.find("eglInitialize", "egl") !== 0n); // glvnd true
 * ```
 */
export function findEglDriver(options: EglDriverOptions = {}): EglSelection {
  const search = new Search(options.host ?? denoHost()), { findings } = search;
  const platform = platformOf(options.platform, search.host);
  try {
    return selection(open(options, platform, search), platform, findings);
  } catch (error) {
    if (error instanceof DriverError) error.findings = findings;
    throw error;
  } finally {
    tell(findings, options.log);
  }
}

function open(options: EglDriverOptions, platform: Platform, search: Search): EglDriver[] {
  const { driver = "auto" } = options;
  if (typeof driver !== "string") return [openThree(driver, search)];
  if (driver !== "auto" && driver !== "angle") return [openNamed(driver, search)];
  search.findings.push(platformFinding(platform, options.platform));
  return findLinuxDrivers(search);
}

function selection(drivers: readonly EglDriver[], platform: Platform, findings: readonly Finding[]): EglSelection {
  const close = () => drivers.forEach((driver) => driver.close());
  return { driver: drivers[0], drivers, platform, findings, close, [Symbol.dispose]: close };
}

function tell(findings: readonly Finding[], log: EglDriverOptions["log"]): void {
  if (!log) return;
  for (const { path, value, reason, level } of findings) {
    if (level !== "debug") log(`${path}${value === undefined ? "" : `=${value}`}: ${reason}`);
  }
}
