import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { half, parseLayout, rowCount, rowOf } from "../../../../../workbench/recordings/view/page/layout.js";
import { layoutsOf } from "../../../../../workbench/recordings/view/server/buffer_layouts.ts";
import * as vk from "../../../../../loader/vk.ts";
import { formatOf, formatValues } from "../../../../../loader/texels/format.ts";
import { numberAt } from "../../../../../loader/texels/number.ts";

/** Bytes that are not alike. */
const BYTES = Uint8Array.from({ length: 256 }, (_, at) => (at * 73 + 41) & 255), VIEW = new DataView(BYTES.buffer);

Deno.test("layoutsOf() tells a vertex buffer that the pipeline reads from one that is left of an earlier draw", () => {
  const role = "vertex buffer 0", bound = { role, name: "VkBuffer#1", facts: { offset: "0" } };
  const attribute = { location: 0, binding: 0, format: vk.VK_FORMAT_R32G32_SFLOAT, offset: 0 };
  const states = [
    [{ pVertexInputState: { flags: 0 } }, `${role}, not read`],
    [
      { pVertexInputState: { flags: 0 }, pDynamicState: { pDynamicStates: [vk.VK_DYNAMIC_STATE_VERTEX_INPUT_EXT] } },
      role,
    ],
    [{}, role], // a library may say what is read
    [{
      pVertexInputState: {
        pVertexBindingDescriptions: [{ binding: 0, stride: 8, inputRate: 0 }],
        pVertexAttributeDescriptions: [attribute],
      },
    }, role],
  ] as const;
  const roles = states.map(([state]) =>
    layoutsOf(bound, { shaders: [], resources: [], dynamic: {}, state }, "vkCmdDraw", {}).role
  );
  assertEquals(roles, states.map(([, expected]) => expected));
});

Deno.test("parseLayout() places members behind each other, where @ says so, and rows by their stride", () => {
  const { members, stride, end } = parseLayout("vec3 position; unorm8x4 colour; float weights[2] @ 20;\nstride 32");
  assertEquals([stride, end], [32, 28]);
  assertEquals(members, [
    { name: "position", type: "f32", count: 3, size: 4, offset: 0 },
    { name: "colour", type: "n8", count: 4, size: 1, offset: 12 },
    { name: "weights", type: "f32", count: 2, size: 4, offset: 20 },
  ]);
  assertEquals(
    parseLayout("mat3x4 m; mat2 n; half2 h; uint[3] u").members.map(({ count, offset }) => [count, offset]),
    [
      [12, 0],
      [4, 48],
      [2, 64],
      [3, 68],
    ],
  );
});

Deno.test("rowOf() reads the numbers that a DataView reads", () => {
  const layout = parseLayout(
    "uint a; short b; ushort c; double d; long e; sbyte f; byte g; half h; ivec2 i; snorm16 j; stride 40",
  );
  const rows = rowCount(layout, BYTES.length, 8);
  assertEquals(rows, Math.floor((256 - 8 - 34) / 40) + 1);
  for (let row = 0; row < rows; row++) {
    const at = 8 + 40 * row;
    const [a, b, c, d, e, f, g, h, i, j] = rowOf(layout, VIEW, 8, row);
    assertEquals(a, [VIEW.getUint32(at, true)]);
    assertEquals([b, c], [[VIEW.getInt16(at + 4, true)], [VIEW.getUint16(at + 6, true)]]);
    assertEquals([d, e], [[VIEW.getFloat64(at + 8, true)], [VIEW.getBigInt64(at + 16, true)]]);
    assertEquals([f, g], [[VIEW.getInt8(at + 24)], [VIEW.getUint8(at + 25)]]);
    assertEquals(h, [VIEW.getFloat16(at + 26, true)]);
    assertEquals(i, [VIEW.getInt32(at + 28, true), VIEW.getInt32(at + 32, true)]);
    assertAlmostEquals(j[0], Math.max(-1, VIEW.getInt16(at + 36, true) / 32767));
  }
  assertEquals(rowCount(parseLayout("vec4 v"), 15, 0), 0);
});

Deno.test("half() has the number of all floats of 16 bits", () => {
  const view = new DataView(new ArrayBuffer(2));
  for (let stored = 0; stored < 65536; stored++) {
    view.setUint16(0, stored);
    if (!Object.is(half(stored), view.getFloat16(0))) assertEquals(half(stored), view.getFloat16(0), `${stored}`);
  }
});

Deno.test("parseLayout() says what makes no sense", () => {
  for (
    const [text, words] of [
      ["", "no member"],
      ["stride 4", "no member"],
      ["vec5 x", `"vec5" is no type`],
      ["__proto__ x", `"__proto__" is no type`],
      ["constructorx2 x", `"constructorx2" is no type`],
      ["vec3 <b>", "is no member"],
      ["float x[0]", "has 0 numbers"],
      ["float x[99999]", "has 99999 numbers"],
      ["float a[1000]; float b[1000]", "more than 1024 numbers"],
      ["float x; stride 0", "a stride of 0"],
      ["float x; stride 99999999", "a stride of 99999999"],
    ]
  ) {
    assertThrows(() => parseLayout(text), Error, words, text);
  }
});

Deno.test("the layout of a vertex buffer reads what the pipeline's formats have there", () => {
  let read = 0;
  for (const format of formatValues()) {
    const { components, blockExtent, blockSize } = formatOf(format, "color");
    if (blockExtent[0] > 1 || blockSize > 32 || components.some(({ name }) => !"RGBA".includes(name))) continue;
    const state = {
      shaders: [],
      resources: [],
      dynamic: {},
      state: {
        pVertexInputState: {
          pVertexBindingDescriptions: [{ binding: 2, stride: 40, inputRate: 0 }],
          pVertexAttributeDescriptions: [{ location: 5, binding: 2, format, offset: 4 }],
        },
      },
    };
    const bound = { role: "vertex buffer 2", name: "VkBuffer#1", facts: { offset: "8" } };
    const { layout, offset } = layoutsOf(bound, state, "vkCmdDraw", {}), parsed = parseLayout(layout);
    const [{ name, offset: place }] = parsed.members;
    assertEquals([offset, parsed.stride, name.replace(/_[rgba]+$/, ""), place], [8, 40, "location5", 4]);
    const [numbers] = rowOf(parsed, VIEW, offset, 1);
    if (/^byte/.test(layout) && components[0].bits !== 8) continue; // packed: its bytes
    const { numericFormat, bits } = components[0],
      most = numericFormat === "SNORM" ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
    const scale = /NORM|SRGB/.test(numericFormat) ? most : 1;
    for (const [place, component] of components.toSorted((one, other) => one.firstBit - other.firstBit).entries()) {
      const expected = Math.max(
        numberAt(BYTES, 8 + 40 + 4, component) / scale,
        numericFormat === "SNORM" ? -1 : -Infinity,
      );
      const found = Number(numbers[place]);
      if (!Object.is(found, expected)) assertAlmostEquals(found, expected, 1e-12, `VkFormat ${format}: ${layout}`);
      read++;
    }
  }
  assertEquals(read > 150, true, `${read} numbers`);
});
