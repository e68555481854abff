import { assert, assertEquals } from "@std/assert";

const ROOT = new URL("../../", import.meta.url).pathname;
const PAGE = Deno.readTextFileSync(`${ROOT}docs/how-it-works.md`);

Deno.test("the page about how it works names files and folders that are there", () => {
  const named = [...PAGE.matchAll(/\b((?:loader|wsi|ffi|hwc)\/[\w/]*(?:\.ts)?)/g)].map(([, path]) => path);
  assert(named.length >= 15);
  for (const path of named) assert(Deno.statSync(`${ROOT}${path}`).isFile === path.endsWith(".ts"), path);
});

Deno.test("the page about how it works names tests that are there", () => {
  const named = [...PAGE.slice(PAGE.indexOf("## The life of a call")).matchAll(/\("([^"]+)"\)/gs)]
    .map(([, name]) => name.replace(/\s+/g, " "));
  assertEquals(named.length, 5);
  const tests = sources(`${ROOT}tests`).join("\n");
  for (const name of named) assert(tests.includes(name.replace(/docs\/\w+\.md/, "docs/${page}.md")), name);
});

/** The texts of all tests of a folder. */
function sources(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? sources(path) : name.endsWith("_test.ts") ? [Deno.readTextFileSync(path)] : [];
  });
}
