import type { Choices } from "../choices.ts";

/** Places of vertices, three for a triangle. */
export interface Mesh {
  /** x and y of each vertex, from -1 to 1. */
  readonly vertices: Float32Array<ArrayBuffer>;
  /** How many vertices. */
  readonly count: number;
}

type Point = readonly [x: number, y: number];

/** How often a triangle is tried before a rectangle is taken. */
const TRIES = 8;
/** Parts of a texel on which vertices lie: every driver has them exactly. */
const PARTS = 4;
/** How far each sample must be from an edge, in texels. */
const NEAREST = 1 / 12;

/** Returns two triangles, no edge of which comes near to the centre of a texel: all drivers cover the same. */
export function triangles(choices: Choices, area: { width: number; height: number; samples: number }): Mesh {
  const corners = [0, 1].flatMap(() => triangle(choices, area));
  const vertices = Float32Array.from(corners.flatMap(([x, y]) => [2 * x / area.width - 1, 2 * y / area.height - 1]));
  return { vertices, count: corners.length };
}

function triangle(choices: Choices, { width, height, samples }: { width: number; height: number; samples: number }) {
  const point = (): Point => [choices.integer(0, width * PARTS) / PARTS, choices.integer(0, height * PARTS) / PARTS];
  for (let tried = 0; tried < TRIES && samples === 1; tried++) {
    const corners = [point(), point(), point()];
    if (isClear(corners, width, height)) return corners;
  }
  return half(choices, width, height);
}

/** Whether a triangle has an area, and no edge near a centre. */
function isClear(corners: readonly Point[], width: number, height: number): boolean {
  const [[ax, ay], [bx, by], [cx, cy]] = corners;
  if (Math.abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) < 1) return false;
  for (let y = 0.5; y < height; y++) {
    for (let x = 0.5; x < width; x++) {
      if (corners.some((from, index) => distance([x, y], from, corners[(index + 1) % 3]) < NEAREST)) return false;
    }
  }
  return true;
}

/** The distance of a point from the line through two others. */
function distance([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const length = Math.hypot(bx - ax, by - ay);
  return length === 0 ? Infinity : Math.abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / length;
}

/** A triangle of which the area sees exactly a rectangle: the right angle lies inside, all else is cut off. */
function half(choices: Choices, width: number, height: number): Point[] {
  const x = choices.integer(1, width), y = choices.integer(1, height), far = 2 * (width + height);
  return [[x, y], [x - far, y], [x, y - far]];
}
