import { assert, assertEquals } from "@std/assert";
import { decode } from "fast-png";
import { lavapipePath, swiftshaderPath } from "../tools/setup/parts.ts";
import { manifestIn, runPasted } from "./support/pasted.ts";
import { needs } from "./support/require.ts";
import { withFolder } from "./support/temporary.ts";

const root = new URL("../", import.meta.url).pathname;
const driver = lavapipePath() ?? swiftshaderPath();
const [, triangle, scaling, glsl] = Deno.readTextFileSync(`${root}docs/shaders.md`).split(/^```ts ignore\n/m)
  .map((part) => part.split("```")[0]);

/** The colour of a pixel of a PNG file. */
function pixelOf(path: string, x: number, y: number): number[] {
  const { width, data } = decode(Deno.readFileSync(path));
  return [...data.subarray(4 * (width * y + x), 4 * (width * y + x) + 4)];
}

Deno.test("the first program of the page about shaders draws a triangle", needs("a Vulkan driver", driver), () => {
  assert(triangle.split("\n").length <= 25, "a first triangle takes 25 lines at most");
  withFolder((folder) => {
    const program = triangle.replace('"triangle.png"', JSON.stringify(`${folder}/triangle.png`));
    const { code, output } = runPasted(program, { VK_DRIVER_FILES: manifestIn(folder, driver!) });
    assertEquals(code, 0, output);
    assertEquals(pixelOf(`${folder}/triangle.png`, 160, 120), [255, 128, 0, 255]);
    assertEquals(pixelOf(`${folder}/triangle.png`, 5, 5), [0, 0, 0, 0]);
  });
});

Deno.test("the second program of the page about shaders computes", needs("a Vulkan driver", driver), () => {
  withFolder((folder) => {
    const { code, output } = runPasted(scaling, { VK_DRIVER_FILES: manifestIn(folder, driver!) });
    assertEquals([code, output.trim()], [0, "3,6,9,12"]);
  });
});

Deno.test("the program in GLSL of the page about shaders draws upright", needs("a Vulkan driver", driver), () => {
  withFolder((folder) => {
    const { code, output } = runPasted(glsl, { VK_DRIVER_FILES: manifestIn(folder, driver!) });
    assertEquals([code, output.trim()], [0, "255,0,0,255"]);
  });
});
