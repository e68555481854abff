import { eightPlane } from "../../hwc/planes/models.ts";
import type { PlaneLayer } from "../../hwc/planes/plane.ts";
import { leastGpuWork } from "../../hwc/planes/strategy.ts";
import { BLEND, COMPOSITION, FORMAT } from "../../hwc/types.ts";
import type { Figure } from "../figure.ts";
import { median } from "../measure.ts";

const SCREEN = { left: 0, top: 0, right: 1920, bottom: 1080 };
const SCENES = 300, WARM = 100;

/** Numbers that look random and are the same every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = Math.imul(state, 1103515245) + 12345 & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

/** A scene that is hard to plan: layers anywhere, some translucent, some scaled, some for the client. */
function scene(count: number, seed: number): PlaneLayer[] {
  const next = numbers(seed);
  return Array.from({ length: count }, (_, z): PlaneLayer => {
    const left = next(1500), top = next(800), width = 100 + next(1400), height = 60 + next(900);
    const isOpaque = next(3) === 0, scale = next(4) === 0 ? 2 : 1;
    return {
      z,
      name: `layer ${z}`,
      buffer: { width, height, format: isOpaque ? FORMAT.RGBX_8888 : FORMAT.RGBA_8888, usage: 0n },
      composition: next(8) === 0 ? COMPOSITION.CLIENT : COMPOSITION.DEVICE,
      blend: isOpaque ? BLEND.NONE : BLEND.PREMULTIPLIED,
      planeAlpha: 1,
      transform: 0,
      sourceCrop: { left: 0, top: 0, right: width, bottom: height },
      displayFrame: { left, top, right: left + width * scale, bottom: top + height * scale },
      dataspace: 0,
    };
  });
}

/** Milliseconds of each of many plans for so many layers, sorted. */
function times(count: number): number[] {
  const strategy = leastGpuWork(), model = eightPlane(), found: number[] = [];
  for (let turn = 0; turn < WARM + SCENES; turn++) {
    const layers = scene(count, 1 + turn), start = performance.now();
    strategy.plan(layers, model, SCREEN);
    if (turn >= WARM) found.push(performance.now() - start);
  }
  return found.sort((one, other) => one - other);
}

/** The time to find the planes for a frame. */
export function planeFigures(): Figure[] {
  const eight = times(8), many = times(32);
  return [
    {
      name: "planes_8_ms",
      meaning: "the best planes for 8 layers, of 300 scenes the median",
      value: median(eight),
      unit: "ms",
    },
    { name: "planes_32_ms", meaning: "planes for 32 layers, the median", value: median(many), unit: "ms", goal: 1 },
    {
      name: "planes_32_p95_ms",
      meaning: "the same, 19 of 20 are quicker",
      value: many[many.length * 19 / 20 | 0],
      unit: "ms",
    },
  ];
}
