import { assert, assertEquals } from "@std/assert";
import { checkProject, ignoredExamples } from "../../tools/check.ts";
import { withFolderAsync } from "../support/temporary.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
/** A module, an example that is run, one that is not, and the program of a page. */
const PLACES = {
  "mod.ts": (value: string) => `export const inModule: number = ${value};\n`,
  "loader/run.ts": (value: string) => commentOf("ts", `const inExample: number = ${value};`),
  "wsi/ignored.ts": (value: string) => commentOf("ts ignore", `const inIgnored: number = ${value};`),
  "docs/page.md": (value: string) => `# Page\n\n\`\`\`ts\nconst inPage: number = ${value};\n\`\`\`\n`,
};

function commentOf(kind: string, code: string): string {
  return `/**\n * A module.\n *\n * \`\`\`${kind}\n * ${code}\n * \`\`\`\n */\nexport const documented = 1;\n`;
}

/** The words of the check about a project with such a value in each place. */
async function checked(value: string): Promise<{ readonly code: number; readonly text: string }> {
  return await withFolderAsync(async (folder) => {
    for (const name of ["loader", "wsi", "docs"]) Deno.mkdirSync(`${folder}/${name}`);
    Deno.writeTextFileSync(`${folder}/deno.json`, "{}");
    for (const [path, text] of Object.entries(PLACES)) Deno.writeTextFileSync(`${folder}/${path}`, text(value));
    const { code, stderr } = await checkProject(`${folder}/`), left = [...Deno.readDirSync(folder)];
    assertEquals(left.filter(({ name }) => name.startsWith(".")), []);
    return { code, text: new TextDecoder().decode(stderr) };
  });
}

Deno.test("deno task check finds wrong types in modules, in pages and in examples, also in those that are not run", async () => {
  const { code, text } = await checked('"text"');
  assertEquals(code, 1, text);
  for (const name of ["inModule", "inExample", "inIgnored", "inPage"]) assert(text.includes(`const ${name}:`), text);
});

Deno.test("deno task check has nothing to say of a project whose types are right", async () => {
  assertEquals(await checked("1"), { code: 0, text: "" });
});

Deno.test("deno task check finds the examples of the package that are not run", () => {
  const examples = ignoredExamples(ROOT);
  assert(examples.length > 50, `only ${examples.length}`);
});
