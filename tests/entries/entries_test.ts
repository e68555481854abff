import { assert, assertEquals } from "@std/assert";
import { lavapipePath, swiftshaderPath } from "../../tools/setup/parts.ts";
import { mesa } from "../egl/drivers.ts";
import { manifestIn, runPasted, testPasted } from "../support/pasted.ts";
import { needs } from "../support/require.ts";
import { withFolder } from "../support/temporary.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const ENTRIES = Object.entries<string>(JSON.parse(Deno.readTextFileSync(`${ROOT}deno.json`)).exports);
const driver = lavapipePath() ?? swiftshaderPath();

/** The programs of the comment about the module of an entry. */
function programsOf(path: string): string[] {
  const text = Deno.readTextFileSync(`${ROOT}${path}`), doc = text.slice(0, text.indexOf("*/"));
  assert(doc.startsWith("/**") && doc.includes(" * @module"), `${path} does not begin with a comment about the module`);
  const examples = [...doc.matchAll(/@example [A-Z].*\n \* ```ts(?: ignore)?\n([^]*?) \* ```/g)];
  return examples.map(([, code]) => code.replace(/^ \* ?/gm, ""));
}

Deno.test("each entry has a page with a worked program that imports the entry", () => {
  for (const [name, path] of ENTRIES) {
    const programs = programsOf(path);
    assert(programs.length > 0, `${name} shows no program`);
    for (const program of programs) assert(program.includes(`"@pumice/gfx${name.slice(1)}"`), `${name}: ${program}`);
  }
});

Deno.test("the page of the package names every other entry, and no entry that is not there", () => {
  const text = Deno.readTextFileSync(`${ROOT}mod.ts`),
    list = text.slice(text.indexOf("The other entries"), text.indexOf("@example"));
  const named = [...list.matchAll(/`@pumice\/gfx(\/[\w-]+)`/g)].map(([, name]) => `.${name}`);
  assertEquals(named.sort(), ENTRIES.map(([name]) => name).filter((name) => name !== ".").sort());
});

for (const name of ["./ffi", "./wsi", "./hwc", "./vk", "./gl"]) {
  Deno.test(`the program on the page of ${name} runs`, () => runs(name, {}));
}

for (const name of [".", "./core", "./loader", "./layers", "./drivers", "./vkjson", "./perfetto", "./check", "./cli"]) {
  Deno.test(
    `the programs on the page of ${name} run`,
    needs("a Vulkan driver", driver),
    () => withFolder((folder) => runs(name, { VK_DRIVER_FILES: manifestIn(folder, driver!) })),
  );
}

for (const name of ["./egl", "./gles-layers"]) {
  Deno.test(`the program on the page of ${name} runs`, needs("Mesa's EGL driver", mesa), () => runs(name, {}));
}

Deno.test("the test on the page of ./testing passes", needs("a Vulkan driver", driver), () => {
  const { code, output } = testPasted(programsIn("./testing")[0], { PUMICE_DRIVERS: driver! });
  assertEquals(code, 0, output);
});

Deno.test("the test on the page of ./fuzz passes", needs("a Vulkan driver", driver), () => {
  withFolder((folder) => {
    const { code, output } = testPasted(programsIn("./fuzz")[0], { VK_DRIVER_FILES: manifestIn(folder, driver!) });
    assertEquals(code, 0, output);
  });
});

/** Runs the programs of an entry, with a driver of this machine and a folder of their own for the files that they write. */
function runs(name: string, env: Record<string, string>): void {
  withFolder((folder) => {
    for (const program of programsIn(name)) {
      const here = program.replace(/"[^"]+\.so"/g, JSON.stringify(driver))
        .replace(/"([\w-]+\.(?:png|pftrace|jsonl))"/g, (_, file) => JSON.stringify(`${folder}/${file}`));
      const { code, output } = runPasted(here, env);
      assertEquals(code, 0, output);
      for (const [, file] of here.matchAll(/"([^"%]+\.(?:png|pftrace))"/g)) assert(Deno.statSync(file).size > 0, file);
    }
  });
}

function programsIn(name: string): string[] {
  return programsOf(Object.fromEntries(ENTRIES)[name]);
}
