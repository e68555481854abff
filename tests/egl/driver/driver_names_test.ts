import { assertEquals } from "@std/assert";
import { driverNames } from "../../../egl/mod.ts";

/** The suffixes tried, in order, by the one-for-all library's name. */
function suffixes(...args: Parameters<typeof driverNames>): string[] {
  return driverNames(...args).filter((names) => names.length === 1).map(([all]) =>
    all.slice("libGLES".length, -".so".length)
  );
}

const ALL = { "persist.graphics.egl": "angle", "ro.hardware.egl": "adreno", "ro.board.platform": "msm8998" };

Deno.test("driverNames() counts only the first property that is set, today", () => {
  assertEquals(suffixes(ALL), ["_angle", ""]);
  assertEquals(suffixes({ ...ALL, "persist.graphics.egl": "" }), ["_adreno", ""]);
  assertEquals(suffixes({ "ro.board.platform": "msm8998" }), ["_msm8998", ""]);
  assertEquals(suffixes({}), [""]);
});

Deno.test("driverNames() tries both properties of the device on Android 10", () => {
  assertEquals(suffixes(ALL, 10), ["_adreno", "_msm8998", ""]);
  assertEquals(suffixes({ "ro.hardware.egl": "x", "ro.board.platform": "x" }, 10), ["_x", ""]);
  assertEquals(suffixes({ "ro.hardware.egl": "" }, 10), [""]);
});

Deno.test("driverNames() tries one library for everything before three", () => {
  assertEquals(driverNames({ "ro.hardware.egl": "mali" })[1], [
    "libEGL_mali.so",
    "libGLESv1_CM_mali.so",
    "libGLESv2_mali.so",
  ]);
});
