import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { openGpu } from "../../../examples/draw/gpu.ts";
import { bakeColumns, BAKED_STRIDE } from "../../../examples/spin/bake.ts";
import { canvasOf } from "../../../examples/spin/canvas.ts";
import { FRAME_BYTES, writeFrame } from "../../../examples/spin/frame.ts";
import { isModeName } from "../../../examples/spin/modes.ts";
import { numberIn } from "../../../examples/spin/number.ts";
import { makeOffscreen } from "../../../examples/spin/offscreen.ts";
import { spinningColumns } from "../../../examples/spin/world.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import * as vk from "../../../loader/vk.ts";
import { lavapipePath, nvidiaManifest, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { difference, readPng } from "../../support/image.ts";
import { needs } from "../../support/require.ts";

const GOLDEN = new URL("../../../docs/window.png", import.meta.url).pathname;
const SIZE = { width: 640, height: 360 }, FRAME = 60;
const CANVAS = { ...SIZE, encodes: true, step: 1 / 255, numbered: false };
const NVIDIA = nvidiaManifest();
const DRIVERS = [
  ["Mesa lavapipe", lavapipePath()],
  ["SwiftShader", swiftshaderPath()],
  ...NVIDIA ? [["NVIDIA", NVIDIA] as const] : [],
] as const;

/** Frames drawn off-screen, RGBA. */
function draw(driver: string, numbers: readonly number[], numbered = false): Uint8Array[] {
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const gpu = openGpu(instance.vkEnumeratePhysicalDevices()[0]), format = vk.VK_FORMAT_R8G8B8A8_UNORM;
  using _owned = gpu.owned;
  using offscreen = makeOffscreen(gpu, { extent: SIZE, format, bytesPerPixel: 4, numbered });
  return numbers.map((number) => offscreen.draw(number).slice());
}

for (const [name, driver] of DRIVERS) {
  Deno.test(`the island is the golden picture on ${name}`, needs(name, driver), () => {
    const [data] = draw(driver!, [FRAME]), { mean, off } = difference({ ...SIZE, data }, readPng(GOLDEN));
    assert(mean < 0.5 && off < 0.005, `mean ${mean} a channel, ${100 * off} % of the pixels off`);
  });

  Deno.test(`a frame is the same whenever it is drawn, and carries its number, on ${name}`, needs(name, driver), () => {
    const [first, other, again] = draw(driver!, [7, 40000, 7], true);
    assertEquals([numberIn(first), numberIn(other)], [7, 40000]);
    assert(first.every((byte, index) => byte === again[index]));
    assert(difference({ ...SIZE, data: first }, { ...SIZE, data: other }).mean > 1);
  });
}

Deno.test("bakeColumns() gives each column its place, and the parts that are seen from above and from below", () => {
  const columns = spinningColumns(), { vertices, indices, fromAbove, fromBelow } = bakeColumns(columns);
  assertEquals(vertices.byteLength / BAKED_STRIDE, 84 * columns.length);
  assertEquals([fromBelow.first, fromAbove.first + fromAbove.count], [0, indices.length]);
  const up = (index: number) => Math.sign(Math.round(vertices[12 * index + 5] * 100));
  const seen = (range: typeof fromAbove) => indices.subarray(range.first, range.first + range.count);
  assert(seen(fromAbove).length < indices.length && seen(fromBelow).length < indices.length);
  assert(indices.subarray(0, fromAbove.first).every((index) => up(index) === -1));
  assert(indices.subarray(fromBelow.count).every((index) => up(index) === 1));
  assert(vertices.every(Number.isFinite));
});

Deno.test("bakeColumns() refuses more columns than indices of 16 bits can count", () => {
  const [column] = spinningColumns();
  assertThrows(() => bakeColumns(Array(781).fill(column)), RangeError, "give 780 at most");
});

Deno.test("writeFrame() makes a frame of its number alone", () => {
  const [one, same, other] = [3, 3, 4].map((number) => {
    const constants = new Float32Array(FRAME_BYTES / 4);
    writeFrame(constants, number, CANVAS, 1);
    return constants;
  });
  assertEquals(one, same);
  assertNotEquals(one, other);
});

Deno.test("canvasOf() leaves encoding to the formats that do it, and refuses those it does not know", () => {
  const encodes = (format: vk.VkFormat, space: vk.VkColorSpaceKHR = vk.VK_COLOR_SPACE_SRGB_NONLINEAR_KHR) =>
    canvasOf(SIZE, format, space, false).encodes;
  assertEquals(encodes(vk.VK_FORMAT_R8G8B8A8_UNORM), true);
  assertEquals(encodes(vk.VK_FORMAT_B8G8R8A8_SRGB), false);
  assertEquals(encodes(vk.VK_FORMAT_R16G16B16A16_SFLOAT), true);
  assertEquals(encodes(vk.VK_FORMAT_R16G16B16A16_SFLOAT, vk.VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT), false);
  assertThrows(() => encodes(vk.VK_FORMAT_R8_UNORM), TypeError, "VkFormat 9: take one of 37");
});

Deno.test("isModeName() knows the modes and nothing else", () => {
  assertEquals(["mailbox", "shared-demand", "immediate", "toString"].map(isModeName), [true, true, false, false]);
});
