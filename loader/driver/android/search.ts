import type { Properties } from "../../../ffi/android/properties.ts";
import { RTLD_NOW } from "../../../ffi/library/library.ts";
import type { AndroidSearch } from "./options.ts";
import { openProperties, reporting } from "./properties.ts";
import { openFailedHal, openStubHal, STUB_HAL } from "./stub_hal.ts";
import { updatableFolders } from "./updatable_driver.ts";
import type { Host } from "../host/host.ts";
import { type Driver, driverOf, loadDriverLibrary } from "../interface/driver.ts";
import { openHal } from "../interface/entry_points.ts";
import { carrying, type Finding } from "../report/finding.ts";
import { DriverError } from "../../error.ts";

/** The origin of a driver in an Android search. */
export type AndroidSource = "updatable" | "apex" | "built-in" | "stub";

/** The result of an Android search. */
export interface AndroidDriver {
  /** The opened driver. */
  readonly driver: Driver;
  /** The step of the search that found the driver. */
  readonly source: AndroidSource;
}

/** The properties that name libvulkan's driver, and the folders of the built-in one. */
const NAMES = ["ro.hardware.vulkan", "ro.board.platform"], FOLDERS = ["/vendor/lib64/hw", "/vendor/lib/hw"];
/** The properties and folders of hw_get_module. */
const CLASSIC_NAMES = ["ro.hardware.vulkan", "ro.hardware", "ro.product.board", "ro.board.platform", "ro.arch"];
const CLASSIC_FOLDERS = ["/odm/lib64/hw", "/vendor/lib64/hw", "/system/lib64/hw"];

/** Data shared by the steps of a search. */
interface Search extends AndroidSearch {
  readonly folder: string;
  readonly host: Host;
  readonly report: Finding[];
  readonly values: Properties;
  readonly candidates: HalCandidates;
}

/**
 * Finds Android's driver: the updatable driver, then the APEX, then the
 * built-in one. The search continues only while nothing could be loaded; a
 * loaded file that is not a module ends it. In that case, and if there is
 * nothing at all, the driver is the stub HAL. Throws a {@linkcode DriverError}
 * where Android ends the process (an updatable driver that cannot be loaded) or
 * leaves an application with a loader that always fails (a HAL whose open
 * method refuses).
 */
export function findAndroidDriver(options: AndroidSearch, host: Host, report: Finding[]): AndroidDriver {
  const folder = options.root ?? "";
  const properties = openProperties(options.systemProperties, folder, host), values = reporting(properties, report);
  reportMisspelt(properties, folder, report);
  const candidates = new HalCandidates(host, report, options.quirks);
  const search = { ...options, folder, host, report, values, candidates };
  const updatable = updatableDriver(search);
  if (updatable) return { driver: updatable, source: "updatable" };
  for (const [source, step] of [["apex", apexDriver], ["built-in", builtInDriver]] as const) {
    const outcome = step(search);
    if (outcome === "broken") return stub(report, "the module that was found is broken");
    if (outcome !== "none") return { driver: outcome, source };
  }
  return stub(report, "no driver was found");
}

/** The platform's property as some documents spell it; no code of Android's reads it. */
const MISSPELT = "ro.product.platform";

/** Names the driver that a device's maker may have meant. */
function reportMisspelt(properties: Properties, folder: string, report: Finding[]): void {
  const value = properties.get(MISSPELT);
  if (value === "" || value === properties.get("ro.board.platform")) return;
  const path = `${folder}${FOLDERS[0]}/vulkan.${value}.so`;
  const reason = `is not looked for: Android's loader reads ro.board.platform; set that instead of ${MISSPELT}`;
  report.push({ subject: "driver", path, origin: MISSPELT, taken: false, reason, level: "warning" });
}

/** The first step. A chosen updatable driver must load. */
function updatableDriver(search: Search): Driver | undefined {
  const { folder, values, host, report } = search;
  const folders = updatableFolders(search, values, host, report);
  if (!folders) return undefined;
  const outcome = firstNamed(search, folders, "updatable driver");
  if (typeof outcome !== "string") return outcome;
  const where = folders.map((each) => folder + each).join(":"), last = report.at(-1);
  const found = last?.subject === "driver" ? `${last.path}: ${last.reason}` : "no property names a driver";
  throw new DriverError(
    "unusable",
    where,
    `Cannot use the updatable driver in "${where}": ${found}; Android would end the process, so mend the driver or choose the built-in one`,
  );
}

function apexDriver(search: Search): HalOutcome {
  const name = search.values.get("ro.vulkan.apex");
  if (name === "") return "none";
  return firstNamed(search, [`/apex/${name}/lib64/hw`, `/apex/${name}/lib64`], "APEX of ro.vulkan.apex");
}

function builtInDriver(search: Search): HalOutcome {
  return search.halSearch === "hw_get_module" ? classicModule(search) : firstNamed(search, FOLDERS, "built-in driver");
}

/** libvulkan's rule: for each property in turn, the first library that loads. */
function firstNamed({ values, folder, candidates }: Search, folders: readonly string[], step: string): HalOutcome {
  for (const name of NAMES) {
    const value = values.get(name);
    if (value === "") continue;
    for (const each of folders) {
      const outcome = candidates.open(`${folder}${each}/vulkan.${value}.so`, `${step}, ${name}`);
      if (outcome !== "none") return outcome;
    }
  }
  return "none";
}

/** hw_get_module's rule: the first existing file, which must load. */
function classicModule({ values, folder, candidates }: Search): HalOutcome {
  const named = CLASSIC_NAMES.map((name) => [name, values.get(name)]).filter(([, value]) => value !== "");
  for (const [name, value] of [...named, ["the name default", "default"]]) {
    for (const each of CLASSIC_FOLDERS) {
      const path = `${folder}${each}/vulkan.${value}.so`, origin = `hw_get_module, ${name}`;
      if (!candidates.exists(path, origin)) continue;
      const outcome = candidates.open(path, origin);
      return outcome === "none" ? "broken" : outcome;
    }
  }
  return "none";
}

function stub(report: Finding[], why: string): AndroidDriver {
  const reason = `${why}: instances can be made and have no physical devices`;
  report.push({ subject: "driver", path: STUB_HAL, origin: "last resort", taken: true, reason, level: "warning" });
  return { driver: openStubHal(), source: "stub" };
}

/**
 * Android's late updatable driver. Returns a function that opens a driver which
 * has appeared since a built-in driver was opened, and returns `undefined`
 * while there is none. Absent for drivers that are never replaced. The function
 * throws a {@linkcode DriverError} if the new driver cannot be used.
 */
export function successorOf(
  { source }: Pick<AndroidDriver, "source">,
  search: AndroidSearch,
  host: Host,
): (() => Driver | undefined) | undefined {
  const mayAppear = search.app?.packageName !== undefined || search.updatableDriver !== undefined;
  if (!mayAppear || (source !== "built-in" && source !== "apex")) return undefined;
  let found = false;
  return () => {
    if (found || !updatableAppeared(search, host)) return undefined;
    const report: Finding[] = [], { driver } = carrying(report, () => findAndroidDriver(search, host, report));
    found = true;
    return driver;
  };
}

function updatableAppeared(search: AndroidSearch, host: Host): boolean {
  return updatableFolders(search, openProperties(search.systemProperties, search.root ?? "", host), host, []) !==
    undefined;
}

/**
 * The result for a file that may be a HAL module: the driver, `"none"` if
 * nothing could be loaded, `"broken"` if the loaded file is not a Vulkan HAL
 * module.
 */
export type HalOutcome = Driver | "none" | "broken";

/** Opens HAL modules as Android does, and reports the result for each. */
export class HalCandidates {
  readonly #host: Host;
  readonly #report: Finding[];
  readonly #quirks: AndroidSearch["quirks"];

  /** Reads files through `host` and appends findings to `report`. */
  constructor(host: Host, report: Finding[], quirks: AndroidSearch["quirks"]) {
    this.#host = host;
    this.#report = report;
    this.#quirks = quirks;
  }

  /** Whether there is anything at a path. Reports a missing file. */
  exists(path: string, origin: string): boolean {
    const found = this.#host.exists(path) !== undefined;
    if (!found) this.#refuse(path, origin, "no such file", "debug");
    return found;
  }

  /**
   * Loads one file. If a HAL's open method refuses, Android is left with a
   * loader that always fails. Here that is a {@linkcode DriverError}; only
   * AOSP's quirks give such a loader.
   */
  open(path: string, origin: string): HalOutcome {
    if (path.includes("!/")) return this.#refuse(path, origin, "lies inside a package; unpack it and name the folder");
    if (!this.exists(path, origin)) return "none";
    const library = this.#load(path, origin);
    if (!library) return "none";
    const found = openHal(library);
    if (found && !("failure" in found)) {
      this.#report.push({ subject: "driver", path, origin, taken: true, reason: "opened as hal" });
      return driverOf(path, found, library);
    }
    library.close();
    const failure = found?.failure ?? "it exports no HMI, so it is no HAL module";
    this.#refuse(path, origin, failure, "error");
    return found?.cause === "open" ? this.#refusing(path, failure) : "broken";
  }

  #load(path: string, origin: string): ReturnType<typeof loadDriverLibrary> | undefined {
    try {
      return loadDriverLibrary(path, { flags: RTLD_NOW });
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      this.#refuse(path, origin, error.message);
    }
  }

  #refusing(path: string, failure: string): Driver {
    if (this.#quirks === "aosp") return openFailedHal(path);
    throw new DriverError("unusable", path, `Cannot use "${path}" as a Vulkan driver: ${failure}`);
  }

  #refuse(path: string, origin: string, reason: string, level: Finding["level"] = "warning"): "none" {
    this.#report.push({ subject: "driver", path, origin, taken: false, reason, level });
    return "none";
  }
}
