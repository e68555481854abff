import { type Format, formatOf } from "../../../../loader/texels/format.ts";
import { numberAt } from "../../../../loader/texels/number.ts";
import {
  VK_INDEX_TYPE_UINT32,
  VK_INDEX_TYPE_UINT8,
  VK_VERTEX_INPUT_RATE_INSTANCE,
} from "../../../../loader/gen/enums_core_gen.js";
import type { Fields } from "../../record/line.ts";
import { escaped } from "../../../pages/page_parts.ts";

/** A table: a head, and rows of cells. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The number of rows without the limit. */
  readonly all: number;
}

/** Rows that are shown, indices of a row, and bytes of a row of other buffers. */
const ROWS = 48, INDICES = 12, BYTES = 16;

/** Returns a table in HTML, with a line about what is left out. */
export function tableText({ head, rows, all }: Table): string {
  const cells = (each: readonly string[], tag: string) =>
    each.map((cell, index) => `<${index === 0 ? "th" : tag}>${escaped(cell)}</${index === 0 ? "th" : tag}>`).join("");
  const rest = all > rows.length ? `<p class="note">${rows.length} of ${all} rows</p>` : "";
  return `<div class="wide" tabindex="0"><table><tr>${cells(head, "th")}</tr>${
    rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("")
  }</table></div>${rest}`;
}

/** Returns the attributes that a binding of a pipeline has in a vertex buffer; undefined if the pipeline does not say. */
export function vertexTable(
  state: Fields | undefined,
  binding: number,
  bytes: Uint8Array,
  offset: number,
): Table | undefined {
  const { pVertexBindingDescriptions = [], pVertexAttributeDescriptions = [] } = state?.pVertexInputState ?? {};
  const found = pVertexBindingDescriptions.find((each: Fields) => each.binding === binding);
  const attributes: Fields[] = pVertexAttributeDescriptions.filter((each: Fields) => each.binding === binding);
  if (!found || attributes.length === 0) return undefined;
  const columns = attributes.map(({ location, format, offset }) => ({ location, format: formatOf(format), offset }));
  const end = Math.max(...columns.map(({ format, offset }) => offset + format.blockSize));
  const all = found.stride > 0 ? Math.max(0, Math.floor((bytes.length - offset - end) / found.stride) + 1) : 1;
  return {
    head: [
      found.inputRate === VK_VERTEX_INPUT_RATE_INSTANCE ? "instance" : "vertex",
      ...columns.map(({ location }) => `location ${location}`),
    ],
    rows: Array.from({ length: Math.min(all, ROWS) }, (_, row) => [
      `${row}`,
      ...columns.map((each) => numbersAt(each.format, bytes, offset + row * found.stride + each.offset)),
    ]),
    all,
  };
}

/** Returns the indices of an index buffer from one on. */
export function indexTable(type: number, bytes: Uint8Array, offset: number, first: number, count: number): Table {
  const size = type === VK_INDEX_TYPE_UINT32 ? 4 : type === VK_INDEX_TYPE_UINT8 ? 1 : 2;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const shown = Math.max(0, Math.min(count, Math.floor((bytes.length - offset) / size) - first));
  const indices = Array.from({ length: Math.min(shown, ROWS * INDICES) }, (_, index) => {
    const at = offset + (first + index) * size;
    return size === 4 ? view.getUint32(at, true) : size === 2 ? view.getUint16(at, true) : view.getUint8(at);
  });
  const rows = Array.from({ length: Math.ceil(indices.length / INDICES) }, (_, row) => [
    `${first + row * INDICES}`,
    ...indices.slice(row * INDICES, (row + 1) * INDICES).map(String),
  ]);
  return { head: ["index", "vertices"], rows, all: Math.ceil(shown / INDICES) };
}

/** Returns the words of other buffers, as they are and as floats. */
export function wordTable(bytes: Uint8Array, offset: number, range: number): Table {
  const end = Math.min(bytes.length, offset + range), all = Math.ceil(Math.max(0, end - offset) / BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const rows = Array.from({ length: Math.min(all, ROWS) }, (_, row) => {
    const start = offset + row * BYTES, words = wordsBetween(start, Math.min(end, start + BYTES));
    return [
      `${start}`,
      words.map((at) => bytes.subarray(at, Math.min(at + 4, end)).toHex()).join(" "),
      words.filter((at) => at + 4 <= end).map((at) => short(view.getFloat32(at, true))).join("  "),
    ];
  });
  return { head: ["offset", "bytes", "as floats"], rows, all };
}

function wordsBetween(start: number, end: number): number[] {
  return Array.from({ length: Math.ceil((end - start) / 4) }, (_, index) => start + 4 * index);
}

function numbersAt({ components }: Format, bytes: Uint8Array, at: number): string {
  return components.map((each) => short(numberAt(bytes, at, each))).join("  ");
}

function short(value: number): string {
  return Number.isFinite(value) ? `${Number(value.toPrecision(6))}` : `${value}`;
}
