import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import pixelmatch from "pixelmatch";
import { loadEgl } from "../../egl/mod.ts";
import { PAINTERS, type Version } from "../../examples/gles/painter.ts";
import { drawPicture } from "../../examples/gles/picture.ts";
import { drivers, mesa } from "../egl/drivers.ts";
import { type Image, readPng, writeDifference } from "../support/image.ts";
import { needs } from "../support/require.ts";
import { runProgram } from "../support/subprocess.ts";
import { withFolder } from "../support/temporary.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const GOLDEN = `${ROOT}docs/gles.png`, SIZE = [960, 540] as const;
/**
 * Edges fall on other samples: one pixel in a thousand may look different. Measured: none between the versions on one
 * driver, one in 10,000 between Mesa and ANGLE.
 */
const TOLERANCE = 0.001, THRESHOLD = 0.05;

/** Fails when an image is not the golden one, and leaves a picture of the difference in out/. */
function assertGolden(image: Image, file: string): void {
  const golden = readPng(GOLDEN);
  assertEquals([image.width, image.height], [golden.width, golden.height]);
  const off = pixelmatch(image.data, golden.data, undefined, ...SIZE, { threshold: THRESHOLD, includeAA: true });
  if (off <= TOLERANCE * SIZE[0] * SIZE[1]) return;
  const path = `${ROOT}out/gles_${file}_diff.png`;
  writeDifference(path, image, golden);
  throw new Error(`${off} pixels look different; see ${path}`);
}

for (const driver of drivers) {
  const part = needs(driver.part, driver.found || undefined);
  for (const version of Object.keys(PAINTERS) as Version[]) {
    Deno.test(`the golden picture is drawn with OpenGL ES ${version} on ${driver.name}`, part, () => {
      const said: string[] = [];
      using egl = loadEgl({ driver: driver.open(), log: (message) => said.push(message) });
      assertGolden(drawPicture(egl, version, SIZE), `${driver.name}_${version}`);
      assertEquals(said, []);
    });
  }
}

Deno.test("the golden picture has the sun in it, and stone, and water that mirrors it", () => {
  const { data, width } = readPng(GOLDEN),
    pixel = (x: number, y: number) => [...data.slice(4 * (y * width + x))].slice(0, 3);
  assertEquals(pixel(230, 135), [255, 242, 209]);
  assert(new Set(Array.from({ length: 60 }, (_, index) => pixel(470 + 3 * index, 180).join())).size > 30);
  const [red, , blue] = pixel(600, 520);
  assert(blue > red);
});

const MESA = needs(mesa.part, mesa.found || undefined);

Deno.test("examples/gles.ts writes the golden picture and says what drew it", MESA, () => {
  withFolder((folder) => {
    const { code, output } = runProgram("examples/gles.ts", [`--out=${folder}/gles.png`, "--driver=libEGL_mesa.so.0"]);
    assertEquals(code, 0, output);
    assertMatch(output, /gles\.png: 960×540, OpenGL ES 3\.\d.* on \S+/);
    assertGolden(readPng(`${folder}/gles.png`), "program");
  });
});

Deno.test("examples/gles.ts ends with a sentence where it cannot draw", () => {
  for (
    const [args, wanted, said] of [
      [["--driver=/no/such/libEGL.so"], 1, "/no/such/libEGL.so"],
      [["--version=4.0"], 2, "write one of 1.1, 2.0, 3.0, 3.1"],
      [["--size=big"], 2, "WIDTHxHEIGHT"],
      [["--colour"], 2, "options: --driver, --version, --size, --out"],
    ] as const
  ) {
    const { code, output } = runProgram("examples/gles.ts", args);
    assertEquals(code, wanted, output);
    assertStringIncludes(output, said);
    assert(!output.includes("    at "), output);
  }
});
