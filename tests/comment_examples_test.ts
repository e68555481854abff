import { assert, assertEquals } from "@std/assert";
import { walk } from "../tools/walk.ts";
import { checkPasted } from "./support/pasted.ts";

const ROOT = new URL("../", import.meta.url).pathname;

/** Modules of the package. */
function modules(): string[] {
  const folders = ["cli", "workbench", "egl", "ffi", "hwc", "loader", "wsi"].flatMap((each) => [...walk(ROOT + each)]);
  const entries = ["cli", "mod"].map((name) => `${ROOT}${name}.ts`);
  return [...entries, ...folders].filter((path) => path.endsWith(".ts"));
}

/** The examples in the comments of a module that `deno test --doc` leaves alone, because they need files or an end. */
function examplesIn(path: string): [name: string, source: string][] {
  const name = path.slice(ROOT.length).replace(/\.ts$/, "").replaceAll("/", ".");
  const found = Deno.readTextFileSync(path).matchAll(/^ *\* ```ts ignore\n([^]*?)^ *\* ```$/gm);
  return Array.from(
    found,
    ([, code], index) => [`${name}.${index}.ts`, `${code.replace(/^ *\* ?/gm, "")}\nexport {};`],
  );
}

Deno.test("the types of every example in a comment are right, also of those that are not run", () => {
  const examples = modules().flatMap(examplesIn);
  assert(examples.length > 50, `only ${examples.length}`);
  const { code, output } = checkPasted(Object.fromEntries(examples));
  assertEquals(code, 0, output);
});
