import { assert, assertEquals, assertMatch } from "@std/assert";
import { decode } from "fast-png";
import { lavapipePath, swiftshaderPath, validationManifest } from "../tools/setup/parts.ts";
import * as glesLayers from "../workbench/gles_layers.ts";
import * as layers from "../workbench/layers.ts";
import { needs } from "./support/require.ts";
import { manifestIn, runPasted } from "./support/pasted.ts";
import { withFolder } from "./support/temporary.ts";

const driver = lavapipePath() ?? swiftshaderPath();
const ROOT = new URL("../", import.meta.url).pathname;

/** The TypeScript programs of the README; `ignore` keeps them from running where they would find no driver. */
function programs(): string[] {
  const text = Deno.readTextFileSync(`${ROOT}README.md`);
  return [...text.matchAll(/^```ts(?: ignore)?\n([\s\S]*?)^```$/gm)].map((match) => match[1]);
}

const parts = needs("a Vulkan driver and the Khronos validation layer", driver && validationManifest());

Deno.test("README.md's programs run as pasted", parts, () => {
  withFolder((folder) => {
    assert(programs().length > 0);
    for (const program of programs()) {
      assert(program.split("\n").length <= 25, "a program of the README has at most 25 lines");
      const here = program.replace('"triangle.png"', JSON.stringify(`${folder}/triangle.png`));
      const { code, output } = runPasted(here, { VK_DRIVER_FILES: manifestIn(folder, driver!) });
      assertEquals(code, 0, output);
      assert(/llvmpipe|SwiftShader/.test(output), output);
      if (program.includes("counter")) assertMatch(output, /: 1 buffer\n/);
    }
    const { width, height } = decode(Deno.readFileSync(`${folder}/triangle.png`));
    assertEquals([width, height], [320, 240]);
  });
});

Deno.test("README.md has at most 150 lines", () => {
  assert(Deno.readTextFileSync(`${ROOT}README.md`).split("\n").length <= 151);
});

Deno.test("README.md names only tasks, files and folders that exist", () => {
  const text = Deno.readTextFileSync(`${ROOT}README.md`);
  const tasks = Object.keys(JSON.parse(Deno.readTextFileSync(`${ROOT}deno.json`)).tasks);
  for (const [, task] of text.matchAll(/deno@[\d.]+ task (\w+)/g)) assert(tasks.includes(task), task);
  for (const [, path] of text.matchAll(/\]\(([^)#:]+)(?:#[\w-]+)?\)/g)) assert(Deno.statSync(`${ROOT}${path}`), path);
});

const NO_LAYERS = [
  "traceText",
  "replayRecording",
  "readRecording",
  "writeRecording",
  "GraphicsError",
  "RecordingError",
  "watchLayer",
  "serveLayers",
  "serveGlesLayers",
];

for (const [entry, exported] of [["layers", layers], ["gles-layers", glesLayers]] as const) {
  Deno.test(`README.md names the layers of ./${entry} that are ready to use, all of them`, () => {
    const text = Deno.readTextFileSync(`${ROOT}README.md`);
    const list = new RegExp(`\`@pumice/gfx/${entry}\`:([^.]*)\\.`).exec(text)![1];
    const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort();
    assertEquals(named, Object.keys(exported).filter((name) => !NO_LAYERS.includes(name)).sort());
  });
}
