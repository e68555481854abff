import { NativeBlock } from "../../ffi/block.ts";
import { copyMemory } from "../../ffi/machine.ts";
import type { ComposeOptions, CompositionBackend } from "../../hwc/backends/backend.ts";
import { backendOf } from "../../hwc/backends/compose.ts";
import type { ComposeLayer } from "../../hwc/backends/compose_layer.ts";
import { createPixmanBackend, createThreadedBackend, createTsBackend } from "../../hwc/backends/create.ts";
import { createVulkanBackend } from "../../hwc/backends/own_vulkan.ts";
import { openPixelLibraries } from "../../hwc/backends/pixman/library.ts";
import { PixmanPainter } from "../../hwc/backends/pixman/painter.ts";
import type { Rect } from "../../hwc/types.ts";
import { libyuvPath, pixmanPath } from "../../tools/setup/parts.ts";
import { compileC } from "../../tests/support/compile.ts";
import type { Figure } from "../figure.ts";
import { RecordedCalls } from "../hwc/recorded.ts";
import { type BenchScene, homeScene, manyLayers } from "../hwc/scene.ts";
import { compare, type Work } from "../measure.ts";
import type { Parts } from "../parts.ts";

/** Frames of one measurement. */
const TIMES = 3, FEW = 1;
/** Frames after which V8 has compiled what little damage takes: a home screen draws its clock again for hours. */
const WARM = 1000;
const ALL: ComposeOptions = { cull: false };

/** The composition backends on a memory binding screen of 1920×1080: beside C, beside each other, and what culling and damage save. */
export function composeFigures({ lavapipe }: Parts): Figure[] {
  if (!pixmanPath() || !libyuvPath()) throw new Error("Cannot measure without pixman and libyuv: run deno task setup");
  const c = compositionInC(), calls = new RecordedCalls(openPixelLibraries());
  using pixman = backendOf("pixman", [new PixmanPainter(calls.libraries)]);
  using ts = createTsBackend();
  using scene = homeScene(1);
  pixman.compose(scene.target, scene.layers, ALL); // memory that grows has grown
  calls.isOn = true;
  pixman.compose(scene.target, scene.layers, ALL);
  calls.isOn = false;
  const inC: Work = (times) => c.compose_play(calls.block.address, calls.count, times);
  const figures = [
    ...besideC(scene, pixman, ts, inC),
    ...savings(scene, pixman),
    ...threaded(scene),
    specialised(lavapipe),
  ];
  calls.block.close();
  return figures;
}

function besideC(scene: BenchScene, pixman: CompositionBackend, ts: CompositionBackend, inC: Work): Figure[] {
  const { target, layers } = scene, quick = compare(frames(pixman, target, layers, ALL), inC, TIMES);
  const rows = compare(frames(ts, target, layers, ALL), inC, FEW);
  const scenery = "all five layers of a home screen, 1920×1080";
  return [
    {
      name: "compose_pixman_ms",
      meaning: `${scenery}, by pixman and libyuv from TypeScript`,
      value: quick.ours / 1e6,
      unit: "ms",
    },
    { name: "compose_c_ms", meaning: "the same calls from C", value: quick.theirs / 1e6, unit: "ms" },
    { name: "compose_pixman_vs_c", meaning: "ratio of the two", value: quick.ratio, unit: "×", goal: 1.05 },
    { name: "compose_ts_ms", meaning: `${scenery}, by TypeScript alone`, value: rows.ours / 1e6, unit: "ms" },
    { name: "compose_ts_vs_c", meaning: "over the C program", value: rows.ratio, unit: "×", goal: 4 },
  ];
}

/** The gain by culling, and by damage in addition. */
function savings({ target, layers }: BenchScene, pixman: CompositionBackend): Figure[] {
  const culled = frames(pixman, target, layers), video = layers[4].displayFrame;
  const part = (damage: Rect) => frames(pixman, target, layers, { damage: [damage] });
  const share = (one: Work, other: Work) => compare(one, other, TIMES).ratio;
  const clock = part({ left: 1780, top: 8, right: 1900, bottom: 56 });
  clock(WARM);
  const figure = (name: string, meaning: string, value: number, goal: number) => ({
    name,
    meaning,
    value,
    unit: "×",
    goal,
  });
  return [
    figure(
      "compose_culled_share",
      "hidden layers left out, over all drawn",
      share(culled, frames(pixman, target, layers, ALL)),
      0.55,
    ),
    figure("compose_clock_share", "the clock's 120×48 drawn again, over the frame", share(clock, culled), 0.01),
    figure("compose_video_share", "the video drawn again, over the frame", share(part(video), culled), 0.75),
  ];
}

/** Two threads: beside one, and beside the least that a picture of 3840×2160 can cost. Two idle cores are needed. */
function threaded({ target, layers }: BenchScene): Figure[] {
  using two = createThreadedBackend(), one = createPixmanBackend(), large = homeScene(2);
  using copied = new NativeBlock(large.target.memory.size);
  const shared = compare(frames(two, target, layers, ALL), frames(one, target, layers, ALL), TIMES).ratio;
  const { address, size } = large.target.memory;
  const copying: Work = (times) => {
    for (let n = 0; n < times; n++) copyMemory(copied.address, address, size);
  };
  const beside = compare(frames(two, large.target, large.layers), copying, TIMES).ratio;
  return [
    {
      name: "compose_threads_share",
      meaning: "two threads, all layers drawn, over one",
      value: shared,
      unit: "×",
      goal: 0.6,
    },
    {
      name: "compose_uhd_vs_copy",
      meaning: "3840×2160 on two threads, over a copy of it",
      value: beside,
      unit: "×",
      goal: 3.5,
    },
  ];
}

function specialised(driver: string): Figure {
  using scene = manyLayers(640, 360, 8);
  using baked = createVulkanBackend({ driver }), generic = createVulkanBackend({ driver, specialise: false });
  const { ratio } = compare(
    frames(baked, scene.target, scene.layers),
    frames(generic, scene.target, scene.layers),
    FEW,
  );
  const meaning = "lavapipe, shaders compiled for the layers there are, over those for any";
  return { name: "compose_vulkan_specialised", meaning, value: ratio, unit: "×", goal: 0.33 };
}

function frames(
  backend: CompositionBackend,
  target: BenchScene["target"],
  layers: readonly ComposeLayer[],
  options: ComposeOptions = {},
): Work {
  return (times) => {
    for (let n = 0; n < times; n++) backend.compose(target, layers, options);
  };
}

function compositionInC() {
  const path = compileC(new URL("../c/compose.c", import.meta.url));
  if (!path) throw new Error("Cannot compile bench/c/compose.c: install a C compiler (deno task setup)");
  const { symbols } = Deno.dlopen(path, {
    compose_open: { parameters: [], result: "i32" }, // int compose_open(void)
    compose_play: { parameters: ["u64", "u32", "u32"], result: "void" }, // (const int64_t *calls, uint32_t count, times)
  });
  if (symbols.compose_open() === 0) throw new Error("Cannot measure: C does not find pixman and libyuv");
  return symbols;
}
