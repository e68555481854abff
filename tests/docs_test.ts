import { assert, assertEquals } from "@std/assert";
import { PLANE_MODELS } from "../hwc/planes/models.ts";
import { clientOnly, leastGpuWork } from "../hwc/planes/strategy.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../tools/setup/parts.ts";
import { mesa } from "./egl/drivers.ts";
import { manifestIn, runPasted, testPasted } from "./support/pasted.ts";
import { programsOf } from "./support/pages.ts";
import { needs } from "./support/require.ts";
import { withFolder } from "./support/temporary.ts";
import { walk } from "../tools/walk.ts";

const root = new URL("../", import.meta.url).pathname;
/** The number of lines of the loader's acceptance list. */
const LINES = 95;

/** The source of every test. */
const sources = [...walk(`${root}tests`)].filter((path) => path.endsWith("_test.ts"))
  .map((path) => Deno.readTextFileSync(path)).join("\n");

for (
  const [title, file, least] of [
    ["the differences from the Khronos loader", "linux-differences", 10],
    ["the native layers", "native-layers", 8],
  ] as const
) {
  Deno.test(`every row of ${title} names a test there is`, () => {
    const lines = Deno.readTextFileSync(`${root}docs/internals/${file}.md`).split("\n");
    const rows = lines.filter((line, index) => /^\| (?!---)/.test(line) && !/^\| ---/.test(lines[index + 1]));
    assert(rows.length > least);
    for (const row of rows) {
      const name = /`([^`]+)` *\|$/.exec(row)?.[1];
      assert(name && sources.includes(name), `no test is named ${name ?? row}`);
    }
  });
}

for (
  const [title, least] of [["Layers", 15], ["EGL: finding the driver", 5], ["EGL: the cache", 5], [
    "vkjson",
    4,
  ]] as const
) {
  Deno.test(`every row of the differences from Android under "${title}" names a test there is`, () => {
    const page = Deno.readTextFileSync(`${root}docs/internals/android-differences.md`);
    const section = page.slice(page.indexOf(`## ${title}`)).split("\n## ")[0];
    const rows = section.split("\n").filter((line) => /^\|/.test(line) && !/^\| (---|AOSP +\|)/.test(line));
    assert(rows.length > least);
    for (const row of rows) {
      const name = /`([^`]+)` *\|$/.exec(row)?.[1];
      assert(name && sources.includes(`"${name}"`), `no test is named ${name ?? row}`);
    }
  });
}

Deno.test("each line of the loader's acceptance list has a test of its name", () => {
  const named = new Set<number>();
  for (const [, list] of sources.matchAll(/acceptance (\d+(?:(?:, | and |\/|-)\d+)*)/g)) {
    for (const number of list.match(/\d+/g)!) named.add(Number(number));
  }
  for (const [, first, second] of sources.matchAll(/for \(const \[line, \w+\] of \[\[(\d+), .*?\], \[(\d+),/gs)) {
    named.add(Number(first)).add(Number(second));
  }
  const missing = Array.from({ length: LINES }, (_, index) => index + 1).filter((line) => !named.has(line));
  assertEquals(missing, []);
});

const driver = lavapipePath() ?? swiftshaderPath();

Deno.test("the program of the page about layers prints what the page says", {
  ignore: needs("a Vulkan driver", driver).ignore || needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  const page = Deno.readTextFileSync(`${root}docs/layers.md`), [, program] = /^```ts ignore\n(.*?)^```$/ms.exec(page)!;
  withFolder((folder) => {
    const { code, output } = runPasted(program, { VK_DRIVER_FILES: manifestIn(folder, driver!) });
    assertEquals(code, 0, output);
    assert(output.includes(/prints `(.*?)`/.exec(page)![1]), output);
  });
});

Deno.test("the program of the page about recordings runs as pasted", needs("a Vulkan driver", driver), () => {
  const page = Deno.readTextFileSync(`${root}docs/recordings.md`),
    [, program] = /^```ts ignore\n(.*?)^```$/ms.exec(page)!;
  withFolder((folder) => {
    const here = program.replaceAll("fill.jsonl", `${folder}/fill.jsonl`);
    const { code, output } = runPasted(here, { VK_DRIVER_FILES: manifestIn(folder, driver!) });
    assertEquals(code, 0, output);
    assert(output.startsWith(/prints `(.*?)`/.exec(page)![1]), output);
    const file = Deno.readTextFileSync(`${folder}/fill.jsonl`);
    assert(file.startsWith(/says what it is[^`]*`(.*?)`/.exec(page)![1]), file);
  });
});

Deno.test("the programs of the page about windows print what the page says", needs("a Vulkan driver", driver), () => {
  const page = Deno.readTextFileSync(`${root}docs/windows.md`), programs = programsOf("windows").slice(0, 2);
  const told = [...page.matchAll(/prints `(.*?)`,\s`(.*?)`\sand\s`(.*?)`/g)].map(([, ...said]) => said);
  withFolder((folder) => {
    for (const [at, { source }] of programs.entries()) {
      const { code, output } = runPasted(source, { VK_DRIVER_FILES: manifestIn(folder, driver!) });
      assertEquals(code, 0, output);
      assertEquals(output.trim().split("\n"), told[at]);
    }
  });
});

Deno.test("the program of the page about checking prints what the page says", () => {
  const page = Deno.readTextFileSync(`${root}docs/check.md`), [, program] = /^```ts ignore\n(.*?)^```$/ms.exec(page)!;
  const { code, output } = runPasted(program);
  assertEquals(code, 0, output);
  const [, ...said] = /prints `(.*?)`, `(.*?)` and `(.*?)`/.exec(page)!;
  assertEquals(output.trim().split("\n"), said);
});

Deno.test(
  "the tests of the page about driver tests end as the page says",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    const page = Deno.readTextFileSync(`${root}docs/driver-tests.md`);
    const [, program] = /^```ts ignore\n(.*?)^```$/ms.exec(page)!, [, table] = /^```text\n(.*?)^```$/ms.exec(page)!;
    withFolder((out) => {
      const { output } = testPasted(program, { PUMICE_DRIVERS: lavapipePath()!, PUMICE_GPU_OUT: out });
      const words = (text: string) =>
        text.replace(/[\d.e-]+ ms/g, "N ms").split("\n").map((line) => line.split(/ {2,}/));
      const lines = words(output), said = words(table.trimEnd());
      for (const line of said) assert(lines.some((each) => each.join() === line.join()), `${line}\n${output}`);
      assert(output.includes(/The failure says in which\scommand it was: `(.*?)`/.exec(page)![1]), output);
    });
  },
);

Deno.test("the program of the page about the composer prints what the page says, and writes its pictures", () => {
  const page = Deno.readTextFileSync(`${root}docs/composer.md`),
    [, program] = /^```ts ignore\n(.*?)^```$/ms.exec(page)!;
  withFolder((folder) => {
    const { code, output } = runPasted(program.replace("out/panel", `${folder}/panel`));
    assertEquals(code, 0, output);
    const [, ...said] = /prints\s`(.*?)`\sand\s`(.*?)`,/.exec(page)!;
    assertEquals(output.trim().split("\n"), said);
    assertEquals([...Deno.readDirSync(folder)].length, 3);
  });
});

Deno.test("the page about the composer names all models and strategies, and tests there are", () => {
  const page = Deno.readTextFileSync(`${root}docs/composer.md`);
  const tables = ["model", "strategy"].map((head) => new RegExp(`^\\| ${head} (?:.*\n)+?\n`, "m").exec(page)![0]);
  const rows = tables.join("").split("\n").filter((line) => line.startsWith("| `")).map((line) => line.split("|")[1]);
  const named = new Set(rows.join().match(/(?<=`)[\w-]+(?=`)/g));
  const strategies = [clientOnly().name, "first-N", leastGpuWork().name];
  assertEquals(named, new Set([...Object.keys(PLANE_MODELS), ...strategies]));
  const tests = [...page.matchAll(/^\| `composer.*\| `([^`]+)` *\|$/gm)];
  assertEquals(tests.length, 4);
  for (const [, name] of tests) assert(sources.includes(`"${name}"`), `no test is named ${name}`);
});

const EGL_PAGE = `${root}docs/egl.md`;

Deno.test(
  "the programs of the page about EGL print what the page says",
  needs(mesa.part, mesa.found || undefined),
  () => {
    const page = Deno.readTextFileSync(EGL_PAGE);
    const programs = programsOf("egl").filter(({ source, prints }) => !prints && !source.includes("openBlobCache"));
    const said = [...page.matchAll(/^It prints (?:lines such as )?`(.*?)`/gm)];
    assertEquals([programs.length, said.length], [3, 3]);
    for (const [index, { source }] of programs.entries()) {
      const { code, output } = runPasted(source);
      assertEquals(code, 0, output);
      assert(output.split("\n").some((line) => line.startsWith(said[index][1])), output);
    }
  },
);

Deno.test("GL1 to GL16 each have a test of their number", () => {
  const missing = Array.from({ length: 16 }, (_, index) => `GL${index + 1}`)
    .filter((id) => !new RegExp(`Deno\\.test\\(\\s*["\`](?:GL\\d+, )*(?:GL\\d+ and )?${id}\\b`).test(sources));
  assertEquals(missing, []);
});
