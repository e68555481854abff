/**
 * Exports have names that say what they mean without the entry they come from:
 * which names there are is asked of the documentation.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { exportsInDocs } from "./exports_in_docs.ts";

/** Names of one common word, by why one word says enough. */
const ONE_WORD: Readonly<Record<string, string>> = {
  "a term of Vulkan, EGL, OpenGL ES or of Android's HAL":
    "Blend Color Composer Composition Egl Gl Handle Layer Layout " +
    "Plane Rect Status Surface Transaction Vulkan Window Frame",
  "a term of C and of its tools": "Arena Library Signature Thunk Union Bytes Enum Struct arena cstring fourcc main",
  "what generated types are built from, always beside a type of Vulkan":
    "Chained Dispatchable Extender Filled Next Out",
  "a term that the whole project uses in one meaning":
    "Finding Hook Host Lookup Overdraw Platform Rule Verdict Picture Explanation Json",
  "a type that stands at one option or parameter alone": "Bindable Budget Clock Compositor Process Renderer Tolerance",
  "a term of the entry that has its name": "Gpu vkjson",
};

/** Names of several things, and why. */
const SEVERAL: Readonly<Record<string, string>> = {
  loadVulkan: "the entries differ in what they bring, and in nothing that is common to them",
  createVulkanBackend: "the root entry's makes the loader that the other is given",
};

const found = await exportsInDocs();

Deno.test("a name of one word is exported only where that word is the field's own", () => {
  const allowed = new Set(Object.values(ONE_WORD).flatMap((names) => names.split(" ")));
  const bare = [...found.keys()].filter((name) => /^[A-Za-z][a-z]+$/.test(name));
  assertEquals(bare.filter((name) => !allowed.has(name)).sort(), [], "give them a second word that says of what");
  assertEquals([...allowed].filter((name) => !bare.includes(name)), [], "these are exported no longer");
});

Deno.test("a name means one thing, whatever entry exports it", () => {
  const several = [...found].filter(([, { files }]) => files.size > 1).map(([name]) => name);
  assertEquals(several.sort(), Object.keys(SEVERAL).sort());
});

/** The makers of layers: functions that return an object with a `layer`, by entry. */
function makersOf(entry: string) {
  return [...found].flatMap(([name, { entries, makes, takes }]) => {
    const isMaker = found.get(makes ?? "")?.members.includes("layer");
    return isMaker && entries.has(entry) ? [{ name, makes, takes }] : [];
  });
}

for (const [entry, least] of [["./layers", 7], ["./gles-layers", 3]] as const) {
  Deno.test(`what makes a layer of ${entry}, what it makes and what it takes have one name`, () => {
    const makers = makersOf(entry);
    assert(makers.length >= least, `${makers.length} makers`);
    for (const { name, makes, takes } of makers) {
      const type = name[0].toUpperCase() + name.slice(1);
      assertEquals([makes, takes ?? `${type}Options`], [type, `${type}Options`]);
    }
  });
}

Deno.test("a layer for OpenGL ES has the name of Vulkan's that does the same, with gles before it", () => {
  const vulkan = makersOf("./layers").map(({ name }) => name);
  /** The makers that only OpenGL ES has. */
  const own = ["glesErrors"];
  for (const { name } of makersOf("./gles-layers")) {
    assert(
      own.includes(name) || vulkan.some((other) => name === `gles${other[0].toUpperCase()}${other.slice(1)}`),
      name,
    );
  }
});
