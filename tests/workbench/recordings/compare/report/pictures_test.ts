import { assertEquals } from "@std/assert";
import { picturesOf } from "../../../../../workbench/recordings/compare/report/pictures.ts";
import type { PieceDifference } from "../../../../../workbench/recordings/compare/finding.ts";
import { VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_D32_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM } from "../../../../../loader/vk.ts";

function difference(format: number, width: number, height: number, aspect: "color" | "depth" = "color") {
  const image = { level: 0, aspect, format, layers: [0], samples: 1, width, height, depth: 1 };
  return { piece: { name: "image", resource: "image", image }, at: { x: 0, y: 0, z: 0, layer: 0 } } as PieceDifference;
}

Deno.test("picturesOf() puts the channels in order", () => {
  const { pictures } = picturesOf(difference(VK_FORMAT_B8G8R8A8_UNORM, 1, 1), [
    new Uint8Array([1, 2, 3, 4]),
    new Uint8Array([5, 6, 7, 8]),
  ]);
  assertEquals(pictures.map(({ data }) => [...data]), [[3, 2, 1, 255], [7, 6, 5, 255]]);
});

Deno.test("picturesOf() spreads depth between the least and the greatest", () => {
  const bytes = (...values: number[]) => new Uint8Array(new Float32Array(values).buffer);
  const { pictures, notes } = picturesOf(difference(VK_FORMAT_D32_SFLOAT, 2, 1, "depth"), [
    bytes(0.5, 1),
    bytes(0.75, 1),
  ]);
  assertEquals(pictures.map(({ data }) => [data[0], data[4]]), [[0, 255], [128, 255]]);
  assertEquals(notes, ["black is 0.5, white is 1"]);
});

Deno.test("picturesOf() marks a texel that differs in alpha alone", () => {
  const { pictures, marked } = picturesOf(difference(VK_FORMAT_R8G8B8A8_UNORM, 2, 1), [
    new Uint8Array([1, 2, 3, 4, 1, 2, 3, 4]),
    new Uint8Array([1, 2, 3, 4, 1, 2, 3, 9]),
  ]);
  assertEquals(pictures[0].data, pictures[1].data);
  assertEquals(marked.map(({ data }) => [data[3], data[7]]), [[255, 255], [255, 254]]);
});

Deno.test("picturesOf() crops a large level around what differs", () => {
  const width = 3000, height = 2000, one = new Uint8Array(4 * width * height), other = one.slice();
  other[4 * (1500 * width + 2900)] = 255;
  const { pictures, x, y, notes } = picturesOf(difference(VK_FORMAT_R8G8B8A8_UNORM, width, height), [one, other]);
  assertEquals([pictures[1].width, pictures[1].height], [1024, 1024]);
  assertEquals(pictures[1].data[4 * ((1500 - y) * 1024 + 2900 - x)], 255);
  assertEquals(notes, [`cropped: 1024 × 1024 of 3000 × 2000, from ${x}, ${y}`]);
});
