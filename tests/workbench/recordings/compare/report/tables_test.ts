import { assertEquals } from "@std/assert";
import {
  indexTable,
  tableText,
  vertexTable,
  wordTable,
} from "../../../../../workbench/recordings/compare/report/tables.ts";
import * as vk from "../../../../../loader/vk.ts";

const floats = (...values: number[]) => new Uint8Array(new Float32Array(values).buffer);

Deno.test("vertexTable() has the attributes of a binding, in columns", () => {
  const state = {
    pVertexInputState: {
      pVertexBindingDescriptions: [{ binding: 1, stride: 12, inputRate: vk.VK_VERTEX_INPUT_RATE_INSTANCE }],
      pVertexAttributeDescriptions: [
        { location: 3, binding: 1, format: vk.VK_FORMAT_R32G32_SFLOAT, offset: 0 },
        { location: 4, binding: 1, format: vk.VK_FORMAT_R8G8B8A8_UINT, offset: 8 },
        { location: 0, binding: 0, format: vk.VK_FORMAT_R32_SFLOAT, offset: 0 },
      ],
    },
  };
  const bytes = floats(9, 0.5, -1, 0, 2, 0.1, 0);
  bytes.set([1, 2, 3, 4], 12);
  assertEquals(vertexTable(state, 1, bytes, 4), {
    head: ["instance", "location 3", "location 4"],
    rows: [["0", "0.5  -1", "1  2  3  4"], ["1", "2  0.1", "0  0  0  0"]],
    all: 2,
  });
  assertEquals(vertexTable(state, 1, bytes, 28)?.all, 0);
  assertEquals(vertexTable(state, 2, bytes, 0), undefined);
  assertEquals(vertexTable(undefined, 1, bytes, 0), undefined);
});

Deno.test("indexTable() has indices of every size, from the first that is drawn", () => {
  const bytes = new Uint8Array(Uint16Array.from({ length: 40 }, (_, index) => index).buffer);
  const { rows, all } = indexTable(vk.VK_INDEX_TYPE_UINT16, bytes, 4, 10, 14);
  assertEquals([rows.map(([first, ...rest]) => [first, rest[0], rest.length]), all], [
    [["10", "12", 12], ["22", "24", 2]],
    2,
  ]);
  assertEquals(indexTable(vk.VK_INDEX_TYPE_UINT32, bytes, 0, 0, 1).rows, [["0", "65536"]]);
  assertEquals(indexTable(vk.VK_INDEX_TYPE_UINT8, bytes, 0, 78, 99).rows, [["78", "39", "0"]]);
  assertEquals(indexTable(vk.VK_INDEX_TYPE_UINT32, bytes, 100, 0, 9).rows, []);
});

Deno.test("wordTable() has bytes and floats of a range, and ends where the range ends", () => {
  assertEquals(wordTable(floats(1, 2, 3, 4, 5, 6, 7), 4, 18).rows, [
    ["4", "00000040 00004040 00008040 0000a040", "2  3  4  5"],
    ["20", "0000", ""],
  ]);
  assertEquals(wordTable(floats(1), 0, Infinity).rows, [["0", "0000803f", "1"]]);
  assertEquals(wordTable(new Uint8Array(99999), 0, 99999).rows.length < 99999 / 16, true);
});

Deno.test("tableText() says how many rows are left out, and what is text stays text", () => {
  const html = tableText({ head: ["<a>"], rows: [["&"]], all: 7 });
  assertEquals(html.includes("<th>&lt;a&gt;</th>") && html.includes("<th>&amp;</th>"), true);
  assertEquals(/1 of 7 rows/.test(html), true);
});
