import { assert, assertEquals, assertMatch } from "@std/assert";
import { needs } from "../support/require.ts";
import { mesa } from "../egl/drivers.ts";
import { assertNear, picture, runExample } from "./example.ts";

const BACKGROUND = [26, 31, 51];

Deno.test(
  "examples/gles_layer.ts draws a ball, and its triangles below a layer",
  needs(mesa.part, mesa.found || undefined),
  () => {
    const { code, stdout, stderr, output } = runExample("gles_layer.ts");
    assertEquals([code, stderr], [0, ""], output);
    assertMatch(stdout, /^out\/gles_layer\.png was drawn by .+; the layer saw 576 triangles$/m);
    const { size, at } = picture("gles_layer");
    assertEquals(size, [640, 320]);
    assertNear(at(5, 5), BACKGROUND, 2);
    const covered = (left: number) => {
      const all = Array.from(
        { length: 10_000 },
        (_, index) => at(left + 110 + index % 100, 110 + Math.floor(index / 100)),
      );
      return all.filter((pixel) => pixel.some((value, index) => Math.abs(value - BACKGROUND[index]) > 8)).length /
        10_000;
    };
    assertEquals(covered(0), 1);
    assert(covered(320) > 0.02 && covered(320) < 0.6, `${covered(320)} of the right ball is covered`);
  },
);
