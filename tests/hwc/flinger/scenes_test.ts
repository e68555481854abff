import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { onePlane, videoPlane } from "../../../hwc/planes/models.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import { blank, flat, reference, Stage, type StageOptions } from "./stage.ts";

interface Scene {
  readonly color: readonly number[];
  readonly size: readonly [number, number];
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly alpha: number;
}

/** Layers of one colour each, that may hide one another or lie partly outside. */
function scenes(isOpaque: boolean) {
  const byte = fc.integer({ min: 0, max: 255 });
  const color = fc.tuple(byte, byte, byte, byte).map(([r, g, b, a]) =>
    isOpaque ? [r, g, b, 255] : [r, g, b].map((value) => Math.min(value, a)).concat(a)
  );
  return fc.array(
    fc.record({
      color,
      size: fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 30 })),
      x: fc.integer({ min: -10, max: 31 }),
      y: fc.integer({ min: -10, max: 23 }),
      z: fc.integer({ min: -2, max: 2 }),
      alpha: isOpaque ? fc.constant(1) : fc.constantFrom(1, 0.5, 0.25),
    }),
    { maxLength: 6 },
  );
}

function shows(scene: readonly Scene[], options: StageOptions): void {
  using stage = new Stage(options);
  for (const { color, size, x, y, z, alpha } of scene) stage.layer("", size, color, { position: { x, y }, z, alpha });
  stage.vsyncs(3);
  const buffers = scene.map(({ size: [width, height] }) => blank(width, height));
  const expected = reference(scene.map(({ color, size, x, y, z, alpha }, n) => {
    const displayFrame = { left: x, top: y, right: x + size[0], bottom: y + size[1] };
    return flat(buffers[n], color, z, { displayFrame, planeAlpha: alpha });
  }));
  const shown = stage.screen();
  for (const buffer of buffers) buffer.close();
  assertEquals(shown, expected);
  assertEquals(stage.said, []);
}

for (
  const [name, isOpaque, options] of [
    ["all kinds on the client", false, { strategy: clientOnly() }],
    ["opaque layers on one plane", true, { planes: onePlane() }],
    ["opaque layers on a video plane and others", true, { planes: videoPlane() }],
  ] as const
) {
  Deno.test(`random scenes, ${name}, are what the reference backend makes of all layers`, () => {
    fc.assert(fc.property(scenes(isOpaque), (scene) => shows(scene, options)), { numRuns: 40, seed: 7 });
  });
}

Deno.test("a screen that rests is flattened once, and then nothing wakes", () => {
  using stage = new Stage({ flattenAfter: 100 });
  stage.layer("below", [32, 24], [255, 0, 0, 255]);
  stage.layer("above", [8, 8], [0, 255, 0, 255], { z: 1 });
  stage.vsyncs(100);
  const { wakes, vsyncs } = stage.flinger.statistics;
  assertEquals(
    [wakes, stage.flinger.displays[0].clientFrames],
    [2, 1],
    "the frame, and the one that the composer asks for",
  );
  stage.vsyncs(200);
  assertEquals([stage.flinger.statistics.wakes, stage.flinger.statistics.vsyncs], [wakes, vsyncs]);
  assertEquals([stage.pixel(1, 1), stage.pixel(20, 20)], [[0, 255, 0], [255, 0, 0]]);
});
