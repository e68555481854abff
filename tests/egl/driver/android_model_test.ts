import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { driverNames, type DriverProperties, type EglRelease } from "../../../egl/mod.ts";
import { EGL, findIn, NEEDS_COMPILER, ONE } from "./fixtures.ts";

const FOLDER = "/vendor/lib64/egl", SUFFIXES = ["", "_a", "_b", "_c"];
const NAMES = SUFFIXES.flatMap((suffix) => [`libGLES${suffix}.so`, `libEGL${suffix}.so`]);
const value = fc.constantFrom("", "a", "b", "none");
const PROPERTIES = fc.record({
  "persist.graphics.egl": value,
  "ro.hardware.egl": value,
  "ro.board.platform": value,
  "ro.vendor.api_level": fc.constantFrom("", "33", "34"),
});

/** The library to be found: the first of the names that is there, or else, if nothing speaks against it, any. */
function expected(
  files: readonly string[],
  properties: DriverProperties & Record<string, string>,
  release: EglRelease,
) {
  const named = driverNames(properties, release).map(([first]) => first).find((name) => files.includes(name));
  if (named !== undefined) return named;
  const today = release !== 10,
    tried = today ? driverNames(properties).length > 2 : properties["ro.hardware.egl"] !== "";
  if (tried || (today && properties["ro.vendor.api_level"] === "34")) return undefined;
  const guess = (start: string) => files.filter((name) => name.startsWith(start)).sort()[0];
  return guess("libGLES_") ?? guess("libEGL_");
}

Deno.test(
  "Android's search ends with the first existing name of driverNames(), otherwise with any driver that may be guessed",
  NEEDS_COMPILER,
  () => {
    const release = fc.constantFrom<EglRelease>(17, 10);
    fc.assert(
      fc.property(fc.subarray(NAMES), PROPERTIES, release, (names, properties, release) => {
        const files = names.map((name) => [`${FOLDER}/${name}`, name.startsWith("libGLES") ? ONE : EGL]);
        const { driver } = findIn(Object.fromEntries(files), properties, { release });
        const wanted = expected(names, properties, release);
        assertEquals(driver, wanted === undefined ? "" : `${FOLDER}/${wanted}`);
      }),
      { numRuns: 150 },
    );
  },
);
