import { assertEquals } from "@std/assert";
import { createPixmanBackend } from "../../../../hwc/backends/create.ts";
import { shownPart, stepOf } from "../../../../hwc/backends/plan/drawing_plan.ts";
import type { Source, Step } from "../../../../hwc/backends/plan/step.ts";
import { surfaceOf } from "../../../../hwc/backends/surface.ts";
import { FORMAT, type Rect, TRANSFORM } from "../../../../hwc/types.ts";
import { assertSamePixels, layerOf, PIXMAN } from "../canvas.ts";
import { noiseBuffer } from "../scene.ts";

const rect = (left: number, top: number, right: number, bottom: number): Rect => ({ left, top, right, bottom });

/** A step of a picture of 200×100, of which one part is shown. */
function shown(displayFrame: Rect, part: Rect, transform = 0): { step: Step; source: Source; whole: Step } {
  using buffer = noiseBuffer(FORMAT.RGBA_8888, 200, 100, 1), target = noiseBuffer(FORMAT.RGBA_8888, 640, 480, 1);
  const surface = surfaceOf(target);
  if (typeof surface === "string") throw new Error(surface);
  const whole = stepOf(layerOf(buffer, { displayFrame, transform }), 0, surface, {}) as Step;
  const step = shownPart({ ...whole, rects: [part] });
  return { step, source: step.source!, whole };
}

Deno.test("shownPart() cuts a picture of the frame's size to what is shown, and moves the frame with it", () => {
  const { step, source } = shown(rect(10, 20, 210, 120), rect(50, 30, 60, 50));
  assertEquals([source.across, source.down, source.map.ox, source.map.oy], [10, 20, 40, 10]);
  assertEquals([step.frame.left, step.frame.top], [50, 30]);
});

Deno.test("shownPart() keeps the pixels that an interpolated part reads, and the frame where it was", () => {
  const { step, source, whole } = shown(rect(0, 0, 400, 200), rect(100, 100, 120, 102));
  assertEquals([step.frame, source.horizontal.step], [whole.frame, whole.source!.horizontal.step]);
  // The pixels 100 to 119 of 400 are interpolated between 49 to 60 of 200; two beside them are kept.
  assertEquals([source.map.ox, source.across, source.map.oy, source.down], [47, 16, 47, 7]);
  assertEquals(source.horizontal.start, whole.source!.horizontal.start - 47 * 65536);
});

Deno.test("shownPart() follows the rows of a turned picture through the columns of the buffer", () => {
  const { source } = shown(rect(0, 0, 100, 200), rect(0, 0, 100, 50), TRANSFORM.ROT_90);
  assertEquals([source.across, source.down], [100, 50]);
  const upper = [source.map.ox, source.map.ox + 49 * source.map.xj].sort((a, b) => a - b);
  assertEquals(upper, [0, 49]);
});

Deno.test("shownPart() reads nothing beyond the edges of the picture", () => {
  const { source } = shown(rect(0, 0, 40, 20), rect(0, 0, 40, 20));
  assertEquals([source.map.ox, source.map.oy, source.across, source.down], [0, 0, 200, 100]);
});

Deno.test(
  "pixman draws turned, scaled and YUV pictures the same in parts as at once",
  { ignore: PIXMAN.ignore },
  () => {
    using backend = createPixmanBackend();
    for (const [index, format] of [FORMAT.YCBCR_420_888, FORMAT.RGBX_8888].entries()) {
      using buffer = noiseBuffer(format, 150, 90, 3);
      for (let transform = 0; transform < 8; transform++) {
        for (const displayFrame of [rect(-20, 10, 250, 150), rect(5, 3, 5 + (transform & 4 ? 90 : 150), 60)]) {
          using whole = noiseBuffer(FORMAT.RGBA_8888, 201, 163, 7), parts = noiseBuffer(FORMAT.RGBA_8888, 201, 163, 7);
          const layer = layerOf(buffer, { displayFrame, transform });
          backend.compose(whole, [layer]);
          for (
            const part of [rect(0, 0, 67, 163), rect(67, 0, 201, 41 + transform), rect(67, 41 + transform, 201, 163)]
          ) {
            backend.compose(parts, [layer], { damage: [part] });
          }
          assertSamePixels(parts, whole, `format ${index}, transform ${transform}`);
        }
      }
    }
  },
);
