/**
 * Frames a second that the Vulkan composition backend makes on a driver's
 * device, as JSON. Each scene is first compared with the TypeScript backend:
 * `wrong_pixels` must be 0.
 *
 * Options: `--driver PATH` a driver or manifest (default: the best of this
 * machine), `--device NAME` a part of the device's name, `--size WIDTHxHEIGHT`
 * (default 3840x2160), `--layers N` (default 8), `--frames N` (default 240),
 * `--copies` without memory import, `--generic` without specialised shaders.
 * Exit codes: 0 good, 1 wrong pixels, 2 wrong options.
 *
 * Scenes: `all_new` a desktop whose layers all have new content in each frame;
 * `steady` the same with only video and cursor new; `damage` the same with only
 * the video's frame drawn again; `full_new` and `full_steady` as many layers as
 * large as the screen, all see-through.
 *
 * @module
 */
import { parseArgs } from "node:util";
import type { ComposeOptions } from "../../hwc/backends/backend.ts";
import type { ComposeLayer } from "../../hwc/backends/compose_layer.ts";
import { createTsBackend } from "../../hwc/backends/create.ts";
import { backendOf } from "../../hwc/backends/compose.ts";
import { openComposeDevice } from "../../hwc/backends/vulkan/device.ts";
import { VulkanPainter } from "../../hwc/backends/vulkan/painter.ts";
import { loadVulkan } from "../../loader/mod.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { median } from "../measure.ts";
import { fullLayers, manyLayers, steady } from "./scene.ts";

/** Frames before the measured ones. */
const WARM_UP = 10;

const options = optionsOf(), [width, height] = sizeOf(options.size), count = countOf("layers", options.layers);
const frames = countOf("frames", options.frames);
using vulkan = loadVulkan({ driver: options.driver ?? "auto" });
const device = openComposeDevice(vulkan, {
  ...(options.device ? { device: options.device } : {}),
  hostImport: !options.copies,
  specialise: !options.generic,
});
using backend = backendOf("vulkan", [new VulkanPainter(device)]);
using judge = createTsBackend();

const { name, importAlignment, deviceMemory } = device, scenes: Record<string, object> = {};
let wrongPixels = 0;
{
  using desktop = manyLayers(width, height, count);
  const video = desktop.layers.find((layer) => layer.name === "video");
  scenes.all_new = measure(desktop.target, desktop.layers);
  scenes.steady = measure(desktop.target, steady(desktop.layers, ["video", "cursor"]));
  if (video) {
    scenes.damage = measure(desktop.target, steady(desktop.layers, ["video"]), { damage: [video.displayFrame] });
  }
}
{
  using full = fullLayers(width, height, count);
  scenes.full_new = measure(full.target, full.layers);
  scenes.full_steady = measure(full.target, steady(full.layers, []));
}
const setup = {
  device: name,
  size: `${width}x${height}`,
  layers: count,
  frames,
  imports: importAlignment > 0,
  device_memory: deviceMemory,
};
console.log(JSON.stringify({ ...setup, wrong_pixels: wrongPixels, scenes }, null, 2));
Deno.exitCode = wrongPixels === 0 ? 0 : 1;

/** Times of frames that differ only in what the layers report of their buffers. */
function measure(target: GraphicBuffer, layers: readonly ComposeLayer[], composeOptions: ComposeOptions = {}): object {
  const start = performance.now();
  backend.compose(target, layers, composeOptions);
  const first = performance.now() - start;
  const wrong = differences(target, layers, composeOptions);
  wrongPixels += wrong;
  for (let n = 0; n < WARM_UP; n++) backend.compose(target, layers, composeOptions);
  const began = performance.now();
  const times = Array.from({ length: frames }, () => backend.compose(target, layers, composeOptions).milliseconds);
  const perSecond = 1000 * frames / (performance.now() - began),
    round = (value: number) => Number(value.toPrecision(4));
  const sorted = [...times].sort((a, b) => a - b);
  return {
    frames_per_second: round(perSecond),
    median_ms: round(median(times)),
    best_ms: round(sorted[0]),
    worst_ms: round(sorted[sorted.length - 1]),
    first_ms: round(first),
    wrong_pixels: wrong,
  };
}

/** Pixels that the TypeScript backend draws otherwise. */
function differences(target: GraphicBuffer, layers: readonly ComposeLayer[], composeOptions: ComposeOptions): number {
  const drawn = snapshot(target);
  judge.compose(target, layers, composeOptions);
  const expected = snapshot(target);
  return drawn.reduce((sum, word, n) => sum + Number((word & 0xffffff) !== (expected[n] & 0xffffff)), 0);
}

function snapshot(target: GraphicBuffer): Uint32Array {
  const bytes = target.lock();
  const words = new Uint32Array(bytes.slice().buffer);
  target.unlock();
  return words;
}

function optionsOf() {
  try {
    return parseArgs({
      options: {
        driver: { type: "string" },
        device: { type: "string" },
        size: { type: "string", default: "3840x2160" },
        layers: { type: "string", default: "8" },
        frames: { type: "string", default: "240" },
        copies: { type: "boolean", default: false },
        generic: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function sizeOf(text: string): [number, number] {
  const match = /^(\d+)x(\d+)$/.exec(text);
  const size = match ? [Number(match[1]), Number(match[2])] : [];
  if (size.length === 2 && size.every((side) => side >= 64 && side <= 16384)) return [size[0], size[1]];
  return refuse(`--size is "${text}"; write WIDTHxHEIGHT with sides from 64 to 16384`);
}

function countOf(option: string, text: string): number {
  const number = Number(text);
  return Number.isInteger(number) && number > 0
    ? number
    : refuse(`--${option} is "${text}"; write a whole number from 1 up`);
}

function refuse(message: string): never {
  console.error(message);
  Deno.exit(2);
}
