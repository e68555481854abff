import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { checkEgl } from "../../../workbench/check/mod.ts";
import { DriverError } from "../../../loader/mod.ts";
import { needs } from "../../support/require.ts";
import { driversAlone, mesaAlone as mesa } from "../drivers.ts";
import { changedDriver } from "../fake_driver.ts";
import { EXPECTED } from "./expected.ts";

const QUIET = { contexts: 8, log: () => {} };

for (const driver of driversAlone) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`checkEgl() gives the verdicts that are expected of ${driver.name}, with a source each`, part, () => {
    const { verdicts } = checkEgl({ driver: driver.open(), ...QUIET }), table = EXPECTED[driver.name];
    assertEquals(verdicts.map(({ rule }) => rule).sort(), Object.keys(table).sort());
    for (const { rule, requirement, source, status, own = "", found } of verdicts) {
      assertEquals([status, own], [...table[rule].slice(0, 2)], `${rule}: ${found}`);
      assertMatch(found, table[rule][2], rule);
      assertMatch(requirement, /^[A-Z0-9].*\.$/, rule);
      assertMatch(source, /Android's guide|CDD|CTS/, rule);
    }
  });

  Deno.test(`checkEgl() says what ${driver.name} is, as ro.opengles.version has it, too`, part, () => {
    const blocks = openBlocks(), report = checkEgl({ driver: driver.open(), ...QUIET }), [major, minor] = driver.newest;
    assertEquals(report.glesVersion, major << 16 | minor);
    assertStringIncludes(report.display!.context!.version, `OpenGL ES ${major}.${minor}`);
    assertEquals(report.display!.shownVersion, "1.5 Android META-EGL");
    assertStringIncludes(report.display!.clientApis, "OpenGL_ES");
    for (const list of [report.display!.extensions, report.display!.shownExtensions]) {
      assertEquals(list.includes("EGL_KHR_fence_sync"), true);
    }
    assertEquals(report.display!.context!.extensions.includes("GL_OES_EGL_image"), true);
    assertEquals(openBlocks(), blocks);
  });
}

Deno.test("checkEgl() fails a driver whose display cannot be initialized, with what EGL says", {
  ...needs(mesa.part, mesa.found || undefined),
}, () => {
  const report = checkEgl({ driver: changedDriver(mesa.open(), { eglGetPlatformDisplay: ["q:wqq", 0n] }), ...QUIET });
  assertEquals([report.display, report.glesVersion, report.verdicts.length], [undefined, 0, 1]);
  const [{ id, rule, status, found, advice }] = report.verdicts;
  assertEquals([id, rule, status], ["GL1", "egl.version.driver", "fail"]);
  assertMatch(found, /^eglInitialize failed|^eglGetDisplay failed/);
  assertStringIncludes(advice, "native");
});

Deno.test("checkEgl() throws a DriverError when there is no driver", () => {
  assertThrows(() => checkEgl({ driver: "/nowhere/libEGL_x.so", ...QUIET }), DriverError, "/nowhere/libEGL_x.so");
});
