import { checkOptions } from "../../ffi/check_options.ts";
import { denoHost } from "../../loader/driver/host/host.ts";
import type { Finding } from "../../loader/driver/report/finding.ts";
import { type Platform, platformFinding, platformOf } from "../../loader/driver/search/search.ts";
import { DriverError } from "../../loader/error.ts";
import type { EglDriver } from "./egl_driver.ts";
import { Search } from "./finding_list.ts";
import { LibrarySearch } from "./library_search.ts";
import { type AndroidEglSource, findAndroidEgl } from "./android_search.ts";
import { openLinuxAngle } from "./angle.ts";
import { findLinuxDrivers } from "./linux_search.ts";
import { openNamed } from "./named.ts";
import {
  EGL_DRIVER_RULES,
  type EglDriverChoice,
  eglDriverChoice,
  type EglDriverOptions,
  type EglSearchOptions,
} from "./options.ts";

/**
 * The step of a search that found the driver: the caller's choice, a step of Android's search, libglvnd's vendors, or
 * the last resort.
 */
export type EglDriverSource = "named" | "vendor" | "system" | AndroidEglSource;

/** The chosen driver, and the findings of the search. */
export interface EglSelection extends Disposable {
  /** The driver in use: the first of {@linkcode EglSelection.drivers}. */
  readonly driver: EglDriver;
  /** Every driver that works; several only with libglvnd. */
  readonly drivers: readonly EglDriver[];
  /** The platform whose rules the search followed. */
  readonly platform: Platform;
  /** The step that found the driver. */
  readonly source: EglDriverSource;
  /** The findings of the search, in order; `explain()` returns them. */
  readonly findings: readonly Finding[];
  /** Closes all drivers. A second call does nothing. */
  close(): void;
}

/**
 * Finds and opens an EGL and OpenGL ES driver. Throws a {@linkcode DriverError} that says what was found and what to
 * do, and has all findings; in this case nothing stays open.
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
  checkOptions("findEglDriver()", options, EGL_DRIVER_RULES);
  return openChoice(eglDriverChoice(options.driver), options);
}

/** Opens the chosen driver, as {@linkcode findEglDriver} does. */
export function openChoice(choice: EglDriverChoice, options: EglSearchOptions): EglSelection {
  const search = new Search(options.host ?? denoHost()), { findings } = search;
  const platform = platformOf(options.platform, search.host);
  try {
    const { drivers, source } = open(choice, options, platform, search);
    return selection({ drivers, source, platform, findings });
  } catch (error) {
    if (error instanceof DriverError) error.findings = findings;
    throw error;
  } finally {
    tell(findings, options.log);
  }
}

type Opened = Pick<EglSelection, "drivers" | "source">;

function open(choice: EglDriverChoice, options: EglSearchOptions, platform: Platform, search: Search): Opened {
  if (choice.kind !== "auto" && choice.kind !== "angle") {
    return { drivers: [openNamed(choice, search)], source: "named" };
  }
  search.findings.push(platformFinding(platform, options.platform));
  if (platform === "android") {
    const found = findAndroidEgl(options, search, choice.kind === "angle");
    return { drivers: [found.driver], source: found.source };
  }
  return choice.kind === "angle" ? { drivers: [angle(options, search)], source: "angle" } : findLinuxDrivers(search);
}

function angle(options: EglSearchOptions, search: Search): EglDriver {
  const driver = openLinuxAngle(options, search, new LibrarySearch(search, ""));
  if (driver) return driver;
  const { reason, path } = search.findings.findLast(({ level }) => level !== "debug") ?? { reason: "", path: "" };
  const found = reason === "" ? "found none where browsers have it" : `${path}: ${reason}`;
  throw new DriverError(
    "not-found",
    "angle",
    `Cannot find ANGLE: ${found}; name the folder that holds its libEGL.so and libGLESv2.so with the angle option`,
  );
}

function selection(parts: Pick<EglSelection, "drivers" | "source" | "platform" | "findings">): EglSelection {
  const close = () => parts.drivers.forEach((driver) => driver.close());
  return { ...parts, driver: parts.drivers[0], close, [Symbol.dispose]: close };
}

function tell(findings: readonly Finding[], log: EglDriverOptions["log"]): void {
  if (!log) return;
  for (const { path, value, reason, level } of findings) {
    if (level !== "debug") log(`${path}${value === undefined ? "" : `=${value}`}: ${reason}`);
  }
}
