import { assert, assertEquals } from "@std/assert";
import { walk } from "../tools/walk.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const PAGE = Deno.readTextFileSync(`${ROOT}docs/internals/architecture.md`);
/** The folders whose module state must be listed. */
const PUBLISHED = ["ffi", "loader", "wsi", "egl", "hwc", "workbench", "cli"];
/** The folders that have rooms. */
const FLOORS = [...PUBLISHED, "tools", "bench"];
/** The folders in which variables are read. */
const READERS = [...FLOORS, "tests", "examples", ".ci", "docs"];

/** The text below a heading, up to the next one of its level. */
function section(heading: string): string {
  const [, text] = PAGE.split(`\n## ${heading}\n`);
  assert(text, `docs/internals/architecture.md has no section "${heading}"`);
  return text.split("\n## ")[0];
}

/** The cells of the rows of a section whose first cell is code, and its code without the marks. */
function rows(heading: string): { readonly subject: string; readonly cells: readonly string[] }[] {
  return section(heading).split("\n").filter((line) => line.startsWith("| `")).map((line) => {
    const [, ...cells] = line.split("|").map((cell) => cell.trim());
    return { subject: cells[0].split("`")[1], cells };
  });
}

function exists(path: string): boolean {
  try {
    return Boolean(Deno.statSync(ROOT + path));
  } catch {
    return false;
  }
}

/** All folders below one, with the one. */
function* folders(path: string): Generator<string> {
  yield `${path}/`;
  for (const { name, isDirectory } of Deno.readDirSync(ROOT + path)) if (isDirectory) yield* folders(`${path}/${name}`);
}

Deno.test("every room has a row in the page about the architecture, and every row a room", () => {
  const there = FLOORS.flatMap((floor) => [...folders(floor)]);
  const tests = [...Deno.readDirSync(`${ROOT}tests`)].filter(({ isDirectory }) => isDirectory);
  const wanted = [...there, "tests/", ...tests.map(({ name }) => `tests/${name}/`)];
  const listed = rows("Rooms");
  assertEquals(listed.map(({ subject }) => subject).sort(), wanted.sort());
  for (const { subject, cells } of listed) assert(cells[1].length > 2, `${subject} has no description`);
});

Deno.test("the drawing of the house shows every floor and every room of the workbench, and nothing else", () => {
  const [, drawing] = /^```text\n([^]*?)^```$/m.exec(section("The floors"))!;
  const drawn = [...drawing.matchAll(/(?<![\w/])([a-z_]+)\//g)].map(([, name]) => name);
  const folders = (path: string) =>
    [...Deno.readDirSync(ROOT + path)].filter(({ name, isDirectory }) =>
      isDirectory && !/^[._]|^(out|cov)$/.test(name)
    );
  const there = [...folders(""), ...folders("workbench")].map(({ name }) => name);
  assertEquals(drawn.sort(), there.filter((name) => name !== "node_modules").sort());
});

/** Names of the top-level variables of a module, and of its collections that start empty. */
function stateOf(text: string): string[] {
  const names: string[] = [];
  for (const [line] of text.matchAll(/^(?:export )?let .*/gm)) {
    for (const [, name] of line.matchAll(/(?:let |undefined, |= \w+, )(\w+)(?=:| =|;)/g)) names.push(name);
  }
  const collections =
    /^(?:export )?const (\w+)(: [^=]*?)? = (?:new (?:Map|Set|WeakMap|WeakSet)(?:<.*>)?\(\)[;,]|new InstalledLibraries\(|\[\][;,])/gm;
  for (const [, name, type = ""] of text.matchAll(collections)) if (!/readonly/i.test(type)) names.push(name);
  return names;
}

Deno.test("all module state of the published folders is in the page about the architecture, with a reason", () => {
  const listed = new Map<string, Set<string>>();
  for (const { subject, cells } of rows("Module state")) {
    const names = listed.get(subject) ?? new Set();
    for (const [, name] of cells[1].matchAll(/`(\w+)`/g)) names.add(name);
    assert(cells[3].length > 10, `${subject} has no reason`);
    listed.set(subject, names);
  }
  const found = new Map<string, Set<string>>();
  for (const path of PUBLISHED.flatMap((floor) => [...walk(ROOT + floor)])) {
    if (!path.endsWith(".ts") || /\/gen\/|_gen\.ts$/.test(path)) continue;
    const names = stateOf(Deno.readTextFileSync(path));
    if (names.length > 0) found.set(path.slice(ROOT.length), new Set(names));
  }
  assert(found.size > 50);
  assertEquals(listed, found);
});

Deno.test("every kind of module state that the table uses is explained", () => {
  const kinds = new Set(rows("Module state").map(({ cells }) => cells[2]));
  for (const kind of kinds) assert(section("Module state").includes(`**${kind}**`), kind);
});

Deno.test("every file that a page names exists", () => {
  const paths = [
    ...[...walk(`${ROOT}docs`)].map((path) => path.slice(ROOT.length)),
    "README.md",
    "CONTRIBUTING.md",
  ];
  const pages = paths.filter((path) => path.endsWith(".md")).map((path) => Deno.readTextFileSync(ROOT + path)).join(
    "\n",
  );
  const named = [...pages.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\/?)`/g)].map(([, path]) => path)
    .filter((path) => READERS.includes(path.split("/")[0]));
  assert(named.length > 100);
  assertEquals(named.filter((path) => !exists(path)), []);
});

Deno.test("every variable of Pumice's has a row in the page about the architecture, and every row a variable", () => {
  const found = new Set<string>();
  for (const path of [...READERS.flatMap((folder) => [...walk(ROOT + folder)]), `${ROOT}deno.json`]) {
    if (!/\.(ts|js|json|c|h|md|sh)$|\/run$/.test(path) || path.endsWith("docs/internals/architecture.md")) continue;
    for (const [name] of Deno.readTextFileSync(path).matchAll(/\bPUMICE_[A-Z0-9]+(?:_[A-Z0-9]+)*\b(?!_)/g)) {
      found.add(name);
    }
  }
  assertEquals(rows("Variables").map(({ subject }) => subject).sort(), [...found].sort());
});

/** The ids that a text names: `VK7`, `GL16`, `S44`. */
function idsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w.])(?:VK|GL|S)\d{1,2}(?![\w.])/g)].map(([id]) => id);
}

Deno.test("every requirement that a rule or a test's name has is in the list of requirements", () => {
  const listed = new Set(
    [...Deno.readTextFileSync(`${ROOT}docs/internals/requirements.md`).matchAll(/^\| (\w+) +\|/gm)].map(([, id]) => id),
  );
  const rules = PUBLISHED.flatMap((floor) => [...walk(ROOT + floor)]).filter((path) => path.includes("/requirements/"));
  const named = new Set(rules.flatMap((path) => idsIn(Deno.readTextFileSync(path))));
  for (const path of walk(`${ROOT}tests`)) {
    if (!path.endsWith("_test.ts")) continue;
    for (const [, name] of Deno.readTextFileSync(path).matchAll(/Deno\.test\(\s*["`]([^"`]*)/g)) {
      for (const id of idsIn(name)) named.add(id);
    }
  }
  assert(named.size > 80);
  assertEquals([...named].filter((id) => !listed.has(id)), []);
  for (const [kind, count] of [["VK", 37], ["GL", 16], ["S", 44]] as const) {
    for (let number = 1; number <= count; number++) assert(listed.has(`${kind}${number}`), `${kind}${number}`);
  }
});

Deno.test("the loader's acceptance list has a sentence for each of its lines", () => {
  const lines = [
    ...Deno.readTextFileSync(`${ROOT}docs/internals/acceptance.md`).matchAll(/^\| (\d+) +\| (.*?) *\|$/gm),
  ];
  assertEquals(lines.map(([, number]) => Number(number)), Array.from({ length: 95 }, (_, index) => index + 1));
  for (const [, number, sentence] of lines) assert(sentence.endsWith(".") && sentence.length > 20, number);
});
