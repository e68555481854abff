import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { BandPainter, bandsOf, paintBands, WORD } from "../../../hwc/backends/bands/band.ts";
import { createThreadedBackend, createTsBackend } from "../../../hwc/backends/create.ts";
import { CompositionError } from "../../../hwc/backends/backend.ts";
import { planDrawing } from "../../../hwc/backends/plan/drawing_plan.ts";
import type { Painter } from "../../../hwc/backends/plan/step.ts";
import { areaOfAll } from "../../../hwc/rects.ts";
import { DATASPACE, FORMAT } from "../../../hwc/types.ts";
import { assertSamePixels, layerOf, memoryOf, PIXMAN } from "./canvas.ts";
import { noiseBuffer, sceneCount, scenes, withScene } from "./scene.ts";

for (const painter of ["pixman", "ts"] as const) {
  Deno.test(`${painter} on three threads draws what ts draws`, { ignore: PIXMAN.ignore }, () => {
    using ours = createThreadedBackend({ painter, threads: 3, leastPixels: 0 }), theirs = createTsBackend();
    const formats = [FORMAT.RGBA_8888, FORMAT.RGB_565, FORMAT.YCBCR_420_888, FORMAT.YCRCB_420_SP];
    const property = fc.property(
      scenes(formats, [FORMAT.RGBA_8888], [0, DATASPACE.V0_BT709]),
      (plan) =>
        withScene(plan, (scene) => {
          const { width, height } = plan, options = { dataspace: painter === "ts" ? DATASPACE.DISPLAY_P3 : 0 };
          using a = noiseBuffer(FORMAT.RGBA_8888, width, height, 7),
            b = noiseBuffer(FORMAT.RGBA_8888, width, height, 7);
          const layers = scene.filter((layer) => ours.can(layer, a, options) === true);
          ours.compose(a, layers, options);
          theirs.compose(b, layers, options);
          assertSamePixels(a, b, "on threads and on one");
        }),
    );
    fc.assert(property, { numRuns: sceneCount(60) });
  });
}

Deno.test("bandsOf() gives every pixel to one band", () => {
  using target = noiseBuffer(FORMAT.RGBA_8888, 7, 11, 1), buffer = noiseBuffer(FORMAT.RGBA_8888, 7, 5, 1);
  const frame = { left: 1, top: 2, right: 8, bottom: 7 };
  const { steps, area, background, rule } = planDrawing(target, [layerOf(buffer, { displayFrame: frame })]);
  const run = { steps, area, background, rule, isFirst: true, backgroundColor: [0, 0, 0, 0] as const };
  const bands = bandsOf(run, 3),
    count = (rects: (band: typeof bands[0]) => typeof area) =>
      bands.reduce((sum, band) => sum + areaOfAll(rects(band)), 0);
  assertEquals(bands.map(({ area: [rect] }) => [rect.top, rect.bottom]), [[0, 4], [4, 7], [7, 11]]);
  assertEquals(count((band) => band.area), 77);
  assertEquals(count((band) => band.background), 77 - 30);
  assertEquals(count((band) => band.steps.flatMap(({ rects }) => rects)), 30);
});

Deno.test("paintBands() paints what nobody has taken, and nothing of a frame that is over", () => {
  using target = noiseBuffer(FORMAT.RGBA_8888, 4, 12, 1);
  const { area, background, rule, target: surface } = planDrawing(target, []), painted: number[] = [];
  const run = { steps: [], area, background, rule, isFirst: true, backgroundColor: [0, 0, 0, 0] as const };
  const painter = { paint: (_: unknown, { area: [rect] }: { area: typeof area }) => void painted.push(rect.top) };
  const control = new Int32Array(new SharedArrayBuffer(512)), last = 2 ** 31 - 2; // numbers begin again behind the last
  const paint = (first: number) =>
    paintBands({ target: surface, run, first, count: 4 }, painter as unknown as Painter, control);
  control[WORD.NEXT] = last + 1; // another thread has the first band
  assertEquals([paint(last), painted, control[WORD.DONE]], [undefined, [3, 6, 9], 3]);
  assertEquals([paint(last), paint(last - 4), painted.length, control[WORD.DONE]], [undefined, undefined, 3, 3]);
  assertEquals([paint(control[WORD.NEXT]), painted.length], [undefined, 7]);
});

Deno.test("paint() on threads tells of a failure on any of them, and goes on", () => {
  using painter = new BandPainter("ts", 2, 0), target = noiseBuffer(FORMAT.RGBA_8888, 4, 4, 1);
  using buffer = noiseBuffer(FORMAT.RGBA_8888, 4, 2, 1);
  const layer = layerOf(buffer, { displayFrame: { left: 0, top: 2, right: 4, bottom: 4 } });
  const { steps: [step], area, target: surface } = planDrawing(target, [layer]);
  const run = {
    steps: [step],
    area,
    background: [],
    rule: "p" as const,
    isFirst: true,
    backgroundColor: [1, 1, 1, 1] as const,
  };
  // No view can be had of address 0, whichever thread takes the layer's band.
  const source = { ...step.source!, surface: { ...step.source!.surface, address: 0n } };
  const paint = () => painter.paint(surface, { ...run, steps: [{ ...step, source }] });
  assertThrows(paint, CompositionError, "Cannot compose: a thread failed: TypeError");
  painter.paint(surface, { ...run, steps: [], background: area });
  assertEquals(memoryOf(target).getUint32(3 * target.rowPitch + 12), 0xffffffff);
});
