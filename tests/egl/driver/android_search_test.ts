import { assertEquals, assertStringIncludes } from "@std/assert";
import type { EglSelection } from "../../../egl/mod.ts";
import { fakeHost } from "../../loader/driver/fake_host.ts";
import { call, EGL, EMPTY, findIn, GLES1, GLES2, NEEDS_COMPILER, ONE, pathsOf } from "./fixtures.ts";

const DIR = "/vendor/lib64/egl", LIB32 = "/vendor/lib/egl", OLD = "/system/lib64/egl";
const MALI = { "ro.hardware.egl": "mali" };
const BOTH = { "ro.hardware.egl": "mali", "ro.board.platform": "gs201" };
const THREE = (suffix: string, folder = DIR) => ({
  [`${folder}/libEGL${suffix}.so`]: EGL,
  [`${folder}/libGLESv1_CM${suffix}.so`]: GLES1,
  [`${folder}/libGLESv2${suffix}.so`]: GLES2,
});
const one = (suffix: string, folder = DIR) => ({ [`${folder}/libGLES${suffix}.so`]: ONE });
const ANY = /^.*?(?=\/vendor|\/system)/;

Deno.test("GL9: one binary is tried before three and has all functions", NEEDS_COMPILER, () => {
  const kinds: string[] = [];
  const { driver, source } = findIn({ ...THREE("_mali"), ...one("_mali") }, MALI, {}, ({ driver }) => {
    kinds.push(driver.kind, `${driver.libraries.length}`);
    assertEquals(driver.find("glClear", "gles1"), driver.find("glClear", "gles2"));
    assertEquals(driver.find("eglInitialize", "egl") !== 0n, true);
  });
  assertEquals([driver, source, ...kinds], [`${DIR}/libGLES_mali.so`, "property", "one", "1"]);
});

Deno.test("GL10: of three libraries each has its own functions, and extensions come from EGL", NEEDS_COMPILER, () => {
  const { driver } = findIn(THREE("_mali"), MALI, {}, ({ driver }) => {
    assertEquals([driver.kind, driver.libraries.length, driver.answersAnyName], ["three", 3, false]);
    call(driver.find("glClear", "gles1"), 7);
    call(driver.find("glClear", "gles2"), 9);
    assertEquals(call(driver.find("fixtureCleared", "gles1")), 7);
    assertEquals(call(driver.find("fixtureCleared", "gles2")), 9);
    assertEquals(driver.find("glLoadIdentity", "gles2"), 0n);
    assertEquals(new Set([driver.handle("egl"), driver.handle("gles1"), driver.handle("gles2")]).size, 3);
    assertEquals(driver.findExported("glExtensionEXT", "gles2"), 0n);
    assertEquals(driver.find("glExtensionEXT", "gles2") !== 0n, true);
    assertEquals(driver.find("glExtensionEXT", "gles2"), driver.find("glExtensionEXT", "gles1"));
  });
  assertEquals(driver, `${DIR}/libEGL_mali.so`);
});

Deno.test(
  "GL10: only EGL is required; eglGetProcAddress returns the functions of missing libraries",
  NEEDS_COMPILER,
  () => {
    const { findings } = findIn({ [`${DIR}/libEGL_mali.so`]: EGL }, MALI, {}, ({ driver }) => {
      assertEquals(driver.libraries.length, 1);
      assertEquals(driver.find("glClear", "gles2"), 0n);
      assertEquals(driver.find("glExtensionEXT", "gles2") !== 0n, true);
    });
    assertEquals(pathsOf(findings, ANY).slice(2), [
      `${DIR}/libGLESv1_CM_mali.so`,
      `${LIB32}/libGLESv1_CM_mali.so`,
      `${DIR}/libGLESv2_mali.so`,
      `${LIB32}/libGLESv2_mali.so`,
    ]);
  },
);

Deno.test("GL8: /vendor/lib64/egl goes before /vendor/lib/egl", NEEDS_COMPILER, () => {
  assertEquals(findIn({ ...one("_mali"), ...one("_mali", LIB32) }, MALI).driver, `${DIR}/libGLES_mali.so`);
  assertEquals(findIn(one("_mali", LIB32), MALI).driver, `${LIB32}/libGLES_mali.so`);
});

Deno.test("GL8: the first property that is set is the only one, today", NEEDS_COMPILER, () => {
  const persist = { ...BOTH, "persist.graphics.egl": "swiftshader" };
  assertEquals(findIn({ ...one("_mali"), ...one("_gs201") }, BOTH).driver, `${DIR}/libGLES_mali.so`);
  assertEquals(findIn({ ...one("_mali"), ...one("_swiftshader") }, persist).driver, `${DIR}/libGLES_swiftshader.so`);
  assertEquals(findIn({ ...one("_gs201"), ...one("") }, BOTH).source, "unsuffixed");
  assertStringIncludes(findIn(one("_gs201"), BOTH).message, "found none of /vendor/lib64/egl/libGLES_mali.so");
});

Deno.test("GL8: Android 10 tries both properties, and has no persist.graphics.egl", NEEDS_COMPILER, () => {
  const options = { release: 10 } as const, persist = { ...BOTH, "persist.graphics.egl": "swiftshader" };
  assertEquals(findIn(one("_gs201"), BOTH, options).driver, `${DIR}/libGLES_gs201.so`);
  const all = { ...one("_mali"), ...one("_gs201"), ...one("_swiftshader") };
  assertEquals(findIn(all, persist, options).driver, `${DIR}/libGLES_mali.so`);
  assertEquals(findIn(one("_mali", OLD), BOTH, options).driver, `${OLD}/libGLES_mali.so`);
  assertEquals(findIn(one("_mali", OLD), BOTH).driver, "");
});

Deno.test("GL9: the unsuffixed names come last, one binary before three", NEEDS_COMPILER, () => {
  assertEquals(findIn(THREE("")).driver, `${DIR}/libEGL.so`);
  assertEquals(findIn({ ...THREE(""), ...one("") }).driver, `${DIR}/libGLES.so`);
  const { driver, source } = findIn({ ...one(""), ...one("_mali") }, {});
  assertEquals([driver, source], [`${DIR}/libGLES.so`, "unsuffixed"]);
});

Deno.test("without a property any driver will do, each kind of library by itself", NEEDS_COMPILER, () => {
  const { driver, source } = findIn({ ...one("_b"), ...one("_a") });
  assertEquals([driver, source], [`${DIR}/libGLES_a.so`, "wildcard"]);
  const mixed = { [`${DIR}/libEGL_x.so`]: EGL, [`${DIR}/libGLESv1_CM_y.so`]: GLES1, [`${DIR}/libGLESv2_z.so`]: GLES2 };
  assertEquals(findIn(mixed, {}, {}, ({ driver }) => assertEquals(driver.libraries.length, 3)).source, "wildcard");
  assertEquals(findIn({ [`${DIR}/libGLES_android.so`]: ONE, [`${DIR}/libGLES_x.txt`]: ONE }).driver, "");
});

Deno.test("the search guesses no driver after a property failed, nor from vendor level 34 on", NEEDS_COMPILER, () => {
  const found = (properties: Record<string, string>, options = {}) => findIn(one("_x"), properties, options).driver;
  const guessed = `${DIR}/libGLES_x.so`, level = { "ro.vendor.api_level": "34" };
  assertEquals(found(MALI), "");
  assertEquals(found({ "ro.vendor.api_level": "33" }), guessed);
  assertEquals(found(level), "");
  assertEquals(found(level, { release: 10 }), guessed);
  assertEquals(found({ "ro.board.platform": "y" }), "");
  assertEquals(found({ "ro.board.platform": "y" }, { release: 10 }), guessed);
  assertEquals(found(MALI, { release: 10 }), "");
});

Deno.test("a file that cannot be loaded counts as not found, and says why", NEEDS_COMPILER, () => {
  const files = { [`${DIR}/libGLES_mali.so`]: "text:not a library", ...THREE("_mali") };
  const { driver, findings } = findIn(files, MALI);
  assertEquals(driver, `${DIR}/libEGL_mali.so`);
  assertStringIncludes(
    findings.find(({ level, subject }) => level === "warning" && subject === "driver")!.reason,
    "text",
  );
  assertStringIncludes(findIn({ [`${DIR}/libGLES_mali.so`]: "text:no" }, MALI).message, "give an ELF shared object");
});

Deno.test("a library without EGL functions, as in newer Chromium, is no driver", NEEDS_COMPILER, () => {
  const { message } = findIn({ [`${DIR}/libEGL_mali.so`]: EMPTY }, MALI);
  assertStringIncludes(message, "exports no egl function; it may be an empty stand-in");
  assertEquals(findIn({ [`${DIR}/libGLES_mali.so`]: EMPTY, ...THREE("_mali") }, MALI).driver, `${DIR}/libEGL_mali.so`);
});

Deno.test("with no driver at all the error says where it looked and what to set", NEEDS_COMPILER, () => {
  const { message, findings } = findIn({});
  assertStringIncludes(message, "Cannot find an OpenGL ES driver in /vendor/lib64/egl, /vendor/lib/egl");
  assertStringIncludes(message, "set one of persist.graphics.egl, ro.hardware.egl, ro.board.platform");
  assertEquals(findings.filter(({ subject }) => subject === "property").map(({ path }) => path), [
    "persist.graphics.egl",
    "ro.hardware.egl",
    "ro.board.platform",
    "ro.vendor.api_level",
  ]);
});

Deno.test("EglSelection closes its libraries, twice if need be, and finds nothing afterwards", NEEDS_COMPILER, () => {
  let kept: EglSelection | undefined;
  findIn(THREE("_mali"), MALI, {}, (found) => kept = found);
  kept!.close();
  assertEquals([kept!.driver.find("eglInitialize", "egl"), kept!.driver.handle("egl")], [0n, undefined]);
  assertEquals(kept!.driver.find("glExtensionEXT", "gles2"), 0n);
});

Deno.test("without permission to look, the dynamic linker decides which files exist", NEEDS_COMPILER, () => {
  const exists = () => {
    throw new Deno.errors.NotCapable("Requires read access");
  };
  const host = { ...fakeHost({ system: "android" }), exists };
  const { driver } = findIn(THREE("_mali"), MALI, { host }, (found) => assertEquals(found.driver.libraries.length, 3));
  assertEquals(driver, `${DIR}/libEGL_mali.so`);
});

Deno.test(
  "on Linux, names with versions are found, and a vendor library of libglvnd's among them",
  NEEDS_COMPILER,
  () => {
    const versions = { [`${DIR}/libEGL_x.so.0`]: EGL, [`${DIR}/libGLESv2_x.so.2`]: GLES2 };
    const host = { host: undefined }, X = { "ro.hardware.egl": "x" };
    const { driver } = findIn(versions, X, host, ({ driver }) => assertEquals(driver.libraries.length, 2));
    assertEquals(driver, `${DIR}/libEGL_x.so.0`);
    assertEquals(findIn(versions, X).driver, "");
    assertEquals(findIn(versions, {}, host).source, "wildcard");
  },
);
