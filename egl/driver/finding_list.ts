import type { Finding } from "../../loader/driver/finding.ts";
import type { Host } from "../../loader/driver/host.ts";
import { DriverError } from "../../loader/error.ts";
import type { EglDriver } from "./egl_driver.ts";

/** What a search has looked at, and the machine it looked at. */
export class Search {
  /** The machine. */
  readonly host: Host;
  /** What was looked at, in order. */
  readonly findings: Finding[] = [];

  /** Begins with nothing looked at. */
  constructor(host: Host) {
    this.host = host;
  }

  /** Notes that a driver was opened. */
  took(driver: EglDriver, origin: string, reason = openedAs(driver)): EglDriver {
    this.findings.push({ subject: "driver", path: driver.path, origin, taken: true, reason });
    return driver;
  }

  /** Notes that a library is no part of a driver. */
  refused(path: string, origin: string, reason: string, level: Finding["level"] = "warning"): undefined {
    this.findings.push({ subject: "driver", path, origin, taken: false, reason, level });
  }

  /** Opens a driver; where that cannot be done, notes why, and is `undefined`. */
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
