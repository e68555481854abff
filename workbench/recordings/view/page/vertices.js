// The vertices of a draw in its order, with the numbers that go into the vertex shader or come out of it.
import { parseLayout, rowCount, rowOf } from "./layout.js";

/** Vertices that are in the table at most. */
export const MOST_VERTICES = 100_000;
/** The position of clip space, and that position divided by its last number. */
const POSITION = "gl_Position", DIVIDED = "divided by w";

/** The vertices of a draw, and places that end a strip. `valuesOf` returns the numbers of a vertex by column. */
export function verticesOf({ indices, restarts }, { first, count, vertexOffset }, view, valuesOf) {
  const shown = Math.min(count, MOST_VERTICES), ends = new Set(), most = indices && 2 ** (8 * indices.size) - 1;
  const vertices = Array.from({ length: shown }, (_, at) => {
    const index = indices ? indexAt(view, indices, first + at) : first + at;
    if (restarts && index === most) ends.add(at);
    const vertex = index === undefined || ends.has(at) ? undefined : index + (indices ? vertexOffset : 0);
    return { index, vertex, values: valuesOf(vertex) };
  });
  return { vertices, ends };
}

/** The attributes that the shader reads, from vertex buffers that are bound. */
export function inputsOf(bindings, views) {
  const layouts = bindings.map((each) => ({
    ...each,
    layout: parseLayout(each.layout),
    view: views.get(each.resource),
  }));
  return {
    columns: layouts.flatMap(({ layout }) => layout.members.map(({ name, count }) => ({ name, count }))),
    valuesOf: (vertex) => layouts.flatMap((each) => valuesAt(each, vertex)),
  };
}

/** The outputs of the shader for one instance, and behind the position what it comes to in the viewport. */
export function outputsOf({ layout: text, first, count, bytes }, instance) {
  if (bytes.byteLength === 0) return { columns: [], valuesOf: () => [] };
  const layout = parseLayout(text), view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const position = layout.members.findIndex(({ name }) => name === POSITION);
  const columns = layout.members.map(({ name, count }) => ({ name, count }));
  const nothing = columns.map(() => []);
  if (position >= 0) columns.splice(position + 1, 0, { name: DIVIDED, count: 3, isFlipped: true });
  return {
    columns,
    valuesOf: (vertex) => {
      const isIn = vertex >= first && vertex < first + count;
      const values = isIn ? rowOf(layout, view, 0, instance * count + vertex - first) : [...nothing];
      if (position >= 0) values.splice(position + 1, 0, divided(values[position]));
      return values;
    },
  };
}

function divided([x, y, z, w]) {
  return w === undefined ? [] : [x / w, y / w, z / w];
}

/** An index of a buffer; `undefined` beyond its end. */
function indexAt(view, { offset, size }, at) {
  const place = offset + at * size;
  if (place + size > view.byteLength) return undefined;
  return size === 4 ? view.getUint32(place, true) : size === 2 ? view.getUint16(place, true) : view.getUint8(place);
}

/** The attributes of a vertex; empty ones beyond the end of the buffer. */
function valuesAt({ layout, view, offset }, vertex) {
  if (vertex === undefined || vertex < 0 || vertex >= rowCount(layout, view.byteLength, offset)) {
    return layout.members.map(() => []);
  }
  return rowOf(layout, view, offset, vertex);
}
