import { assert, assertEquals } from "@std/assert";
import { walk } from "../../tools/walk.ts";
import { declaredImports, importedWhenRun, modulesOf, runtimeImports } from "../support/module_graph.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/**
 * The most modules that each entry, command or program of a child may bring, and the number that would be few enough:
 * Deno takes about a tenth of a millisecond for each of them at every start.
 * Whoever makes an entry lighter writes the smaller number here.
 */
const BUDGET: Readonly<Record<string, { readonly most: number; readonly goal: number }>> = {
  "loader/core.ts": { most: 136, goal: 134 },
  "loader/mod.ts": { most: 236, goal: 232 },
  "egl/mod.ts": { most: 182, goal: 182 },
  "workbench/gles_layers.ts": { most: 46, goal: 46 },
  "wsi/mod.ts": { most: 214, goal: 213 },
  "workbench/runs/testing/mod.ts": { most: 70, goal: 69 },
  "hwc/mod.ts": { most: 272, goal: 268 },
  "ffi/mod.ts": { most: 34, goal: 33 },
  "cli.ts": { most: 16, goal: 16 },
  "cli/layer_server/exec.ts": { most: 130, goal: 130 },
  "cli/compare/command.ts": { most: 153, goal: 153 },
  "cli/compare/reduce.ts": { most: 195, goal: 195 },
  "cli/fuzz/command.ts": { most: 239, goal: 239 },
  "cli/view/command.ts": { most: 200, goal: 200 },
  "cli/script/replay.ts": { most: 291, goal: 291 },
  "workbench/check/vulkan/child.ts": { most: 374, goal: 374 },
  "workbench/recordings/compare/driver_process/child.ts": { most: 313, goal: 313 },
};

for (const [entry, { most, goal }] of Object.entries(BUDGET)) {
  Deno.test(`${entry} brings at most ${most} modules (goal: ${goal})`, () => {
    const { size } = modulesOf(entry);
    assert(size <= most, `${size} modules: import what is seldom needed where it is needed`);
  });
}

Deno.test("Deno reads no module of a command before the command runs", () => {
  const { stdout } = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", `--import-map=${ROOT}tools/offline_import_map.json`, `${ROOT}cli.ts`],
  }).outputSync();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: Module[] };
  const found = new Map(modules.map((module) => [module.specifier, module])), read = new Set([`file://${ROOT}cli.ts`]);
  for (const each of read) {
    for (const { code } of found.get(each)?.dependencies ?? []) if (code) read.add(code.specifier);
  }
  assert(read.size > 12 && read.size < 28, `${read.size} modules: write import("PATH" as string) in cli/commands`);
});

/** A module, as `deno info` knows it. */
interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly { readonly code?: { readonly specifier: string } }[];
}

Deno.test("the lean entry brings no search, no platform's terminators, no installing and no assembler", () => {
  const heavy = /\/(install|interposer_code|terminator|android_search|linux_search|linux_layers|asm|x64|a64)(\/|\.ts)/;
  assertEquals([...modulesOf("loader/core.ts")].filter((path) => heavy.test(`/${path}`)), []);
});

Deno.test("no entry brings fast-check, which tests hand over", () => {
  const { exports } = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.json`));
  for (const entry of Object.values<string>(exports)) {
    const bringing = [...modulesOf(entry.slice(2))].filter((path) =>
      path.endsWith(".ts") && /^import (?!type)[^;]*from "fast-check"/m.test(Deno.readTextFileSync(ROOT + path))
    );
    assertEquals(bringing, [], entry);
  }
});

Deno.test("the entry of EGL brings none of the layers that are ready to use, and their entry no loader", () => {
  assertEquals([...modulesOf("egl/mod.ts")].filter((path) => path.includes("egl/layers/shipped/")), []);
  assertEquals(
    [...modulesOf("workbench/gles_layers.ts")].filter((path) =>
      /^egl\/(load_egl|driver\/|layers\/(chain|install))/.test(path)
    ),
    [],
  );
});

Deno.test("no entry brings the assembler of a processor by a plain import: only this machine's is loaded", () => {
  const all = Object.keys(BUDGET).flatMap((entry) => [...modulesOf(entry)]);
  assertEquals(all.filter((path) => /^ffi\/(emit\/(x64|a64)\/|asm\/(x64|a64)\.ts|gen\/)/.test(path)), []);
});

Deno.test("no module takes the constants of Vulkan as one object: the bundle would make that object at each import", () => {
  const { publish } = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.json`));
  const rooms: string[] = publish.include.filter((path: string) => Deno.statSync(ROOT + path).isDirectory);
  const sources = rooms.filter((room) => !["docs", "examples"].includes(room)).flatMap((
    room,
  ) => [...walk(ROOT + room)]);
  const taking = sources.filter((path) => path.endsWith(".ts")).filter((path) =>
    /^import \* as \w+ from "[^"]*\/vk\.ts"/m.test(
      Deno.readTextFileSync(path),
    )
  );
  assertEquals(taking.map((path) => path.slice(ROOT.length)), []);
});

const FOLDERS = ["ffi", "loader", "wsi", "egl", "hwc", "workbench", "cli"];

Deno.test("no files import each other in a circle when they run, at their start or later", () => {
  const imports = runtimeImports([...FOLDERS, "examples"]);
  assert(imports.size > 1000);
  assertEquals(knots(imports), []);
});

Deno.test("an import when a module runs is an import of a value, at the start or later, and no type's", () => {
  const text = [
    'import { a } from "./a.ts";',
    'import {\n  type B,\n  b,\n} from "./b.ts";',
    'export * from "./c.ts";',
    'import "./d.ts";',
    'const e = await import("./e.ts");',
    'const f = (await import(\n  "./f.ts" as string)).f;',
    'load: () => import("./g.ts"),',
    'import type { X } from "./types.ts";',
    'import { type X, type Y } from "./types.ts";',
    'export type { X } from "./types.ts";',
    'type Module = typeof import("./types.ts");',
    'let found: import("./types.ts").Found;',
    '// const commented = await import("./comment.ts");',
    '/**\n * import { example } from "./comment.ts";\n */',
    'import { other } from "elsewhere";',
  ].join("\n");
  assertEquals(importedWhenRun(text), ["a", "b", "c", "d", "e", "f", "g"].map((name) => `./${name}.ts`));
});

Deno.test("no more than two files import types from each other in a circle", () => {
  const imports = declaredImports(FOLDERS);
  assert(imports.size > 800);
  assertEquals(knots(imports).filter((files) => files.length > 2), []);
});

Deno.test("knots() finds the files that reach each other, and not those that only reach them", () => {
  const imports = new Map([["a", ["b"]], ["b", ["c"]], ["c", ["a", "d"]], ["d", []], ["e", ["a"]]]);
  assertEquals(knots(imports).map((files) => files.sort()), [["a", "b", "c"]]);
});

/** Groups of files of which each reaches all others through imports. */
function knots(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map([...imports.keys()].map((path) => [path, reach(imports, path)]));
  const grouped = new Set<string>(), groups: string[][] = [];
  for (const path of imports.keys()) {
    if (grouped.has(path)) continue;
    const files = [...reached.get(path)!].filter((other) => reached.get(other)?.has(path));
    files.forEach((file) => grouped.add(file));
    if (files.length > 1) groups.push(files);
  }
  return groups;
}

/** The files that one reaches through imports; itself only through a circle. */
function reach(imports: ReadonlyMap<string, readonly string[]>, from: string): ReadonlySet<string> {
  const reached = new Set<string>(), ahead = [...imports.get(from) ?? []];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (reached.has(next) || !imports.has(next)) continue;
    reached.add(next);
    ahead.push(...imports.get(next)!);
  }
  return reached;
}
