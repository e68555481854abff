import { assert, assertEquals, assertThrows } from "@std/assert";
import { CATALOGUE } from "../../../tools/setup/catalogue.ts";
import { anglePaths, CACHE, lavapipePath, SWIFTSHADER_FOLDER, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";

Deno.test("lavapipePath() names a library that exists", needs("Mesa lavapipe", lavapipePath()), () => {
  assert(Deno.statSync(lavapipePath()!).isFile);
});

Deno.test("swiftshaderPath() lies beside ANGLE and a manifest", needs("SwiftShader and ANGLE", anglePaths()), () => {
  assertEquals(swiftshaderPath(), `${SWIFTSHADER_FOLDER}/libvk_swiftshader.so`);
  const manifest = JSON.parse(Deno.readTextFileSync(`${SWIFTSHADER_FOLDER}/vk_swiftshader_icd.json`));
  assertEquals(manifest.ICD.library_path, "./libvk_swiftshader.so");
});

Deno.test("CACHE lies in the project's own folder", () => {
  assert(CACHE.endsWith("/.cache"));
  assert(Deno.statSync(CACHE.replace(/\.cache$/, "deno.json")).isFile);
});

Deno.test("CATALOGUE finders answer a path or nothing and never throw", () => {
  for (const part of CATALOGUE) {
    const path = part.find();
    assert(path === undefined || path.startsWith("/"), part.name);
  }
});

Deno.test("needs() ignores a missing part by name, or throws where everything is required", () => {
  const before = Deno.env.get("PUMICE_REQUIRE_ALL");
  try {
    Deno.env.delete("PUMICE_REQUIRE_ALL");
    assertEquals(needs("a part", undefined), { ignore: true });
    assertEquals(needs("a part", "/path"), { ignore: false });
    Deno.env.set("PUMICE_REQUIRE_ALL", "1");
    assertEquals(needs("a part", true), { ignore: false });
    assertThrows(() => needs("a part", false), Error, `Cannot test without "a part"`);
  } finally {
    if (before === undefined) Deno.env.delete("PUMICE_REQUIRE_ALL");
    else Deno.env.set("PUMICE_REQUIRE_ALL", before);
  }
});
