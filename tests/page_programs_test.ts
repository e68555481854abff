import { assert, assertEquals } from "@std/assert";
import { dirname } from "node:path";
import { anglePaths } from "../tools/setup/parts.ts";
import { mesa } from "./egl/drivers.ts";
import { programsOf } from "./support/pages.ts";
import { runPasted } from "./support/pasted.ts";
import { needs } from "./support/require.ts";
import { withFolder } from "./support/temporary.ts";

/** Pages of which every program with a block of text after it is run, and how many such programs there are. */
const PAGES = [["egl", 2, mesa.found || undefined], ["composer", 2, true]] as const;

for (const [page, count, part] of PAGES) {
  Deno.test(`docs/${page}.md's programs print the text that follows them`, needs("the page's driver", part), () => {
    const programs = programsOf(page).filter(({ prints }) => prints !== undefined);
    assertEquals(programs.length, count);
    for (const { source, prints } of programs) {
      const { code, stdout, output } = runPasted(source);
      assertEquals(code, 0, output);
      assertEquals(stdout, prints);
    }
  });
}

const ANGLE = anglePaths();

Deno.test(
  "docs/egl.md's program with a cache compiles once, and finds the program again",
  needs("ANGLE", ANGLE),
  () => {
    const { source } = programsOf("egl").find(({ source }) => source.includes("openBlobCache"))!;
    withFolder((folder) => {
      const here = source.replace('"out/shaders_cache"', JSON.stringify(`${folder}/shaders_cache`))
        .replace("Deno.args[0]", JSON.stringify(dirname(ANGLE!.egl)));
      assert(!here.includes("out/"), here);
      const said = [1, 2].map(() => runPasted(here));
      assertEquals(said.map(({ code, stdout }) => [code, stdout.trim()]), [
        [0, "the program was compiled"],
        [0, "the program comes from the cache"],
      ], said[0].output);
    });
  },
);
