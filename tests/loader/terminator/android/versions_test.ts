import { assertEquals } from "@std/assert";
import {
  coreVersions,
  deviceVersions,
  loaderVersion,
  versionForDriver,
  withoutPatch,
} from "../../../../loader/terminator/android/versions.ts";
import { VK_MAKE_API_VERSION } from "../../../../loader/version.ts";

const version = (minor: number, patch = 0, variant = 0) => VK_MAKE_API_VERSION(variant, 1, minor, patch);

Deno.test("loaderVersion() is 1.3.0 up to release 15 and 1.4.0 from 16", () => {
  assertEquals(([14, 15, 16, 17] as const).map(loaderVersion), [version(3), version(3), version(4), version(4)]);
});

Deno.test("withoutPatch() keeps the variant", () => {
  assertEquals(withoutPatch(version(3, 250, 5)), version(3, 0, 5));
});

Deno.test("versionForDriver() keeps what a driver takes and lowers what it does not", () => {
  const rows: [wanted: number, driver: number, release: 15 | 17, told: number][] = [
    [version(0), version(0), 17, version(0)],
    [version(1), version(0), 17, version(0)],
    [version(3), version(0), 15, version(0)],
    [version(3), version(1), 17, version(3)],
    [version(4), version(3), 17, version(3)],
    [version(4), version(3), 15, version(4)],
    [version(3, 200), version(3), 17, version(3, 200)],
    [version(4), version(4), 17, version(4)],
    [version(4), version(2), 17, version(4)],
  ];
  for (const [wanted, driver, release, told] of rows) assertEquals(versionForDriver(wanted, driver, release), told);
});

Deno.test("deviceVersions() is the lesser of device and loader; a variant is unknown under AOSP's quirks", () => {
  assertEquals(coreVersions(version(1)), ["VK_VERSION_1_0", "VK_VERSION_1_1"]);
  assertEquals(deviceVersions(version(1, 7), version(3)), coreVersions(version(1)));
  assertEquals(deviceVersions(version(4, 7), version(3), "aosp"), coreVersions(version(3)));
  assertEquals(deviceVersions(version(1, 7, 1), version(3)), coreVersions(version(1)));
  assertEquals(deviceVersions(version(1, 7, 1), version(3), "aosp"), undefined);
});
