import { assert, assertEquals } from "@std/assert";

const ROOT = new URL("../../", import.meta.url).pathname;
const names = (folder: string, end: string) =>
  [...Deno.readDirSync(`${ROOT}${folder}`)].map(({ name }) => name).filter((name) => name.endsWith(end));

for (const folder of ["docs", "docs/internals"]) {
  Deno.test(`the index of ${folder} lists each page of the folder once`, () => {
    const index = Deno.readTextFileSync(`${ROOT}${folder}/README.md`);
    const listed = [...index.matchAll(/^(?:\| |\d+\. )?\[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => name);
    assertEquals(listed.toSorted(), names(folder, ".md").filter((name) => name !== "README.md").toSorted());
  });
}

/** The most words of the pages that users read: a page that grows makes another one shorter. */
const MOST_WORDS = 35_000;
/** The pages in which people look things up: the help of the commands, measurements, and the names of tests. */
const LOOKED_UP = ["command-line.md", "benchmarks.md", "drivers.md"];

Deno.test("the pages for users have no more words than people read", () => {
  const pages = [
    "README.md",
    ...names("docs", ".md").filter((name) => !LOOKED_UP.includes(name)).map((name) => `docs/${name}`),
  ];
  const words = pages.map((page) => Deno.readTextFileSync(ROOT + page).split(/\s+/).filter(Boolean).length);
  const sum = words.reduce((one, other) => one + other, 0);
  assert(sum <= MOST_WORDS, `${sum} words: move what is for maintainers to docs/internals, or say it shorter`);
});

Deno.test("each figure that the page about performance names is one of the bench", () => {
  const page = Deno.readTextFileSync(`${ROOT}docs/performance.md`);
  const figures = names("bench/figures", ".ts").map((name) => Deno.readTextFileSync(`${ROOT}bench/figures/${name}`));
  const named = new Set(page.match(/(?<=`)[a-z]+_\w+(?=`)/g));
  assert(named.size >= 9);
  const source = figures.join("\n");
  for (const name of named) {
    const group = name.replace(/^(encode|decode)_(\w+)_vs_c$/, "$1_ns_$2").replace(/^layer_create_pair_(?=vs)/, "");
    assert(source.includes(`"${group}"`), name);
  }
});

Deno.test("the examples import nothing from outside the published package", () => {
  for (const name of names("examples", ".ts")) {
    const text = Deno.readTextFileSync(`${ROOT}examples/${name}`);
    assert(!/from "\.\.\/(?:tools|tests|bench)\//.test(text), name);
  }
});

Deno.test("no page has the marks that a merge leaves, or a second title", () => {
  const pages = ["docs", "docs/internals"].flatMap((folder) => names(folder, ".md").map((name) => `${folder}/${name}`));
  for (const path of [...pages, "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"]) {
    const text = Deno.readTextFileSync(ROOT + path), prose = text.replace(/^```[\s\S]*?^```/gm, "");
    assert(!/^(<{7}|>{7}|={7}) ?/m.test(prose), path);
    assertEquals([...prose.matchAll(/^# /gm)].length, 1, path);
  }
});
