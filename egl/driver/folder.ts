import { DriverError } from "../../loader/error.ts";
import { driverRefusal } from "./driver_library.ts";
import type { Search } from "./finding_list.ts";
import { isLibrary, partsOf } from "./library_files.ts";

/** What the EGL library of a driver is called, those of one binary first. */
const STARTS = ["libGLES", "libEGL"];
const OTHER = /^libGLESv\d/;

/**
 * The library of the driver in a folder, the one that has its EGL: its only
 * libGLES_x or libEGL_x; of several the unsuffixed one. Throws a
 * {@linkcode DriverError} when there is none, or no telling which.
 */
export function libraryInFolder(folder: string, search: Search): string {
  const path = folder.replace(/(?<=.)\/+$/, ""), stems = driverStems(path, search);
  const [only] = stems.length === 1 ? stems : stems.filter(({ stem }) => STARTS.includes(stem));
  if (only) return `${path}/${only.file}`;
  const found = stems.map(({ file }) => file).join(", ");
  throw driverRefusal(
    folder,
    found === ""
      ? "found a folder without libEGL… or libGLES…; name one that has them, or a library"
      : `found a folder with several: ${found}; name one of them`,
  );
}

function driverStems(folder: string, { host }: Search): { file: string; stem: string }[] {
  const stems = new Map<string, string>();
  for (const file of namesIn(folder, host)) {
    const { stem } = partsOf(file);
    const isDriver = isLibrary(file, host) && STARTS.some((start) => stem.startsWith(start)) && !OTHER.test(stem);
    if (isDriver && !stems.has(stem)) stems.set(stem, file);
  }
  return [...stems].map(([stem, file]) => ({ stem, file }));
}

function namesIn(folder: string, host: Search["host"]): string[] {
  try {
    return host.readDir(folder).sort();
  } catch (error) {
    const advice = error instanceof Deno.errors.NotCapable ? "allow it with --allow-read" : "check its permissions";
    throw new DriverError(folder, `Cannot read folder "${folder}": ${(error as Error).message}; ${advice}`, {
      cause: error,
    });
  }
}
