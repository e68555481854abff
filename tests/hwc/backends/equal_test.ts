/** Random scenes, drawn by different backends: not one pixel may differ. PUMICE_SCENES says how many. */
import fc from "fast-check";
import type { CompositionBackend } from "../../../hwc/backends/backend.ts";
import type { ComposeLayer } from "../../../hwc/backends/compose_layer.ts";
import { createCpuBackend, createReferenceBackend, createTsBackend } from "../../../hwc/backends/create.ts";
import { createVulkanBackend } from "../../../hwc/backends/own_vulkan.ts";
import { BLEND, FORMAT, type Rect } from "../../../hwc/types.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { assertSamePixels, type Candidate, LAVAPIPE, PIXMAN, SWIFTSHADER } from "./canvas.ts";
import { ALL, assertEqual, RGB, TARGETS, YUV } from "./compare.ts";
import { noiseBuffer, sceneCount, type ScenePlan, scenes, withScene } from "./scene.ts";

Deno.test("ts draws what the reference draws", () => {
  using ours = createTsBackend(), theirs = createReferenceBackend();
  assertEqual(ours, theirs, ALL, sceneCount(150));
});

Deno.test({
  name: "pixman draws what ts draws, also YUV",
  ignore: PIXMAN.ignore,
  fn() {
    using ours = PIXMAN.create(), theirs = createTsBackend();
    assertEqual(ours, theirs, RGB, sceneCount(300));
    assertEqual(ours, theirs, [FORMAT.RGBA_8888, ...YUV], sceneCount(150));
  },
});

const COPYING: Candidate = {
  ...LAVAPIPE,
  name: "vulkan on lavapipe, with copies,",
  create: () =>
    createVulkanBackend({ driver: lavapipePath()!, hostImport: false, layersAtOnce: 1, deviceMemory: true }),
};
const GENERIC: Candidate = {
  ...LAVAPIPE,
  name: "vulkan on lavapipe, not specialised,",
  create: () => createVulkanBackend({ driver: lavapipePath()!, specialise: false, layersAtOnce: 1 }),
};

const GENERIC_SWIFTSHADER: Candidate = {
  ...SWIFTSHADER,
  name: "vulkan on SwiftShader, not specialised,",
  create: () => createVulkanBackend({ driver: swiftshaderPath()!, specialise: false, layersAtOnce: 1 }),
};
const VULKAN: readonly [Candidate, number][] = [
  [LAVAPIPE, 6],
  [COPYING, 20],
  [GENERIC, 150],
  [SWIFTSHADER, 4],
  [GENERIC_SWIFTSHADER, 40],
];

for (const [candidate, usual] of VULKAN) {
  Deno.test({
    name: `${candidate.name} draws what ts draws`,
    ignore: candidate.ignore,
    fn() {
      using ours = candidate.create(), theirs = createTsBackend();
      assertEqual(ours, theirs, ALL, sceneCount(usual));
    },
  });
}

/** Draws scenes twice over the same junk, at once and in parts that overlap. */
function assertSameInParts(backend: CompositionBackend, numRuns: number): void {
  fc.assert(
    fc.property(scenes(ALL, TARGETS), (plan) => withScene(plan, (layers) => drawInParts(backend, plan, layers))),
    { numRuns },
  );
}

function drawInParts(backend: CompositionBackend, plan: ScenePlan, layers: ComposeLayer[]): void {
  const { width, height, targetFormat } = plan;
  using whole = noiseBuffer(targetFormat, width, height, 7), parts = noiseBuffer(targetFormat, width, height, 7);
  backend.compose(whole, layers);
  for (const damage of quarters(width, height)) backend.compose(parts, layers, { damage });
  assertSamePixels(parts, whole, "in parts and whole");
}

/** Rectangles that overlap and reach beyond the target, but cover it. */
function quarters(width: number, height: number): Rect[][] {
  const x = Math.floor(width / 3), y = Math.floor(height / 2);
  return [
    [{ left: -5, top: 0, right: x + 1, bottom: y + 2 }, { left: x, top: -9, right: width, bottom: y }],
    [{ left: 0, top: y, right: width + 5, bottom: height }],
  ];
}

for (const create of [createTsBackend, createReferenceBackend, createCpuBackend]) {
  Deno.test(`${create.name} draws the same in parts as at once`, () => {
    using backend = create();
    assertSameInParts(backend, sceneCount(60));
  });
}

Deno.test({
  name: "vulkan draws the same in parts as at once",
  ignore: LAVAPIPE.ignore,
  fn() {
    using backend = GENERIC.create();
    assertSameInParts(backend, sceneCount(30));
  },
});

Deno.test("the P-rule and exact arithmetic are the same where nothing is see-through in part or scaled", () => {
  using backend = createReferenceBackend();
  const opaque = scenes([FORMAT.RGBX_8888, FORMAT.RGB_888, FORMAT.BGRA_8888], [FORMAT.RGBA_8888]).map(
    (plan): ScenePlan => {
      const layers = plan.layers.map((layer) => ({
        ...layer,
        alpha: Math.round(layer.alpha),
        isExactSize: true,
        isSolid: false,
      }));
      return {
        ...plan,
        layers: layers.filter(({ format, blend }, n) => n === 0 || format !== FORMAT.BGRA_8888 || blend === 1),
      };
    },
  );
  fc.assert(
    fc.property(opaque, (plan) =>
      withScene(plan, (layers) => {
        // The first may let the background through in part: what is rounded once is rounded once by both.
        using a = noiseBuffer(FORMAT.RGBA_8888, plan.width, plan.height, 7);
        using b = noiseBuffer(FORMAT.RGBA_8888, plan.width, plan.height, 7);
        const straight = layers.filter(({ blend }) => blend !== BLEND.COVERAGE);
        backend.compose(a, straight);
        backend.compose(b, straight, { rule: "round-once" });
        assertSamePixels(a, b, "p and round-once");
      })),
    { numRuns: sceneCount(150) },
  );
});

Deno.test("a frame of several painters is the same as one of a single painter", () => {
  using mixed = createCpuBackend(), single = createReferenceBackend();
  assertEqual(mixed, single, ALL, sceneCount(60));
});
