import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { canBundle } from "../../tools/build/bundle.ts";
import { withoutPictures } from "../../tools/build/package.ts";
import { walk } from "../../tools/walk.ts";
import { needs } from "../support/require.ts";
import { withFolderAsync } from "../support/temporary.ts";
import { putPackage } from "./built.ts";

const BUNDLER = needs("esbuild, which deno bundle fetches", await canBundle() ? "esbuild" : undefined);
/**
 * The registry takes about 20 MB, and whoever publishes learns so at the very
 * end. The package is below that by enough for an update of the registries of
 * Vulkan and OpenGL, which adds some hundred kilobytes of declarations.
 */
const MOST = 17_000_000;

Deno.test(`the package has at most ${MOST / 1e6} MB, and no page that shows a missing picture`, BUNDLER, async () => {
  await withFolderAsync(async (folder) => {
    const out = `${folder}/package`;
    await putPackage(out);
    const files = [...walk(out)], sizes = files.map((path) => ({ path, size: Deno.statSync(path).size }));
    const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
    const largest = sizes.sort((a, b) => b.size - a.size).slice(0, 10).map(({ path, size }) => `${size} ${path}`);
    assert(bytes <= MOST, `${bytes} bytes; the largest files:\n${largest.join("\n")}`);
    assertStringIncludes(Deno.readTextFileSync(`${out}/docs/internals/package.md`), `held below ${MOST / 1e6} MB`);
    const pages = files.filter((path) => path.endsWith(".md"));
    assert(pages.length > 15, pages.join());
    assertEquals(
      pages.filter((path) => /\]\((?![a-z]+:)[^)\s]+\.png\)|<picture>/.test(Deno.readTextFileSync(path))),
      [],
    );
  });
});

Deno.test("a page of the package keeps the words of a picture, pictures of other addresses, and code", () => {
  assertEquals(withoutPictures("![An evening sea](docs/demo.png)"), "_An evening sea._");
  const themed = '<picture>\n  <source srcset="a_dark.svg">\n  <img alt="costs by size" src="a_light.svg">\n</picture>';
  assertEquals(withoutPictures(`${themed}\n\ntext\n${themed}`), "_costs by size._\n\ntext\n_costs by size._");
  for (const kept of ["![A badge](https://example.org/a.png)", 'pngConsumer("out/a.png")']) {
    assertEquals(withoutPictures(kept), kept);
  }
});
