import { isFile } from "../../ffi/library/library.ts";
import { findDrivers } from "../../workbench/runs/testing/find_drivers.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";

/** A word that is no path: without a folder, and without the ending of a library or manifest. */
const NAME = /^[\w-]+$/;

/**
 * Returns the library or manifest of a driver that a command line names. A short name, such as `lvp`, stands for a
 * driver of this machine's manifests. Throws {@linkcode WrongUse} for a name that no driver has.
 */
export function driverPath(word: string): string {
  if (!NAME.test(word) || word === "auto" || isFile(word)) return word;
  const known = findDrivers({}), driver = known.find(({ name }) => name === word);
  if (driver) return driver.path;
  const found = known.length === 0
    ? "this machine has none; give"
    : `found ${known.map(({ name }) => name).join(", ")}; give one of these names, or`;
  throw new WrongUse(`There is no driver "${word}": ${found} a driver's library or manifest`);
}
