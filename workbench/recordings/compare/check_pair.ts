import {
  checkOptions,
  either,
  list,
  number,
  oneOf,
  type OptionRule,
  type OptionRules,
  record,
  text,
  yesOrNo,
} from "../../../ffi/check_options.ts";
import type { FormatTolerance } from "./contents/tolerance.ts";
import type { ComparedDriver } from "./driver_process/side.ts";

/** Rules for the options of all functions that compare two drivers. */
export const PAIR_RULES: OptionRules<
  { steps?: FormatTolerance; share?: number; timeout?: number; unsealed?: boolean }
> = {
  steps: record("steps by VkFormat", number),
  share: between(0, 1),
  timeout: number,
  unsealed: yesOrNo,
};

const DRIVER_RULES: OptionRules<ComparedDriver> = {
  driver: either(text('a driver\'s path, or "auto"'), list("paths of drivers", text("a driver's path"))),
  layers: list("names of layers and files of layers", text("the name or file of a layer")),
  platform: oneOf("auto", "android", "linux"),
};

/** Checks the two drivers of a function. Throws a `TypeError` for another number of drivers, or wrong options of one. */
export function checkDrivers(subject: string, drivers: readonly ComparedDriver[]): void {
  if (drivers.length !== 2) throw new TypeError(`Cannot compare ${drivers.length} drivers: give two`);
  for (const each of drivers) checkDriver(subject, each);
}

/** Checks a driver of a function. Throws a `TypeError` for wrong options. */
export function checkDriver(subject: string, driver: ComparedDriver): void {
  checkOptions(`a driver of ${subject}`, driver, DRIVER_RULES, ["driver"]);
}

function between(least: number, most: number): OptionRule {
  const isInside = (value: unknown) => typeof value === "number" && value >= least && value <= most;
  return (value) => isInside(value) ? undefined : `a number from ${least} to ${most}`;
}
