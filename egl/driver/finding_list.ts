import type { Finding } from "../../loader/driver/report/finding.ts";
import type { Host } from "../../loader/driver/host/host.ts";
import { DriverError } from "../../loader/error.ts";
import type { EglDriver } from "./egl_driver.ts";
import { lookAt } from "./library_files.ts";

/** The findings of a search, and the machine that was searched. */
export class Search {
  /** The machine. */
  readonly host: Host;
  /** The findings, in order. */
  readonly findings: Finding[] = [];

  /** Begins without findings. */
  constructor(host: Host) {
    this.host = host;
  }

  /** Records that a driver was opened. */
  took(driver: EglDriver, origin: string): EglDriver {
    const reason = openedAs(driver) + lack(driver, this.host);
    this.findings.push({ subject: "driver", path: driver.path, origin, taken: true, reason });
    return driver;
  }

  /** Records that a library is not a part of a driver. */
  refused(path: string, origin: string, reason: string, level: Finding["level"] = "warning"): undefined {
    this.findings.push({ subject: "driver", path, origin, taken: false, reason, level });
  }

  /** Opens a driver. Returns `undefined` if the driver cannot be opened, and records the reason. */
  attempt(path: string, origin: string, open: () => EglDriver): EglDriver | undefined {
    try {
      return this.took(open(), origin);
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      return this.refused(error.path || path, origin, error.message);
    }
  }
}

const KINDS = { glvnd: "a libglvnd vendor", one: "one binary", three: "libraries of their own", angle: "ANGLE" };

function openedAs({ kind, libraries }: EglDriver): string {
  const others = libraries.slice(1).map((path) => path.slice(path.lastIndexOf("/") + 1));
  return `opened as ${KINDS[kind]}${others.length > 0 ? `, with ${others.join(" and ")}` : ""}`;
}

/**
 * The reason why ANGLE has no Vulkan. ANGLE loads Vulkan only from its own folder, only under these names, and does not
 * report a failure.
 */
function lack({ kind, path }: EglDriver, host: Host): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1), names = ["libvulkan.so", "libvulkan.so.1"];
  if (kind !== "angle" || host.system === "android" || folder === "") return "";
  if (names.some((name) => lookAt(folder + name, host) !== "nothing")) return "";
  return "; no libvulkan.so.1 lies beside it, which its Vulkan back end may need: link a Vulkan loader or driver there";
}
