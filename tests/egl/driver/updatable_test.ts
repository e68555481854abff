import { assertEquals, assertStringIncludes } from "@std/assert";
import { EGL, findIn, GLES2, NEEDS_COMPILER, ONE } from "./fixtures.ts";

const DIR = "/vendor/lib64/egl", DRIVER = "/data/driver";
const BOTH = { "ro.hardware.egl": "mali", "ro.board.platform": "gs201" };
const BUILT_IN = { [`${DIR}/libGLES_mali.so`]: ONE };
const OPTIONS = { updatableDriver: `/data/first:${DRIVER}` };

Deno.test("an updatable driver in the given folders has precedence over the built-in driver", NEEDS_COMPILER, () => {
  const { driver, source } = findIn({ ...BUILT_IN, [`${DRIVER}/libGLES_mali.so`]: ONE }, BOTH, OPTIONS);
  assertEquals([driver, source], [`${DRIVER}/libGLES_mali.so`, "updatable"]);
});

Deno.test("an updatable driver's libraries are named by all properties, each kind by itself", NEEDS_COMPILER, () => {
  const files = { [`${DRIVER}/libEGL_mali.so`]: EGL, [`${DRIVER}/libGLESv2_gs201.so`]: GLES2 };
  findIn(files, BOTH, OPTIONS, ({ driver, source }) => {
    assertEquals([source, driver.libraries.map((path) => path.slice(path.lastIndexOf("/") + 1))], [
      "updatable",
      ["libEGL_mali.so", "libGLESv2_gs201.so"],
    ]);
  });
});

Deno.test(
  "an updatable driver that is not there is an error, whatever else is; unsuffixed names do not count",
  NEEDS_COMPILER,
  () => {
    const { message } = findIn({ ...BUILT_IN, [`${DRIVER}/libGLES.so`]: ONE }, BOTH, OPTIONS);
    assertStringIncludes(message, "Cannot use the updatable driver: found none of /data/first/libGLES_mali.so");
    assertStringIncludes(message, "Android would end the process");
  },
);

Deno.test("the settings of updatable drivers choose it for an application", NEEDS_COMPILER, () => {
  const files = { ...BUILT_IN, "/data/app/org.driver-1/lib/x86_64/libGLES_mali.so": ONE };
  const arm = { ...BUILT_IN, "/data/app/org.driver-1/lib/arm64/libGLES_mali.so": ONE };
  const properties = { ...BOTH, "ro.gfx.driver.0": "org.driver" };
  const tree = Deno.build.arch === "x86_64" ? files : arm;
  const found = (choice: string) =>
    findIn(tree, properties, { settings: { updatable_driver_all_apps: choice }, app: { packageName: "org.game" } });
  assertEquals(found("1").source, "updatable");
  assertEquals(found("3").source, "property");
});

Deno.test("ANGLE has precedence over an updatable driver", NEEDS_COMPILER, () => {
  const files = { "/system/lib64/libEGL_angle.so": EGL, [`${DRIVER}/libGLES_mali.so`]: ONE };
  assertEquals(findIn(files, BOTH, { ...OPTIONS, driver: "angle" }).source, "angle");
});
