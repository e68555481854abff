import { assertEquals } from "@std/assert";
import { type BlobCacheOptions, openBlobCache } from "../../../egl/mod.ts";
import { withFolder } from "../../support/temporary.ts";
import { filled, keyOf, namesIn } from "./bytes.ts";

/** The kind of cache that properties and options lead to, and the most bytes it holds. */
function opened(values: Record<string, string>, options: BlobCacheOptions = { path: "/nowhere/cache" }): unknown[] {
  using cache = openBlobCache({ property: (name) => values[name] ?? "", ...options });
  return [cache.mode, cache.limits.total];
}

const MULTI = "ro.egl.blobcache.multifile", DEBUG = "debug.egl.blobcache.multifile", MIB = 1 << 20;

Deno.test("openBlobCache() follows the properties, those for debugging first", () => {
  assertEquals(opened({}), ["monolithic", 2 * MIB]);
  assertEquals(opened({ [MULTI]: "true" }), ["multifile", 32 * MIB]);
  assertEquals(opened({ [MULTI]: "1", [DEBUG]: "false" }), ["monolithic", 2 * MIB]);
  assertEquals(opened({ [DEBUG]: "true" }), ["multifile", 32 * MIB]);
  assertEquals(opened({ [MULTI]: "true", [DEBUG]: "perhaps" }), ["multifile", 32 * MIB]);
  assertEquals(opened({ [MULTI]: "true", [`${MULTI}_limit`]: "1000" }), ["multifile", 1000]);
  const both = { [MULTI]: "true", [`${MULTI}_limit`]: "1000", [`${DEBUG}_limit`]: "0" };
  assertEquals(opened(both), ["multifile", 0]);
  assertEquals(opened({ ...both, [`${DEBUG}_limit`]: "-1" }), ["multifile", 1000]);
});

Deno.test("openBlobCache() without a path keeps everything in memory", () => {
  assertEquals(opened({ [MULTI]: "true" }, {}), ["memory", 2 * MIB]);
  assertEquals(opened({}, { path: "/nowhere/cache", multifile: true })[0], "multifile");
});

Deno.test("openBlobCache() trusts files of the same build only, which properties tell, or the option", () => {
  withFolder((folder) => {
    const path = `${folder}/shaders`, key = keyOf(1);
    for (const multifile of [false, true]) {
      const found = (build: string, debug = "", buildId?: string) => {
        const values: Record<string, string> = { "ro.build.id": build, "debug.egl.blobcache.build_id": debug };
        using cache = openBlobCache({ path, multifile, buildId, property: (name) => values[name] ?? "" });
        const has = cache.get(key) !== undefined;
        cache.set(key, filled(1));
        return has;
      };
      assertEquals([found("A"), found("A"), found("B"), found("C", "B"), found("D", "", "B")], [
        false,
        true,
        false,
        true,
        true,
      ]);
    }
    assertEquals(namesIn(folder), ["shaders", "shaders.multifile"]);
  });
});
