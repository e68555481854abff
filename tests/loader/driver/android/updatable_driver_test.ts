import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemProperties } from "../../../../ffi/android/properties.ts";
import type { AndroidApp } from "../../../../loader/driver/android/options.ts";
import { updatablePackage } from "../../../../loader/driver/android/updatable_driver.ts";
import type { Finding } from "../../../../loader/mod.ts";
import { NEEDS_TINY, TINY_HAL } from "../../tiny.ts";
import { loadFrom } from "./root.ts";
import { findingOf } from "../machine.ts";

const PACKAGES = { "ro.gfx.driver.0": "org.example.production", "ro.gfx.driver.1": "org.example.prerelease" };
const ALLOW = "updatable_driver_production_allowlist", DENY = "updatable_driver_production_denylist";
const IN = "updatable_driver_production_opt_in_apps", OUT = "updatable_driver_production_opt_out_apps";
const PRERELEASE = "updatable_driver_prerelease_opt_in_apps", ALL = "updatable_driver_all_apps";

/** The driver that an application gets: the last word of the package's name, or "built-in". */
function choice(settings: Record<string, string>, app: AndroidApp = {}, properties = PACKAGES, report: Finding[] = []) {
  const whole = { packageName: "org.game", ...app };
  const chosen = updatablePackage({ settings, app: whole }, systemProperties(properties), report);
  return chosen?.split(".").at(-1) ?? "built-in";
}

Deno.test("updatable drivers: the settings decide in Android's order", () => {
  const cases: [Record<string, string>, string][] = [
    [{}, "built-in"],
    [{ [ALLOW]: "org.other,org.game" }, "production"],
    [{ [ALLOW]: "*" }, "production"],
    [{ [ALLOW]: "org.gameplay" }, "built-in"],
    [{ [ALLOW]: "org.other,*" }, "built-in"],
    [{ [ALLOW]: "*", [DENY]: "org.game" }, "built-in"],
    [{ [DENY]: "org.game", [IN]: "org.game" }, "production"],
    [{ [IN]: "org.game", [OUT]: "org.game" }, "built-in"],
    [{ [PRERELEASE]: "org.game", [OUT]: "org.game" }, "built-in"],
    [{ [ALL]: "1", [OUT]: "org.game" }, "production"],
    [{ [ALL]: "3", [IN]: "org.game" }, "built-in"],
    [{ [ALL]: "0", [IN]: "org.game" }, "production"],
  ];
  for (const [settings, expected] of cases) assertEquals(choice(settings), expected, JSON.stringify(settings));
});

Deno.test("updatable drivers: prerelease is for debuggable applications and those that ask for it", () => {
  const both: Record<string, string>[] = [{ [PRERELEASE]: "org.game" }, { [ALL]: "2" }];
  for (const settings of both) {
    assertEquals(choice(settings), "built-in");
    assertEquals(choice(settings, { debuggable: true }), "prerelease");
    assertEquals(choice(settings, { developerDriver: true }), "prerelease");
  }
  assertEquals(choice({ [PRERELEASE]: "org.game", [IN]: "org.game" }, { debuggable: true }), "prerelease");
});

Deno.test("updatable drivers: never without a package, for a system application, or for one without a name", () => {
  assertEquals(choice({ [ALL]: "1" }, {}, { ...PACKAGES, "ro.gfx.driver.0": "" }), "built-in");
  assertEquals(choice({ [ALL]: "1" }, {}, { "ro.gfx.driver.0": "", "ro.gfx.driver.1": "" }), "built-in");
  assertEquals(choice({ [ALL]: "1" }, { packageName: undefined }), "built-in");
  const report: Finding[] = [];
  assertEquals(choice({ [ALL]: "1" }, { system: true }, PACKAGES, report), "built-in");
  assertStringIncludes(findingOf(report, "setting")!.reason, "never uses an updatable driver");
});

Deno.test(
  "updatable drivers: the package is found below /data/app, else the built-in driver is used",
  NEEDS_TINY,
  () => {
    const abi = Deno.build.arch === "aarch64" ? "arm64" : "x86_64", builtIn = "/vendor/lib64/hw/vulkan.sun.so";
    const properties = { ...PACKAGES, "ro.board.platform": "sun" };
    const options = { app: { packageName: "org.game" }, settings: { [ALL]: "1" } };
    const folders = ["/data/app/org.example.production-1", "/data/app/~~Zm9v==/org.example.production-YmFy=="];
    for (const folder of folders) {
      const path = `${folder}/lib/${abi}/vulkan.sun.so`;
      assertEquals(loadFrom({ [builtIn]: TINY_HAL!, [path]: TINY_HAL! }, properties, options).driver, path);
    }
    const other = {
      [builtIn]: TINY_HAL!,
      [`/data/app/org.example.productionist-1/lib/${abi}/vulkan.sun.so`]: TINY_HAL!,
    };
    const { driver, findings } = loadFrom(other, properties, options);
    assertEquals(driver, builtIn);
    assertStringIncludes(findingOf(findings, "folder", "/data/app")!.reason, "does not hold org.example.production");
    assertEquals(findingOf(findings, "setting")?.value, "1");
  },
);
