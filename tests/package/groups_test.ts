import { assertEquals } from "@std/assert";
import { groups, type Weighed } from "../../tools/build/groups.ts";

/** Files with their sizes in KiB and the files that they import; names in brackets are imported later, if at all. */
function filesOf(list: Readonly<Record<string, readonly [number, string]>>): Map<string, Weighed> {
  return new Map(
    Object.entries(list).map(([path, [size, names]]) => {
      const all = names.split(" ").filter((name) => name !== ""), later = all.filter((name) => name[0] === "(");
      const imports = all.filter((name) => name[0] !== "(");
      return [path, {
        size: size << 10,
        imports,
        later: later.map((name) => name.slice(1, -1)),
        isActive: path === "z",
      }];
    }),
  );
}

/** The groups of the files whose names are in lower case; programs begin with the others. */
function together(list: Readonly<Record<string, readonly [number, string]>>): string[] {
  const roots = Object.keys(list).filter((name) => /[A-Z]/.test(name));
  return groups(filesOf(list), roots, (path) => /^[a-z]$/.test(path)).map((paths) => paths.join("")).sort();
}

Deno.test("files that the same programs need become one", () => {
  assertEquals(together({ A: [1, "a b"], B: [1, "b"], a: [100, "c"], b: [100, ""], c: [100, ""] }), ["ac", "b"]);
});

Deno.test("a small file that one program needs in vain is joined where that saves others a file", () => {
  assertEquals(together({ A: [1, "a b"], B: [1, "a"], a: [100, ""], b: [1, ""] }), ["ab"]);
  assertEquals(together({ A: [1, "a b"], B: [1, "a"], a: [100, ""], b: [100, ""] }), ["a", "b"]);
});

Deno.test("a file is not joined where programs would load a module of Node in vain", () => {
  assertEquals(together({ A: [1, "a b"], B: [1, "a"], a: [100, ""], b: [1, "node:path"] }), ["a", "b"]);
  assertEquals(together({ A: [1, "a b"], B: [1, "a node:path"], a: [100, ""], b: [1, "node:path"] }), ["ab"]);
});

Deno.test("a file is not joined with one that another module imports later, where that brings a package in vain", () => {
  const list = { a: [1, ""], b: [1, "npm:far"], first: [1, "a"], second: [1, "a b"] } as const;
  assertEquals(together({ A: [1, "(first) (second)"], ...list }), ["a", "b"]);
});

Deno.test("a file that does something when it is imported is joined only with what the same programs need", () => {
  assertEquals(together({ A: [1, "a z"], B: [1, "a"], a: [100, ""], z: [1, ""] }), ["a", "z"]);
  assertEquals(together({ A: [1, "a z"], B: [1, "a z"], a: [100, ""], z: [1, ""] }), ["az"]);
});

Deno.test("files are not joined with a third between them, which may be awaited and would wait for both", () => {
  assertEquals(together({ A: [1, "a b"], a: [100, "mm"], mm: [1, "b"], b: [100, ""] }), ["a", "b"]);
  assertEquals(together({ A: [1, "a b"], a: [100, "(mm)"], mm: [1, "b"], b: [100, ""] }), ["a", "b"]);
});
