/** The mesh of one hexagonal column, to be drawn by instances. */
export interface Mesh {
  /** Eight floats a vertex: shape (x, y, z, rim), then the face's normal (x, y, z, 0). */
  vertices: Float32Array<ArrayBuffer>;
  /** Triangles, three indices each. */
  indices: Uint16Array<ArrayBuffer>;
}

type Point = [x: number, y: number, z: number, rim: number];
type Direction = [x: number, y: number, z: number];

const SIDES = 6;

/**
 * A hexagonal column with bevelled edges: 84 vertices, 44 triangles. The shape
 * coordinates are not lengths: x and z lie on the unit hexagon, y is 0 at the
 * foot and 1 at the head, `rim` is 0 on the caps and 1 below the bevel; the
 * vertex shader gives them their size.
 */
export function columnMesh(): Mesh {
  const vertices: number[] = [];
  const indices: number[] = [];
  const add = (points: Point[], normal: Direction) => {
    const first = vertices.length / 8;
    for (const point of points) vertices.push(...point, ...normal, 0);
    for (let i = 2; i < points.length; i++) indices.push(first, first + i - 1, first + i);
  };
  for (const y of [0, 1]) addEnd(y, add);
  for (let side = 0; side < SIDES; side++) {
    const [from, to] = [corner(side), corner(side + 1)];
    add([at(from, 0, 1), at(to, 0, 1), at(to, 1, 1), at(from, 1, 1)], outward(side, 0));
  }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices) };
}

/** A cap and the bevel around it. */
function addEnd(y: number, add: (points: Point[], normal: Direction) => void): void {
  const up = y === 1 ? 1 : -1;
  const cap = Array.from({ length: SIDES }, (_, side) => at(corner(side), y, 0));
  add(cap, [0, up, 0]);
  for (let side = 0; side < SIDES; side++) {
    const [from, to] = [corner(side), corner(side + 1)];
    add([at(from, y, 1), at(to, y, 1), at(to, y, 0), at(from, y, 0)], outward(side, up));
  }
}

function corner(side: number): [number, number] {
  const angle = (Math.PI / 3) * side + Math.PI / 6;
  return [Math.cos(angle), Math.sin(angle)];
}

function at([x, z]: [number, number], y: number, rim: number): Point {
  return [x, y, z, rim];
}

/** The normal of a side, level (`up` 0) or halfway to the head or the foot. */
function outward(side: number, up: number): Direction {
  const angle = (Math.PI / 3) * (side + 1);
  const level = up === 0 ? 1 : Math.SQRT1_2;
  return [Math.cos(angle) * level, up * Math.SQRT1_2, Math.sin(angle) * level];
}
