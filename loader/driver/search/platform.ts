import type { Finding } from "../report/finding.ts";
import type { Host } from "../host/host.ts";

/** Whose rules are followed. */
export type Platform = "android" | "linux";

/** The platform a user asked for, or this system's own for `"auto"`. Throws a `TypeError` for another word. */
export function platformOf(wanted: Platform | "auto" | undefined, host: Host): Platform {
  if (wanted === undefined || wanted === "auto") return host.system;
  if (wanted === "android" || wanted === "linux") return wanted;
  throw new TypeError(`Cannot use platform ${JSON.stringify(wanted)}: give "auto", "android" or "linux"`);
}

/** What there is to say about the choice. */
export function platformFinding(platform: Platform, wanted: Platform | "auto" | undefined): Finding {
  const asked = wanted !== undefined && wanted !== "auto";
  const reason = asked ? "asked for by the caller" : "the system this process runs on";
  return { subject: "platform", path: platform, origin: "platform option", taken: true, reason, level: "debug" };
}
