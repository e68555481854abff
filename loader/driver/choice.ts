import { either, list, type OptionRule, text } from "../../ffi/check_options.ts";
import type { DirectDriver } from "./interface/driver.ts";

/** The requested driver: a library, a manifest (`.json`), one in this process, a list of these, or `"auto"`. */
export type WantedDriver = string | DirectDriver | readonly (string | DirectDriver)[];

/** One driver that a caller names. */
export type SingleDriver =
  | { readonly kind: "library" | "manifest"; readonly path: string }
  /** A driver in this process, such as one in TypeScript. */
  | { readonly kind: "direct"; readonly driver: DirectDriver };

/**
 * The `driver` option of a loader, once it is read: everything below an entry takes this value, and nothing else looks
 * at the forms in which a driver can be given.
 */
export type DriverChoice =
  /** The result of the platform's search. */
  | { readonly kind: "auto" }
  | SingleDriver
  /** Several drivers, at least one, behind one. */
  | { readonly kind: "list"; readonly drivers: readonly SingleDriver[] };

const DRIVER = '"auto", the path of a library or a manifest, a driver in this process, or a list of these';

/**
 * A driver in this process gives the address of its GetInstanceProcAddr. A
 * closed one throws its own error when asked.
 */
const oneDriver: OptionRule = either(
  text(DRIVER),
  (value) => typeof value === "object" && value !== null && "getInstanceProcAddr" in value ? undefined : DRIVER,
);

/** The rule of a `driver` option. */
export const DRIVER_RULE: OptionRule = either(oneDriver, list(DRIVER, oneDriver));

/** Reads a `driver` option. Throws a `TypeError` for a list that is empty, or has `"auto"` in it. */
export function driverChoice(wanted: WantedDriver = "auto"): DriverChoice {
  if (wanted === "auto") return { kind: "auto" };
  if (!isList(wanted)) return singleDriver(wanted);
  if (wanted.length === 0) throw new TypeError("Cannot load no driver: name at least one in the driver list");
  if (wanted.includes("auto")) {
    throw new TypeError('Cannot search for one driver of several: name each in the driver list, or give "auto" alone');
  }
  return { kind: "list", drivers: wanted.map(singleDriver) };
}

function isList(wanted: WantedDriver): wanted is readonly (string | DirectDriver)[] {
  return Array.isArray(wanted);
}

function singleDriver(wanted: string | DirectDriver): SingleDriver {
  if (typeof wanted !== "string") return { kind: "direct", driver: wanted };
  return { kind: wanted.endsWith(".json") ? "manifest" : "library", path: wanted };
}

/** Returns the drivers that a choice names, in order; none for a search. */
export function chosenDrivers(choice: DriverChoice): readonly SingleDriver[] {
  if (choice.kind === "auto") return [];
  return choice.kind === "list" ? choice.drivers : [choice];
}
