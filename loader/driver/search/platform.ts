import { PROPERTIES_RULE } from "../../../ffi/android/properties.ts";
import {
  either,
  members,
  object,
  oneOf,
  type OptionRules,
  record,
  text,
  typed,
  yesOrNo,
} from "../../../ffi/check_options.ts";
import type { AndroidApp } from "../android/options.ts";
import type { Host } from "../host/host.ts";
import type { Finding } from "../report/finding.ts";
import type { DriverSearch } from "./wanted.ts";

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

const TEXT = typed("a text", "string");
const APP: OptionRules<AndroidApp> = {
  packageName: TEXT,
  debuggable: yesOrNo,
  injectLayers: yesOrNo,
  nativeLibraryDir: TEXT,
  dataDir: TEXT,
  layerPackages: record("an object of folders by the packages' names", TEXT),
  system: yesOrNo,
  developerDriver: yesOrNo,
};
const UPDATABLE = "the path of a folder or package, or { gpuService }";

/** The options of a search for drivers and their rules. */
export const SEARCH_RULES: OptionRules<DriverSearch> = {
  root: typed("the path of a folder", "string"),
  systemProperties: PROPERTIES_RULE,
  settings: record("an object of texts by the settings' names", TEXT),
  app: members("an object that says what application this is", APP),
  updatableDriver: either(text(UPDATABLE), members(UPDATABLE, { gpuService: TEXT })),
  halSearch: oneOf("libvulkan", "hw_get_module"),
  release: oneOf(14, 15, 16, 17),
  windowSystem: record("an object of addresses (bigints) by the commands' names", typed("an address", "bigint")),
  quirks: oneOf("aosp"),
  platform: oneOf("auto", "android", "linux"),
  host: object("what Host describes"),
};
