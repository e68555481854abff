import type { Finding } from "../report/finding.ts";
import type { Host } from "../host/host.ts";

/** The platform whose rules apply. */
export type Platform = "android" | "linux";

/** Returns the requested platform, or this system's for `"auto"`. Throws a `TypeError` for another word. */
export function platformOf(wanted: Platform | "auto" | undefined, host: Host): Platform {
  if (wanted === undefined || wanted === "auto") return host.system;
  if (wanted === "android" || wanted === "linux") return wanted;
  throw new TypeError(`Cannot use platform ${JSON.stringify(wanted)}: give "auto", "android" or "linux"`);
}

/** Returns the finding about the choice. */
export function platformFinding(platform: Platform, wanted: Platform | "auto" | undefined): Finding {
  const asked = wanted !== undefined && wanted !== "auto";
  const reason = asked ? "asked for by the caller" : "the system this process runs on";
  return { subject: "platform", path: platform, origin: "platform option", taken: true, reason, level: "debug" };
}
