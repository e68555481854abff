import { columnMesh } from "../scene/column.ts";
import type { Column } from "../scene/instances.ts";

/** Triangles ready to be drawn in one go: software drivers take their time over each instance. */
export interface Baked {
  /** Twelve floats a vertex: place and metres below the head, normal and glow, colour and share of strata. */
  readonly vertices: Float32Array<ArrayBuffer>;
  /** Triangles, three indices each: first the feet of all columns, then their flanks, then their heads. */
  readonly indices: Uint16Array<ArrayBuffer>;
  /** The faces that are seen from above: flanks and heads. */
  readonly fromAbove: IndexRange;
  /** The faces that are seen from below, as in the sea: feet and flanks. */
  readonly fromBelow: IndexRange;
}

/** A part of the indices. */
export interface IndexRange {
  /** The first one. */
  readonly first: number;
  /** The number of indices. */
  readonly count: number;
}

/** Bytes from one vertex to the next. */
export const BAKED_STRIDE = 48;

const MESH_FLOATS = 8, NORMAL_Y = 5;

/** A corner of the mesh: shape coordinates and the face's normal, see `columnMesh`. */
type Corner = readonly [x: number, y: number, z: number, rim: number, nx: number, ny: number, nz: number];

/** Gives columns, upright ones, their places. Throws a `RangeError` when indices of 16 bits cannot count the vertices. */
export function bakeColumns(columns: readonly Column[]): Baked {
  const mesh = columnMesh(), count = mesh.vertices.length / MESH_FLOATS;
  if (columns.length * count > 65535) {
    throw new RangeError(`Cannot bake ${columns.length} columns: give ${Math.floor(65535 / count)} at most`);
  }
  const corners = Array.from({ length: count }, (_, index) => {
    const at = index * MESH_FLOATS;
    return Array.from(mesh.vertices.subarray(at, at + 7)) as unknown as Corner;
  });
  const part = (direction: number) => {
    const indices = Array.from(mesh.indices).filter((index) => Math.sign(corners[index][NORMAL_Y]) === direction);
    return columns.flatMap((_, column) => indices.map((index) => index + column * count));
  };
  const feet = part(-1), flanks = part(0), heads = part(1);
  return {
    vertices: new Float32Array(columns.flatMap((column) => corners.flatMap((corner) => vertexOf(column, corner)))),
    indices: new Uint16Array([...feet, ...flanks, ...heads]),
    fromAbove: { first: feet.length, count: flanks.length + heads.length },
    fromBelow: { first: 0, count: feet.length + flanks.length },
  };
}

/** One vertex, bevelled, tapered and turned as column.glsl does it. */
function vertexOf(column: Column, [x, y, z, rim, nx, ny, nz]: Corner): number[] {
  const { radius, height, head = 1, foot = 1, turn = 0, glow = 0, strata = 0 } = column;
  const bevel = Math.min(0.07 * radius, 0.2 * height);
  const inset = Math.max(radius * (foot + (head - foot) * y) - bevel * (1 - rim), 0);
  const up = y === 1 ? height - bevel * rim : bevel * rim;
  const cosine = Math.cos(turn), sine = Math.sin(turn);
  const slope = radius * (foot - head) / height * (1 - Math.abs(ny)), length = Math.hypot(nx, ny + slope, nz);
  return [
    ...[column.x + inset * (x * cosine + z * sine), column.y + up, column.z + inset * (z * cosine - x * sine)],
    height - up,
    ...[(nx * cosine + nz * sine) / length, (ny + slope) / length, (nz * cosine - nx * sine) / length],
    glow,
    ...column.colour,
    strata,
  ];
}
