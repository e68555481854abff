import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type EglRequirement, eglRequirements } from "../../../workbench/check/mod.ts";
import { EGL_PLATFORM_ANDROID_KHR, EGL_SUCCESS, loadEgl } from "../../../egl/mod.ts";
import type { UsableDriver } from "../../../egl/api/options.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { needs } from "../../support/require.ts";
import { openContext } from "../context.ts";
import { angle, driversAlone as drivers, mesaAlone as mesa } from "../drivers.ts";
import { type Answers, changedDriver } from "../fake_driver.ts";

const onMesa = needs(mesa.part, mesa.found || undefined), onAngle = needs(angle.part, angle.found || undefined);
const FEW = { contexts: 8 };

/** The rows of a number. */
function rowsOf(rows: readonly EglRequirement[], id: string): EglRequirement[] {
  return rows.filter((each) => each.id === id);
}

/** The only row that speaks of something. */
function rowOf(rows: readonly EglRequirement[], id: string, text: string): EglRequirement {
  const found = rowsOf(rows, id).filter(({ requirement }) => requirement.includes(text));
  assertEquals(found.length, 1, `${id} ${text}`);
  return found[0];
}

/** The rows of a driver. */
function rowsWith(driver: UsableDriver, options = FEW): EglRequirement[] {
  using egl = loadEgl({ driver, log: () => {} });
  return eglRequirements(egl, options);
}

/** The rows of Mesa with some functions changed. */
function changed(answers: Answers): EglRequirement[] {
  return rowsWith(changedDriver(mesa.open(), answers));
}

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);

  Deno.test(`eglRequirements() has GL1 to GL16 in order, each with what was found, on ${driver.name}`, part, () => {
    using opened = openContext(driver, [2, 0]);
    const rows = eglRequirements(opened.egl, FEW), ids = [...new Set(rows.map(({ id }) => id))];
    assertEquals(ids, Array.from({ length: 16 }, (_, index) => `GL${index + 1}`));
    for (const { requirement, status, own, found, advice } of rows) {
      assert(requirement.endsWith(".") && found !== "", requirement);
      if (status === "pass") assertEquals([own === "driver" || own === "provided", advice], [true, ""], requirement);
      if (status === "fail") assert(advice !== "", requirement);
    }
    assertEquals(opened.said, []);
    assertEquals(opened.egl.eglGetCurrentContext(), opened.context);
    assertEquals(opened.egl.eglGetCurrentSurface(0x3059), opened.surface);
    assertEquals(opened.egl.eglGetError(), EGL_SUCCESS);
  });

  Deno.test(`GL1: ${driver.name} has EGL, OpenGL ES 1.x and 2.0, and says which 3.x, and is robust`, part, () => {
    const rows = rowsOf(rowsWith(driver.open()), "GL1");
    assertEquals(rows.map(({ status }) => status), ["pass", "pass", "pass", "report", "pass", "pass", "pass"]);
    assertMatch(rows[1].found, /^OpenGL ES(-CM)? 1\.1/);
    assertMatch(rows[2].found, /^OpenGL ES 3\./);
    assertStringIncludes(rows[3].found, `${driver.newest.join(".")}: OpenGL ES ${driver.newest.join(".")}`);
    assertMatch(rows[6].found, /^glGetGraphicsResetStatus.*: not lost$/);
  });

  Deno.test(`GL3: the memory of a context on ${driver.name} is measured with 24 that have drawn`, part, () => {
    const [{ status, found }] = rowsOf(rowsWith(driver.open()), "GL3");
    assertEquals(status, "report");
    const [, size] = /^([\d.]+) MiB of this process each, with 24 that have drawn$/.exec(found)!;
    assert(Number(size) < 64, found);
  });

  Deno.test(`GL5: each mandatory extension is reported with its owner on ${driver.name}`, part, () => {
    using egl = loadEgl({ driver: driver.open(), log: () => {} });
    const rows = rowsOf(eglRequirements(egl, FEW), "GL5"),
      display = egl.eglGetPlatformDisplay(EGL_PLATFORM_ANDROID_KHR, 0n);
    egl.eglInitialize(display);
    const own = egl.eglQueryStringImplementationANDROID(display, 0x3055).split(" ");
    assertEquals(rows.length, 5);
    assertEquals(rowOf(rows, "GL5", "GL_OES_EGL_image_external").status, "pass");
    for (const row of rows.filter(({ requirement }) => requirement.startsWith("EGL_"))) {
      const name = row.requirement.split(" ")[0];
      if (own.includes(name)) assertEquals([row.status, row.own], ["pass", "driver"]);
      else {assertEquals(
          [row.status, row.own],
          row.status === "pass" ? ["pass", "provided"] : ["fail", undefined],
          name,
        );}
    }
  });
}

Deno.test("GL2: ANGLE makes 1,000 contexts at once", onAngle, () => {
  const [row] = rowsOf(rowsWith(angle.open(), { contexts: 1000 }), "GL2");
  assertEquals([row.status, row.found, row.own], ["pass", "1000 were made at once", "driver"]);
});

Deno.test("GL2: the check tries no more contexts than memory permits, and says so", onMesa, () => {
  const [row] = rowsOf(
    withMemory([100, 90, 70, 50, 40], () => rowsWith(mesa.open(), { contexts: 100_000 })),
    "GL2",
  );
  assertEquals([row.status, row.found], ["report", "48 were made at once; there is not enough memory to try 100000"]);
});

Deno.test("GL1: a driver without OpenGL ES 1.x fails, with what its EGL says", onMesa, () => {
  const rows = rowsOf(changed({ eglCreateContext: ["q:qqqq", 0n] }), "GL1");
  assertEquals(rows.slice(0, 3).map(({ status }) => status), ["pass", "fail", "fail"]);
  assertStringIncludes(rows[1].found, "eglCreateContext failed");
  assertEquals([rows[3].status, rows[4].status], ["report", "fail"]);
});

Deno.test("GL1: a driver that accepts wrong calls without an error is not robust", onMesa, () => {
  const row = rowOf(changed({ glGetError: ["w:", 0] }), "GL1", "wrong calls of OpenGL ES");
  assertEquals([row.status, row.own], ["fail", "driver"]);
  assertStringIncludes(row.found, "glEnable() of no capability: 0x0, not 0x500");
});

Deno.test("GL4: YUV buffers are sampled, or the verdict says why not", onMesa, () => {
  const rows = rowsOf(rowsWith(mesa.open()), "GL4");
  assertEquals(rows.map(({ requirement }) => requirement.split(" ")[2]), [
    ...["YV12", "YCBCR_420_888", "YCBCR_P010", "YCBCR_422_I"],
  ]);
  for (const { status, own, found } of rows) {
    if (status === "pass") assertEquals(found, "a gray buffer was drawn from, and is gray");
    else assertEquals([own, found], [undefined, "there is no EGL_ANDROID_image_native_buffer"]);
  }
});

Deno.test(
  "GL5 and GL6: a driver fails without a mandatory extension, and gets a report without a recommended one",
  onMesa,
  () => {
    using text = new NativeBlock(64);
    text.bytes.set(cstring("EGL_KHR_fence_sync EGL_KHR_create_context"));
    const rows = changed({ eglQueryString: ["q:qs", text.address] });
    assertEquals(rowOf(rows, "GL5", "EGL_KHR_wait_sync").status, "fail");
    assertEquals(rowOf(rows, "GL6", "EGL_KHR_fence_sync").status, "pass");
    assertEquals(rowOf(rows, "GL6", "EGL_ANDROID_blob_cache").status, "report");
  },
);

Deno.test("GL5: the verdict on EGL_ANDROID_recordable states the number of configurations", onAngle, () => {
  const row = rowOf(rowsWith(angle.open()), "GL5", "EGL_ANDROID_recordable");
  assertMatch(row.found, /^the driver's own; \d+ of \d+ configurations have it$/);
});

Deno.test("GL6: ANGLE's blob cache counts though applications don't see it", onAngle, () => {
  const row = rowOf(rowsWith(angle.open()), "GL6", "EGL_ANDROID_blob_cache");
  assertEquals([row.status, row.found], ["pass", "the driver's own, and hidden from applications"]);
});

Deno.test("GL7: EGL 1.5 passes; a driver that lacks one of its functions counts as 1.4", onMesa, () => {
  assertEquals(rowsOf(rowsWith(mesa.open()), "GL7")[0].status, "pass");
  const [row] = rowsOf(changed({ eglCreateSync: undefined }), "GL7");
  assertEquals([row.status, row.found], ["fail", "EGL 1.5; applications see 1.4 Android META-EGL"]);
});

Deno.test("GL8, GL9 and GL10 judge drivers by their folders and file names", onMesa, () => {
  const statuses = (...libraries: string[]) => {
    const driver = { ...mesa.open(), path: libraries[0], libraries };
    const rows = rowsWith(driver);
    return ["GL8", "GL9", "GL10"].map((id) => rowsOf(rows, id)[0].status);
  };
  const folder = "/vendor/lib64/egl", none = "not-applicable";
  assertEquals(statuses("libEGL.so.1"), [none, none, none]);
  assertEquals(statuses(`${folder}/libGLES_mali.so`), ["pass", "pass", none]);
  const three = ["libEGL_x.so", "libGLESv1_CM_x.so", "libGLESv2_x.so"].map((name) => `/root${folder}/${name}`);
  assertEquals(statuses(...three), ["pass", none, "pass"]);
  assertEquals(statuses(`${folder}/mali.so`), ["pass", "fail", "fail"]);
});

Deno.test(
  "GL11: the loader shows that it has layers; GL12 they work, GL13 to GL15 are its own, GL16 needs a device",
  onMesa,
  () => {
    const rows = rowsWith(mesa.open()), [layers] = rowsOf(rows, "GL11");
    assertEquals([layers.status, layers.own], ["pass", "provided"]);
    const [intercepted] = rowsOf(rows, "GL12");
    assertEquals([intercepted.status, intercepted.own], ["pass", "provided"]);
    for (const id of ["GL13", "GL14", "GL15"]) {
      assertEquals(rowsOf(rows, id).map(({ status, own }) => [status, own]), [["report", "provided"]]);
    }
    assertEquals(rowsOf(rows, "GL16")[0].status, "not-applicable");
  },
);

/** Does something while the memory that is left is what this list says, one look after the other. */
function withMemory<T>(available: number[], work: () => T): T {
  const before = Deno.systemMemoryInfo;
  Object.assign(Deno, { systemMemoryInfo: () => ({ available: available.shift() ?? 0 }) });
  try {
    return work();
  } finally {
    Object.assign(Deno, { systemMemoryInfo: before });
  }
}
