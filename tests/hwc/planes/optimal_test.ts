import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { planText } from "../../../hwc/planes/frame_plan.ts";
import type { FramePlan } from "../../../hwc/planes/frame_plan.ts";
import type { Plane, PlaneLayer, PlaneModel } from "../../../hwc/planes/plane.ts";
import { clientOnly, firstLayers, leastGpuWork } from "../../../hwc/planes/strategy.ts";
import { BLEND, COMPOSITION, FORMAT } from "../../../hwc/types.ts";
import { leastWork, showsTheSame } from "./brute_force.ts";
import { rect } from "./scenes.ts";

const SCREEN = rect(0, 0, 6, 4);

const frame = fc.tuple(fc.nat(4), fc.nat(2), fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 4 }))
  .map(([left, top, width, height]) => rect(left, top, Math.min(6, left + width), Math.min(4, top + height)));

const layer = fc.record({
  displayFrame: frame,
  composition: fc.constantFrom(COMPOSITION.DEVICE, COMPOSITION.DEVICE, COMPOSITION.DEVICE, COMPOSITION.CLIENT),
  format: fc.constantFrom(FORMAT.RGBX_8888, FORMAT.RGBA_8888, FORMAT.RGBA_8888),
  blend: fc.constantFrom(BLEND.NONE, BLEND.PREMULTIPLIED, BLEND.PREMULTIPLIED, BLEND.COVERAGE),
  planeAlpha: fc.constantFrom(1, 1, 0.5),
  transform: fc.constantFrom(0, 0, 0, 4),
  scale: fc.constantFrom(1, 1, 1, 2),
});

const layers = fc.array(layer, { minLength: 1, maxLength: 8 }).map((all) => all.map(toLayer));

function toLayer(from: typeof layer extends fc.Arbitrary<infer Found> ? Found : never, z: number): PlaneLayer {
  const { displayFrame, format, scale, transform, composition, blend, planeAlpha } = from;
  const across = (displayFrame.right - displayFrame.left) * scale,
    down = (displayFrame.bottom - displayFrame.top) * scale;
  const [width, height] = transform & 4 ? [down, across] : [across, down];
  const buffer = { width, height, format, usage: 0n }, sourceCrop = rect(0, 0, width, height);
  return {
    name: `L${z}`,
    z,
    dataspace: 0,
    buffer,
    sourceCrop,
    displayFrame,
    transform,
    composition,
    blend,
    planeAlpha,
  };
}

const plane: fc.Arbitrary<Plane> = fc.record({
  name: fc.constant(""),
  tier: fc.nat(2),
  formats: fc.constantFrom([1, 2], [1, 2], [2], [1]),
  scaling: fc.constantFrom(undefined, { min: 0.5, max: 2 }),
  transforms: fc.constantFrom([0], [0, 4]),
  blends: fc.constantFrom([BLEND.NONE, BLEND.PREMULTIPLIED], [BLEND.NONE], [1, 2, 3]),
  planeAlpha: fc.boolean(),
});

const model: fc.Arbitrary<PlaneModel> = fc.record({
  name: fc.constant("any"),
  planes: fc.array(plane, { minLength: 1, maxLength: 4 }).map((all) =>
    // Somewhere the client target must go.
    [{ name: "primary", tier: 0, formats: [1, 2], blends: [1, 2] }, ...all].map((one, at) => ({
      ...one,
      name: `p${at}`,
    }))
  ),
  scalers: fc.constantFrom(undefined, 1),
  rotators: fc.constantFrom(undefined, 1),
  bandwidth: fc.constantFrom(undefined, 1.5, 2.5),
});

/** Neither hidden nor transparent: what is left is what every way of composing has to show. */
function isPlain(all: readonly PlaneLayer[]): boolean {
  const { decisions } = clientOnly().plan(all, { name: "none", planes: [primary] }, SCREEN);
  return decisions.every(({ given }) => given === COMPOSITION.CLIENT);
}

const primary: Plane = { name: "primary", tier: 0, formats: [1] };

function assertRight(all: readonly PlaneLayer[], plan: FramePlan): void {
  const holes = new Set(plan.decisions.flatMap(({ clearsTarget }, index) => clearsTarget ? [index] : []));
  const stack = plan.stack.map(({ layer }) => layer);
  assert(showsTheSame(all, stack, holes, SCREEN), planText(plan));
  assertEquals(new Set(plan.stack.map(({ plane }) => plane)).size, plan.stack.length, "each plane shows one layer");
}

Deno.test("leastGpuWork() leaves the GPU no more than the best of all ways would", () => {
  fc.assert(
    fc.property(layers, model, (all, planes) => {
      fc.pre(isPlain(all));
      const plan = leastGpuWork().plan(all, planes, SCREEN);
      assertEquals(plan.gpuWork, leastWork(all, planes, SCREEN), planText(plan));
      assertEquals(plan.isCutShort, false);
    }),
    { numRuns: 250 },
  );
});

Deno.test("every strategy's planes show what all layers over each other show", () => {
  const all = fc.array(layer, { minLength: 1, maxLength: 14 }).map((some) => some.map(toLayer));
  fc.assert(
    fc.property(all, model, fc.nat(5), (layers, planes, most) => {
      fc.pre(isPlain(layers));
      for (const strategy of [clientOnly(), firstLayers(most), leastGpuWork()]) {
        assertRight(layers, strategy.plan(layers, planes, SCREEN));
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("every strategy explains every layer", () => {
  fc.assert(
    fc.property(layers, model, fc.nat(5), (all, planes, most) => {
      for (const strategy of [clientOnly(), firstLayers(most), leastGpuWork()]) {
        for (const { reason, given, plane } of strategy.plan(all, planes, SCREEN).explain()) {
          const start = plane !== undefined
            ? `${plane} shows it`
            : given === COMPOSITION.CLIENT
            ? "the client"
            : "it needs no plane: ";
          assert(reason.startsWith(start) && !reason.includes("undefined"), reason);
        }
      }
    }),
    { numRuns: 100 },
  );
});

Deno.test("leastGpuWork() plans more layers than there are bits, the lowest for the client", () => {
  const all = Array.from(
    { length: 40 },
    (_, z) => toLayer({ ...plainLayer, displayFrame: rect(z % 6, z % 4, z % 6 + 1, z % 4 + 1) }, z),
  );
  const planes = { name: "two", planes: [primary, { ...primary, name: "overlay", tier: 1 }] };
  const plan = leastGpuWork().plan(all, planes, SCREEN);
  assertEquals(plan.decisions.slice(0, 9).every(({ given }) => given === COMPOSITION.CLIENT), true);
  assertRight(all, plan);
  assertEquals(plan.stack.length, 2);
});

const plainLayer: Omit<Parameters<typeof toLayer>[0], "displayFrame"> = {
  composition: COMPOSITION.DEVICE,
  format: FORMAT.RGBA_8888,
  blend: BLEND.PREMULTIPLIED,
  planeAlpha: 1,
  transform: 0,
  scale: 1,
};
