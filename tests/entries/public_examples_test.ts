import { assert, assertEquals } from "@std/assert";
import { publicDocs } from "./docs.ts";

Deno.test("every public function has an example", async () => {
  const found = new Map<string, boolean>();
  for (const { name, declarations } of Object.values(await publicDocs()).flat()) {
    const functions = declarations.filter(({ kind }) => kind === "function");
    const isShown = functions.some(({ jsDoc }) =>
      (jsDoc?.tags as { readonly kind: string }[] ?? []).some(({ kind }) => kind === "example")
    );
    if (functions.length > 0) found.set(name, isShown || found.get(name) === true);
  }
  assert(found.size > 180, `${found.size} functions`);
  const bare = [...found].filter(([, isShown]) => !isShown).map(([name]) => name).sort();
  assertEquals(bare, [], "write an example");
});
