import { RTLD_NOW } from "../../../ffi/library/library.ts";
import { DriverError } from "../../error.ts";
import type { AndroidSearch } from "./options.ts";
import { type Driver, driverOf, loadDriverLibrary } from "../interface/driver.ts";
import type { Finding } from "../report/finding.ts";
import { openHal } from "../interface/hal.ts";
import type { Host } from "../host/host.ts";
import { openFailedHal } from "./stub_hal.ts";

/**
 * What came of a file that may be a HAL module: the driver, `"none"` when
 * nothing could be loaded, `"broken"` when what was loaded is no Vulkan HAL
 * module.
 */
export type HalOutcome = Driver | "none" | "broken";

/** Opens HAL modules as Android does, and reports what came of each. */
export class HalCandidates {
  readonly #host: Host;
  readonly #report: Finding[];
  readonly #quirks: AndroidSearch["quirks"];

  /** Looks at files through `host`, appends findings to `report`. */
  constructor(host: Host, report: Finding[], quirks: AndroidSearch["quirks"]) {
    this.#host = host;
    this.#report = report;
    this.#quirks = quirks;
  }

  /** Whether there is anything at a path; says so when there is not. */
  exists(path: string, origin: string): boolean {
    const found = this.#host.exists(path) !== undefined;
    if (!found) this.#refuse(path, origin, "no such file", "debug");
    return found;
  }

  /**
   * Loads one file. A HAL whose open method refuses leaves Android with a
   * loader that always fails; here that is a {@linkcode DriverError}, and such
   * a loader only with AOSP's quirks.
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
