import { assert, assertEquals } from "@std/assert";
import { makeReference, withNames } from "../../tools/reference.ts";
import { walk } from "../../tools/walk.ts";
import { withFolderAsync } from "../support/temporary.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const { name, exports } = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.json`));

Deno.test("the reference says how programs import an entry's symbols", () =>
  withFolderAsync(async (folder) => {
    const entry = { name, exports: { "./perfetto": exports["./perfetto"] } };
    assert(await makeReference(entry, folder));
    const lines = new Set<string>();
    for (const path of walk(folder)) {
      if (!path.includes("/perfetto/~/")) continue;
      for (const [, from] of Deno.readTextFileSync(path).matchAll(/import [^;]* from &quot;([^&]*)&quot;/g)) {
        lines.add(from);
      }
    }
    assertEquals([...lines].filter((from) => !from.startsWith("@")), []);
    assert(lines.has(`${name}/perfetto`));
  }));

Deno.test("names of entries alone change in the reference's pages", () => {
  const line = (from: string) => `import { it } from &quot;${from}&quot;;`, about = { name, exports };
  assertEquals(withNames(line("."), about), line(name));
  assertEquals(withNames(line("gles-layers"), about), line(`${name}/gles-layers`));
  for (const other of ["@std/assert", `${name}/vk`, "node:fs", "vku"]) {
    assertEquals(withNames(line(other), about), line(other));
  }
});
