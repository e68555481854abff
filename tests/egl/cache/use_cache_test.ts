import { assertEquals } from "@std/assert";
import { type BlobCache, loadEgl, openBlobCache } from "../../../egl/mod.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { openContext } from "../context.ts";
import { angle, mesa } from "../drivers.ts";
import { plainProgram } from "../draw.ts";

const onAngle = needs(angle.part, angle.found || undefined), onMesa = needs(mesa.part, mesa.found || undefined);

/** Links a program on ANGLE; what was found in the cache, and what is in it afterwards. */
function linked(blobCache: BlobCache): { found: boolean; entries: number } {
  const before = blobCache.counts.hits;
  using opened = openContext(angle, [2, 0], { blobCache });
  plainProgram(opened.gl);
  assertEquals(opened.said, []);
  return { found: blobCache.counts.hits > before, entries: blobCache.entries };
}

Deno.test(
  "loadEgl() lets the driver keep in a cache what it compiles, and find it in the next display",
  onAngle,
  () => {
    withFolder((folder) => {
      const options = { path: `${folder}/shaders`, buildId: "test" };
      using first = openBlobCache(options);
      const compiled = linked(first);
      assertEquals([compiled.found, compiled.entries > 0], [false, true]);
      assertEquals(linked(first), { found: true, entries: compiled.entries });
      using second = openBlobCache(options);
      assertEquals(linked(second), { found: true, entries: compiled.entries });
    });
  },
);

Deno.test("loadEgl() says that a driver knows no cache", onMesa, () => {
  using blobCache = openBlobCache();
  using opened = openContext(mesa, [2, 0], { blobCache });
  assertEquals(opened.said, ["the blob cache is not used: the driver does not list EGL_ANDROID_blob_cache"]);
});

Deno.test("a cache's functions outlive a loader whose display another one still has", onAngle, () => {
  using blobCache = openBlobCache();
  using other = loadEgl({ driver: angle.open(), platform: "android", log: () => {} });
  linked(blobCache);
  const { entries } = blobCache;
  const display = other.eglGetDisplay(0n);
  other.eglInitialize(display);
  linked(blobCache);
  assertEquals(blobCache.entries, entries);
});
