import { RTLD_NOW } from "../../../ffi/library/library.ts";
import { DriverError } from "../../error.ts";
import type { AndroidSearch } from "./options.ts";
import { type Driver, driverOf, loadDriverLibrary } from "../interface/driver.ts";
import type { Finding } from "../report/finding.ts";
import { openHal } from "../interface/entry_points.ts";
import type { Host } from "../host/host.ts";
import { openFailedHal } from "./stub_hal.ts";

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
