import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { findEglDriver } from "../../../egl/mod.ts";
import { DriverError } from "../../../loader/error.ts";
import { systemLibrary } from "../../../tools/setup/files.ts";
import { withRoot } from "../../loader/driver/android/root.ts";
import { openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { EGL, EMPTY, GLES1, GLES2, NEEDS_COMPILER, ONE, search, vendor } from "./fixtures.ts";

/** The end of a search for a driver in a file tree: the library, or the error. */
function named(files: Readonly<Record<string, string>>, driver: string): string {
  return withRoot(files, (root) => {
    const found = search({ driver: root + driver }, root);
    return found.driver || found.message;
  });
}

Deno.test("an EGL library is opened with the libraries of the same suffix beside it", NEEDS_COMPILER, () => {
  const files = {
    "/d/libEGL_x.so.1": EGL,
    "/d/libGLESv1_CM_x.so": GLES1,
    "/d/libGLESv2_x.so.2": GLES2,
    "/d/libGLESv2.so": GLES2,
  };
  withRoot(files, (root) =>
    search({ driver: `${root}/d/libEGL_x.so.1` }, root, ({ driver }) => {
      assertEquals([driver.kind, driver.libraries.map((path) => path.replace(root, ""))], ["three", [
        "/d/libEGL_x.so.1",
        "/d/libGLESv1_CM_x.so",
        "/d/libGLESv2_x.so.2",
      ]]);
    }));
});

Deno.test("one binary needs nothing beside it, whatever it is called", NEEDS_COMPILER, () => {
  withRoot({ "/d/driver.so": ONE }, (root) =>
    search({ driver: `${root}/d/driver.so` }, root, ({ driver }) => {
      assertEquals([driver.kind, driver.libraries.length], ["one", 1]);
      assertEquals(driver.findExported("glClear", "gles1") !== 0n, true);
    }));
});

Deno.test("three paths are used as given; any but the first may be missing", NEEDS_COMPILER, () => {
  search({ driver: [EGL, "", GLES2] }, "", ({ driver }) => {
    assertEquals(driver.libraries, [EGL, GLES2]);
    assertEquals([driver.find("glClear", "gles1"), driver.find("glClear", "gles2") !== 0n], [0n, true]);
  });
  assertThrows(() => findEglDriver({ driver: ["", GLES1, GLES2] }), TypeError, "name that library first");
  assertStringIncludes(search({ driver: [EGL, GLES1, "/nowhere.so"] }).message, "found no such file");
});

Deno.test("a folder must hold one driver, or an unsuffixed one", NEEDS_COMPILER, () => {
  assertEquals(named({ "/d/libGLES_a.so": ONE }, "/d"), "/d/libGLES_a.so");
  assertEquals(named({ "/d/libEGL_a.so": EGL, "/d/libGLESv2_a.so": GLES2 }, "/d/"), "/d/libEGL_a.so");
  assertEquals(named({ "/d/libEGL_a.so": EGL, "/d/libEGL.so": EGL, "/d/libEGL.so.1": EGL }, "/d"), "/d/libEGL.so");
  const two = named({ "/d/libEGL_a.so": EGL, "/d/libEGL_b.so": EGL }, "/d");
  assertStringIncludes(two, "found a folder with several: libEGL_a.so, libEGL_b.so; name one");
  assertStringIncludes(named({ "/d/readme": "text:x" }, "/d"), "found a folder without libEGL… or libGLES…");
});

Deno.test("a file that is not a driver is refused, with the finding and advice", NEEDS_COMPILER, () => {
  const elf = (at: number, value: number) => {
    const bytes = Deno.readFileSync(EGL);
    bytes[at] = value;
    return bytes;
  };
  withRoot({ "/text.so": "text:hello", "/empty.so": "text:" }, (root) => {
    Deno.writeFileSync(`${root}/narrow.so`, elf(4, 1));
    Deno.writeFileSync(`${root}/other.so`, elf(18, 243));
    Deno.writeFileSync(`${root}/short.so`, elf(4, 2).subarray(0, 600));
    const message = (path: string) => search({ driver: root + path }, root).message;
    assertStringIncludes(message("/text.so"), 'found text ("hello…")');
    assertStringIncludes(message("/empty.so"), "found an empty file");
    assertStringIncludes(message("/narrow.so"), "found a 32-bit library");
    assertStringIncludes(message("/other.so"), "found a library for RISC-V");
    assertStringIncludes(message("/short.so"), "get the whole file");
    assertStringIncludes(message("/nothing.so"), "found no such file");
  });
  assertStringIncludes(search({ driver: EMPTY }).message, "exports no egl function; it may be an empty stand-in");
  assertStringIncludes(search({ driver: GLES2 }).message, "name the EGL library that goes with it");
  assertStringIncludes(search({ driver: "/dev/null" }).message, "no regular file");
  assertThrows(() => findEglDriver({ driver: "" }), TypeError, 'give a path, "auto" or "angle"');
});

Deno.test("a companion that cannot be loaded is an error, and nothing stays open", NEEDS_COMPILER, () => {
  const before = openFiles();
  const message = named({ "/d/libEGL_x.so": EGL, "/d/libGLESv2_x.so": "text:x" }, "/d/libEGL_x.so");
  assertStringIncludes(message, 'Cannot use "/d/libGLESv2_x.so" as an EGL driver');
  for (const flag of ["REFUSE", "NO_API"]) search({ driver: vendor(flag) });
  assertEquals(openFiles(), before);
});

Deno.test("the error of a driver carries everything that was looked at; log is told it", NEEDS_COMPILER, () => {
  const lines: string[] = [];
  const error: DriverError = assertThrows(
    () => findEglDriver({ driver: EMPTY, log: (line) => lines.push(line) }),
    DriverError,
    EMPTY,
  );
  assertEquals(error.findings.map(({ path, taken, level }) => [path, taken, level]), [[EMPTY, false, "error"]]);
  assertEquals(lines, [`${EMPTY}: ${error.message}`]);
});

const mesa = systemLibrary("libEGL_mesa.so.0");

Deno.test("a vendor library is opened by its path and by its name", needs("Mesa EGL", mesa), () => {
  for (const driver of [mesa!, "libEGL_mesa.so.0"]) {
    search({ driver }, "", (found) => assertEquals([found.driver.kind, found.driver.path], ["glvnd", driver]));
  }
});
