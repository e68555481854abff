import { assertEquals, assertStringIncludes } from "@std/assert";
import { findEglDriver, installBlobCache, openBlobCache } from "../../../egl/mod.ts";
import { invokeAddress } from "../../../ffi/invoke.ts";
import { systemLibrary } from "../../../tools/setup/files.ts";
import { anglePaths } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { EGL, NEEDS_COMPILER } from "../driver/fixtures.ts";
import { modeOf, namesIn } from "./bytes.ts";

Deno.test(
  "a driver that does not list the extension is not asked",
  needs("Mesa EGL", systemLibrary("libEGL_mesa.so.0")),
  () => {
    using found = findEglDriver({ driver: "libEGL_mesa.so.0" });
    const { driver } = found;
    const display = invokeAddress(driver.find("eglGetPlatformDisplay", "egl"), "q:wqq", [0x31dd, 0n, 0n]) as bigint;
    assertEquals(invokeAddress(driver.find("eglInitialize", "egl"), "w:qqq", [display, 0n, 0n]), 1);
    assertEquals(driver.find("eglSetBlobCacheFuncsANDROID", "egl") !== 0n, true);
    using cache = openBlobCache();
    assertEquals(installBlobCache(driver, display, cache), {
      refusal: "the driver does not list EGL_ANDROID_blob_cache",
    });
    invokeAddress(driver.find("eglTerminate", "egl"), "w:q", [display]);
  },
);

Deno.test(
  "a name that only begins like the extension's does not count, nor does one without a function",
  NEEDS_COMPILER,
  () => {
    const build = (name: string, variant: string) =>
      compileFixture("egl_driver", ["-DEGL", `-DNAME="${name}"`], variant)!;
    using cache = openBlobCache();
    for (
      const [name, variant, refusal] of [
        ["EGL_ANDROID_blob_cache2 EGL_X", "longer", "the driver does not list"],
        ["EGL_X EGL_ANDROID_blob_cache", "listed", "but has no eglSetBlobCacheFuncsANDROID"],
      ]
    ) {
      using found = findEglDriver({ driver: build(name, variant) });
      const installed = installBlobCache(found.driver, 1n, cache);
      assertStringIncludes("refusal" in installed ? installed.refusal : "", refusal);
    }
    assertEquals(EGL !== "", true);
  },
);

interface Printed {
  readonly linked: number;
  readonly hits: number;
  readonly misses: number;
  readonly stored: number;
  readonly entries: number;
  readonly second: string;
  readonly fault: boolean;
}

function link(path: string, mode: string): Printed {
  const { code, stdout, output } = runProgram("tests/programs/blob_cache.ts", [path, mode], { seconds: 120 });
  assertEquals(code, 0, output);
  return JSON.parse(stdout);
}

for (const mode of ["monolithic", "multifile"]) {
  Deno.test(`ANGLE finds in the next process what one has compiled, ${mode}`, needs("ANGLE", anglePaths()), () => {
    withFolder((folder) => {
      const path = `${folder}/shaders`, first = link(path, mode), next = link(path, mode);
      assertEquals([first.linked, first.hits, first.fault], [1, 0, false]);
      assertEquals([first.stored > 0, first.stored === first.entries, first.misses > 0], [true, true, true]);
      assertEquals([next.linked, next.misses, next.stored, next.fault], [1, 0, 0, false]);
      assertEquals([next.hits >= first.entries, next.entries], [true, first.entries]);
      assertEquals(first.second, "eglSetBlobCacheFuncsANDROID failed: 0x300c");
      if (mode === "monolithic") assertEquals([namesIn(folder), modeOf(path)], [["shaders"], 0o400]);
      else assertEquals(namesIn(`${path}.multifile`).length, first.entries + 1);
    });
  });
}

Deno.test("ANGLE compiles again what a damaged cache has lost", needs("ANGLE", anglePaths()), () => {
  withFolder((folder) => {
    const path = `${folder}/shaders`, first = link(path, "monolithic"), bytes = Deno.readFileSync(path);
    bytes[bytes.length - 9] ^= 1;
    Deno.removeSync(path);
    Deno.writeFileSync(path, bytes);
    const again = link(path, "monolithic");
    assertEquals([again.linked, again.hits, again.stored], [1, 0, first.stored]);
    assertEquals(link(path, "monolithic").misses, 0);
  });
});
