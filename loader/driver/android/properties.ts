import {
  parseProperties,
  type Properties,
  propertiesOf,
  type PropertySource,
  systemProperties,
} from "../../../ffi/android/properties.ts";
import { NativeError } from "../../../ffi/error.ts";
import { DriverError } from "../../error.ts";
import type { Finding } from "../report/finding.ts";
import { denoHost, type Host } from "../host/host.ts";
import type { DriverSearch } from "../search/search.ts";

/** The property files of Android's partitions. Later files override earlier ones, as in init. */
const FILES = [
  "/system/build.prop",
  "/vendor/default.prop",
  "/vendor/build.prop",
  "/odm/etc/build.prop",
  "/product/etc/build.prop",
];

/**
 * Returns the system properties of an Android search: those of the user,
 * otherwise the device's, otherwise those of the property files below `root`.
 * Throws a {@linkcode DriverError} if they cannot be read.
 */
export function openProperties(source: PropertySource | undefined, root: string, host: Host): Properties {
  if (source !== undefined) return openSource(source);
  return host.system === "android" && root === "" ? openSource("device") : filesBelow(root, host);
}

/**
 * Returns a reader of single properties for later, when no file may be read any
 * more. Properties that cannot be read count as not set; the search reports it
 * where it needs them.
 */
export function propertyReader(
  { systemProperties: properties, root = "", host = denoHost() }: DriverSearch,
): (name: string) => string {
  try {
    const found = openProperties(properties, root, host);
    return (name) => found.get(name);
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return () => "";
  }
}

function openSource(source: PropertySource): Properties {
  try {
    return systemProperties(source);
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    throw new DriverError("unusable", String(source), error.message, { cause: error });
  }
}

function filesBelow(root: string, host: Host): Properties {
  const values = new Map<string, string>(), read: string[] = [];
  for (const path of FILES.map((file) => root + file)) {
    if (host.exists(path) !== "file") continue;
    for (const [name, value] of parseProperties(new TextDecoder().decode(host.readFile(path)))) values.set(name, value);
    read.push(path);
  }
  return propertiesOf(read.join(", ") || `no property file below "${root}/"`, values);
}

/** Wraps properties so that each one that is read is reported once. */
export function reporting(properties: Properties, report: Finding[]): Properties {
  const known = new Map<string, string>();
  const get = (name: string) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const value = properties.get(name);
    known.set(name, value);
    const set = value !== "";
    report.push({
      subject: "property",
      path: name,
      ...(set && { value }),
      origin: properties.origin,
      taken: set,
      reason: set ? "read" : "not set",
      level: "debug",
    });
    return value;
  };
  return { origin: properties.origin, get };
}
