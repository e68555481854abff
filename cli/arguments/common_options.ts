import type { VulkanOptions } from "../../loader/mod.ts";
import { type Option, WrongUse } from "../command.ts";

const PLATFORMS = ["auto", "android", "linux"] as const;

/** The options of every command. */
export const COMMON_OPTIONS = {
  driver: {
    type: "string",
    multiple: true,
    value: "PATH",
    help: "a driver's library or manifest; may be repeated, for the devices of all drivers",
  },
  layer: {
    type: "string",
    multiple: true,
    value: "NAME",
    help:
      "a layer, by name, library, manifest or module (.ts), or profile, leaks, trace:FILE, record:FILE, limits:FILE, " +
      "faults:FILE, spirv:FOLDER; may be repeated",
  },
  platform: { type: "string", value: "NAME", help: "the platform whose rules to follow: android or linux" },
  root: { type: "string", value: "FOLDER", help: "a folder in place of the device's /, on Android" },
  "system-properties": { type: "string", value: "FILE", help: "a build.prop or the output of getprop" },
  json: { type: "boolean", help: "print JSON" },
  help: { type: "boolean", help: "show a command's options" },
} as const satisfies Readonly<Record<string, Option>>;

/** Their values, as parsed. */
export interface CommonValues {
  readonly driver?: string[];
  readonly layer?: string[];
  readonly platform?: string;
  readonly root?: string;
  readonly "system-properties"?: string;
}

/** Converts the values to options of a loader. Throws {@linkcode WrongUse} for an unknown platform. */
export function loaderOptions(
  { driver, layer = [], platform = "auto", root, "system-properties": systemProperties }: CommonValues,
): VulkanOptions {
  const known = PLATFORMS.find((each) => each === platform);
  if (!known) throw new WrongUse(`"${platform}" is not a platform: give one of ${PLATFORMS.join(", ")}`);
  const drivers = driver?.length === 1 ? driver[0] : driver;
  return { driver: drivers ?? "auto", layers: layer, root, systemProperties, platform: known };
}
