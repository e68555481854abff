import { assert, assertEquals, assertThrows } from "@std/assert";
import { aspectsOf, formatOf, formatValues } from "../../../../../loader/texels/format.ts";
import { numberAt } from "../../../../../loader/texels/number.ts";
import type { ComparedPiece } from "../../../../../workbench/recordings/compare/contents/piece.ts";
import { type PlainTexels, plainTexels } from "../../../../../workbench/recordings/view/server/plain_texels.ts";

const WIDTH = 12, HEIGHT = 8, LAYERS = [1, 3];

/** Reads a component as a page does, by the type's own array. */
function read({ bytes, stride, components }: PlainTexels, texel: number, place: number): number {
  const { type, offset } = components[place],
    view = new DataView(bytes.buffer, bytes.byteOffset),
    at = texel * stride + offset;
  switch (type) {
    case "u8":
      return view.getUint8(at);
    case "i8":
      return view.getInt8(at);
    case "u16":
      return view.getUint16(at, true);
    case "i16":
      return view.getInt16(at, true);
    case "u32":
      return view.getUint32(at, true);
    case "i32":
      return view.getInt32(at, true);
    case "f16":
      return view.getFloat16(at, true);
    case "f32":
      return view.getFloat32(at, true);
    case "f64":
      return view.getFloat64(at, true);
  }
}

function pieceOf(format: number, aspect: "color" | "depth" | "stencil"): ComparedPiece {
  return {
    name: "VkImage#1 level 0",
    resource: "VkImage#1",
    image: { level: 0, aspect, format, layers: LAYERS, samples: 2, width: WIDTH, height: HEIGHT, depth: 1 },
  };
}

Deno.test("plainTexels() has the numbers of every format of one plane, of the wanted layer and sample", () => {
  let formats = 0, numbers = 0;
  for (const format of formatValues()) {
    for (const aspect of aspectsOf(format)) {
      const { blockSize, blockExtent, components } = formatOf(format, aspect);
      if (blockExtent.some((length) => length > 1)) continue;
      const slice = WIDTH * HEIGHT * blockSize;
      const contents = Uint8Array.from({ length: slice * 4 }, (_, at) => (at * 2654435761 >>> 11) & 255);
      const texels = plainTexels(pieceOf(format, aspect), contents, { layer: 3, sample: 1, z: 0 });
      const first = 3 * slice, isShared = components[0].name === "E";
      assertEquals([texels.width, texels.height], [WIDTH, HEIGHT]);
      for (let texel = 0; texel < WIDTH * HEIGHT; texel++) {
        for (const [place, { name }] of texels.components.entries()) {
          const component = components.find((each) => each.name === name)!;
          const stored = numberAt(contents, first + texel * blockSize, component);
          const exponent = isShared ? numberAt(contents, first + texel * blockSize, components[0]) : 0;
          const expected = isShared ? stored / 512 * 2 ** (exponent - 15) : stored;
          assertEquals(read(texels, texel, place), expected, `VkFormat ${format} ${aspect} ${name} of texel ${texel}`);
          numbers++;
        }
      }
      formats++;
    }
  }
  assert(formats > 100 && numbers > 20_000, `${formats} formats, ${numbers} numbers`);
});

Deno.test("plainTexels() says of each format of blocks that it is decoded, or that no pixel is a texel", () => {
  const told = { decoded: 0, not: 0 };
  for (const format of formatValues()) {
    for (const aspect of aspectsOf(format)) {
      const { blockSize, blockExtent: [wide, tall, deep] } = formatOf(format, aspect);
      if (wide === 1 && tall === 1) continue;
      const across = Math.ceil(WIDTH / wide), down = Math.ceil(HEIGHT / tall);
      const contents = new Uint8Array(4 * across * down * blockSize), slice = { layer: 1, sample: 0, z: 0 };
      const { width, height, stride, note } = plainTexels(pieceOf(format, aspect), contents, slice);
      const isWhole = width === WIDTH && height === HEIGHT;
      assertEquals(note?.startsWith("decoded"), isWhole, `VkFormat ${format}`);
      told[isWhole ? "decoded" : "not"]++;
      if (isWhole) continue;
      assertEquals([width, height, stride], [across, down, blockSize]);
      const size = `${wide} × ${tall}${deep > 1 ? ` × ${deep}` : ""}`;
      assertEquals(note, `not decoded: one pixel is one block of ${size} texels, and its colour the first three bytes`);
    }
  }
  // ASTC of high range and of three dimensions, and PVRTC.
  assert(told.decoded >= 54 && told.not >= 14 + 30, JSON.stringify(told));
});

Deno.test("plainTexels() leaves texels out where few are wanted", () => {
  const red = 9; // VK_FORMAT_R8_UNORM
  const contents = Uint8Array.from({ length: 4 * WIDTH * HEIGHT }, (_, at) => at);
  const few = plainTexels(pieceOf(red, "color"), contents, { layer: 1, sample: 0, z: 0, most: 4 });
  assertEquals([few.width, few.height, [...few.bytes]], [4, 3, [0, 3, 6, 9, 36, 39, 42, 45, 72, 75, 78, 81]]);
});

Deno.test("plainTexels() decodes blocks up to the edges, and the same texels where few are wanted", () => {
  const bc1 = 133, floats = 143, [width, height] = [WIDTH - 1, HEIGHT - 1]; // VK_FORMAT_BC1_RGBA_UNORM_BLOCK and _BC6H_UFLOAT_BLOCK
  for (const [format, stride, names] of [[bc1, 4, "R,G,B,A"], [floats, 12, "R,G,B"]] as const) {
    const { blockSize } = formatOf(format), size = Math.ceil(width / 4) * Math.ceil(height / 4) * blockSize;
    const contents = Uint8Array.from({ length: 4 * size }, (_, at) => at * 37), piece = pieceOf(format, "color");
    const edged = { ...piece, image: { ...piece.image!, width, height } }, slice = { layer: 1, sample: 0, z: 0 };
    const whole = plainTexels(edged, contents, slice), few = plainTexels(edged, contents, { ...slice, most: 4 });
    assertEquals([whole.width, whole.height, whole.stride], [width, height, stride]);
    assertEquals(whole.components.map(({ name }) => name).join(), names);
    assertEquals([few.width, few.height], [Math.ceil(width / 3), Math.ceil(height / 3)]);
    for (let y = 0; y < few.height; y++) {
      for (let x = 0; x < few.width; x++) {
        const from = stride * (3 * y * width + 3 * x), to = stride * (y * few.width + x);
        assertEquals(few.bytes.slice(to, to + stride), whole.bytes.slice(from, from + stride));
      }
    }
  }
});

Deno.test("plainTexels() refuses slices that are not there", () => {
  const contents = new Uint8Array(4 * WIDTH * HEIGHT), piece = pieceOf(9, "color");
  for (const slice of [{ layer: 0, sample: 0, z: 0 }, { layer: 1, sample: 2, z: 0 }, { layer: 1, sample: 0, z: 1 }]) {
    assertThrows(() => plainTexels(piece, contents, slice), RangeError, "has no layer");
  }
});
