/**
 * Programs of the documents name their constants: no member whose type is an
 * enum or flags gets a bare number. 0, which means none, may stand.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";

const ROOT = new URL("../../", import.meta.url).pathname;
const FOLDERS = ["ffi", "loader", "wsi", "egl", "hwc", "workbench"];

Deno.test("no program of the documents writes a bare number where an enum or flags are due", () => {
  const members = namedMembers();
  assert(members.has("usage") && members.has("imageLayout") && !members.has("width"), "the types were read");
  const found = documents().flatMap(([path, program]) =>
    bareNumbers(program, members).map((text) => `${path}: ${text}`)
  );
  assertEquals(found, []);
});

Deno.test("the rule about bare numbers finds them, and lets names and 0 pass", () => {
  const found = bareNumbers("{ usage: 2, flags: A | 1, level: 0, newLayout: ~0 >>> 0, size: 4 }", namedMembers());
  assertEquals(found, ["usage: 2", "flags: A | 1", "newLayout: ~0 >>> 0"]);
});

/** The members that are enums or flags, by the generated types; not colours and texts, which share a name with some. */
function namedMembers(): Set<string> {
  const text = filesIn(`${ROOT}loader/gen`, "_gen.ts").map(([, text]) => text).join("\n");
  const named = new Set([...text.matchAll(/^export type (Vk\w+) = (?:Enum|Flags)/gm)].map(([, name]) => name));
  for (const [, name, other] of text.matchAll(/^export type (Vk\w+) = (Vk\w+);/gm)) {
    if (named.has(other)) named.add(name);
  }
  const members = [...text.matchAll(/^\s*(?:readonly )?(\w+)\??: (\w+)/gm)];
  return new Set(
    members.filter(([, member, type]) => named.has(type) && member !== "source" && member.length > 1).map((
      [, member],
    ) => member),
  )
    .difference(new Set(members.filter(([, , type]) => type === "number").map(([, member]) => member)))
    .union(new Set(["usage", "flags", "level", "imageUsage"]));
}

/** The members with a bare number other than 0 in their value. */
function bareNumbers(program: string, members: ReadonlySet<string>): string[] {
  return [...program.matchAll(/\b(\w+): ([^,;{}()[\]\n]*)/g)]
    .filter(([, member, value]) => members.has(member) && /(?<![\w.])(?!0\b(?!x))(?:0x)?\d+n?\b|~0/.test(value))
    .map(([, member, value]) => `${member}: ${value.trim()}`);
}

/** Each program of a page but those that show mistakes, and each example in a comment. */
function documents(): [string, string][] {
  const pages: [string, string][] = [
    ...filesIn(`${ROOT}docs`, ".md").map((
      [path, text],
    ): [string, string] => [path, text.split("\n## Mistakes of ")[0]]),
    ["README.md", Deno.readTextFileSync(`${ROOT}README.md`)],
  ];
  const sources = FOLDERS.flatMap((folder) => filesIn(`${ROOT}${folder}`, ".ts")).filter(([path]) =>
    !path.endsWith("_gen.ts")
  );
  return [...pages, ...sources].flatMap(([path, text]) =>
    [...text.matchAll(/^(?: *\* )?```ts.*?\n(.*?)```/gms)].map(([, program]): [string, string] => [path, program])
  );
}

function filesIn(folder: string, end: string): [string, string][] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }): [string, string][] => {
    const path = `${folder}/${name}`;
    if (isDirectory) return filesIn(path, end);
    return name.endsWith(end) ? [[path.slice(ROOT.length), Deno.readTextFileSync(path)]] : [];
  });
}
