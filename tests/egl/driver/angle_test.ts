import { assertEquals, assertStringIncludes } from "@std/assert";
import { anglePaths } from "../../../tools/setup/parts.ts";
import { withRoot } from "../../loader/driver/android/root.ts";
import { fakeHost } from "../../loader/driver/fake_host.ts";
import { findingOf } from "../../loader/driver/machine.ts";
import { needs } from "../../support/require.ts";
import { ANGLE_GLES2, EGL, findIn, GLES2, NEEDS_COMPILER, ONE, search } from "./fixtures.ts";

const DIR = "/vendor/lib64/egl", SYSTEM = "/system/lib64", PACKAGE = "/data/app/org.angle-1/lib/x86_64";
const APP = { packageName: "org.game" }, ALL = { angle_gl_driver_all_angle: "1" };
const selected = (packages: string, values: string) => ({
  angle_gl_driver_selection_pkgs: packages,
  angle_gl_driver_selection_values: values,
});
const pair = (folder: string) => ({
  [`${folder}/libEGL_angle.so`]: EGL,
  [`${folder}/libGLESv2_angle.so`]: ANGLE_GLES2,
});
const VENDOR = { [`${DIR}/libGLES_mali.so`]: ONE }, MALI = { "ro.hardware.egl": "mali" };
const FILES = { ...VENDOR, ...pair(SYSTEM) };

Deno.test("ANGLE is recognized by its export, as one binary and as three", NEEDS_COMPILER, () => {
  const kinds: string[] = [];
  findIn(pair(SYSTEM), { "ro.hardware.egl": "angle" }, {}, ({ driver }) => kinds.push(driver.kind));
  findIn({ [`${DIR}/libEGL.so`]: EGL, [`${DIR}/libGLESv2.so`]: ANGLE_GLES2 }, {}, {}, (f) => kinds.push(f.driver.kind));
  assertEquals(kinds, ["angle", "angle"]);
});

Deno.test("the suffix angle means the system's, unless the vendor says it has ANGLE", NEEDS_COMPILER, () => {
  const both = { ...pair(SYSTEM), ...pair(DIR) }, angle = { "persist.graphics.egl": "angle" };
  assertEquals(findIn(both, angle).driver, `${SYSTEM}/libEGL_angle.so`);
  assertEquals(findIn(both, { ...angle, "ro.gfx.angle.supported": "true" }).driver, `${DIR}/libEGL_angle.so`);
  assertEquals(findIn(pair(DIR), angle).driver, "");
});

Deno.test(
  "settings choose ANGLE for every application or for some, and only for one with a name",
  NEEDS_COMPILER,
  () => {
    const found = (settings: Record<string, string>, app: object = APP) =>
      findIn(FILES, MALI, { settings, app }).source;
    assertEquals(found(ALL), "angle");
    assertEquals(found(ALL, {}), "property");
    assertEquals(found(selected("a,org.game", "native,angle")), "angle");
    assertEquals(found(selected("a,org.game", "angle,default")), "property");
    assertEquals(found(selected("a,org.game", "default,native")), "native");
    assertEquals(found(selected("b", "angle")), "property");
  },
);

Deno.test("invalid settings are ignored and reported", NEEDS_COMPILER, () => {
  const short = findIn(FILES, MALI, { settings: selected("org.game,b", "angle"), app: APP });
  assertEquals(short.source, "property");
  const finding = findingOf(short.findings, "setting", "values")!;
  assertEquals([finding.taken, finding.value], [false, "angle"]);
  assertStringIncludes(finding.reason, "has 2 entries and this list 1");
  const odd = findIn(FILES, MALI, { settings: selected("org.game", "vulkan"), app: APP });
  assertStringIncludes(findingOf(odd.findings, "setting", "values")!.reason, '"vulkan" is not angle');
});

Deno.test("a chosen ANGLE or vendor's driver that is missing is an error", NEEDS_COMPILER, () => {
  const angle = findIn(VENDOR, MALI, { driver: "angle" });
  assertStringIncludes(angle.message, "Cannot use ANGLE: found none of /system/lib64/libEGL_angle.so");
  assertStringIncludes(angle.message, "Android would end the process");
  const native = selected("org.game", "native");
  const options = { settings: native, app: APP };
  assertStringIncludes(findIn(FILES, { "ro.hardware.egl": "x" }, options).message, "Cannot use the vendor's driver");
  assertStringIncludes(findIn(FILES, {}, options).message, "no property names a driver");
});

Deno.test(
  "ANGLE comes from the given folders, from the debugged package, or from the system",
  NEEDS_COMPILER,
  () => {
    const files = { ...FILES, ...pair(PACKAGE), ...pair("/data/angle") };
    const settings = { ...ALL, angle_debug_package: "org.angle" }, debuggable = { ...APP, debuggable: true };
    assertEquals(findIn(files, MALI, { settings, app: APP }).driver, `${SYSTEM}/libEGL_angle.so`);
    assertEquals(findIn(files, MALI, { settings, app: debuggable }).driver, `${PACKAGE}/libEGL_angle.so`);
    const given = { settings, app: debuggable, angle: "/nowhere:/data/angle" };
    assertEquals(findIn(files, MALI, given).driver, "/data/angle/libEGL_angle.so");
    const packed = { driver: "angle", angle: "/data/app/a.apk!/lib/x86_64" } as const;
    assertStringIncludes(findIn(files, MALI, packed).message, "unpack it and name the folder");
  },
);

Deno.test('driver "angle" on Linux takes the first folder that has ANGLE', NEEDS_COMPILER, () => {
  const files = { "/x/libEGL.so": EGL, "/x/libGLESv2.so": GLES2, "/y/libEGL.so": EGL, "/y/libGLESv2.so": ANGLE_GLES2 };
  withRoot(files, (root) => {
    const options = { driver: "angle", platform: "linux", host: fakeHost() } as const;
    const { driver, source, findings } = search({ ...options, angle: `/nowhere:${root}/x:${root}/y` }, root);
    assertEquals([driver, source], ["/y/libEGL.so", "angle"]);
    assertStringIncludes(findingOf(findings, "driver", "/x/libEGL.so")!.reason, "another driver than ANGLE");
  });
});

Deno.test("on Linux, a missing ANGLE and a driver in its place are errors", NEEDS_COMPILER, () => {
  const options = { driver: "angle", platform: "linux", host: fakeHost() } as const;
  const { message } = search({ ...options, root: "/nowhere" });
  assertStringIncludes(message, "Cannot find ANGLE: found none where browsers have it");
  withRoot({ "/x/libEGL.so": EGL }, (root) => {
    const { message } = search({ ...options, angle: `${root}/x` }, root);
    assertStringIncludes(message, "Cannot find ANGLE: /x/libEGL.so: it is another driver than ANGLE");
  });
});

const angle = anglePaths();

Deno.test("ANGLE is found in its folder, by a library of its, and by its three paths", needs("ANGLE", angle), () => {
  const { egl, gles } = angle!, folder = egl.slice(0, egl.lastIndexOf("/"));
  for (const driver of [folder, `${folder}/`, egl, [egl, "", gles] as const]) {
    search({ driver }, "", ({ driver, source }) => {
      assertEquals([driver.kind, driver.path, source, driver.answersAnyName], ["angle", egl, "named", false]);
      assertEquals(driver.findExported("glClear", "gles2") !== 0n, true);
      assertEquals(driver.findExported("glFrustumx", "gles1"), driver.find("glFrustumx", "gles1"));
      assertEquals(driver.find("glFrustumxOES", "gles1"), 0n);
      assertEquals(driver.find("glFrustumx", "gles1") !== 0n, true);
    });
  }
});

Deno.test("the findings say that ANGLE has no Vulkan beside it", NEEDS_COMPILER, () => {
  const files = { "/x/libEGL.so": EGL, "/x/libGLESv2.so": ANGLE_GLES2 };
  const reason = (more: Record<string, string>) =>
    withRoot({ ...files, ...more }, (root) => search({ driver: `${root}/x` }).findings.at(-1)!.reason);
  assertStringIncludes(reason({}), "opened as ANGLE, with libGLESv2.so; no libvulkan.so.1 lies beside it");
  assertEquals(reason({ "/x/libvulkan.so.1": "text:" }), "opened as ANGLE, with libGLESv2.so");
});
