import { cross, minus, normalize, type Vector as Triple } from "../scene/vectors.ts";

export type { Vector as Triple } from "../scene/vectors.ts";

/** Floats of one vertex: position, normal, color with alpha, texture coordinates. */
export const VERTEX = 12;
/** Offsets of the latter three in a vertex, in floats. */
export const NORMAL = 3, COLOR = 6, TEXEL = 10;

/** Collects triangles of one color and one normal each. */
export class Mesh {
  readonly #floats: number[] = [];

  /** Adds a triangle; its normal looks away from what lies below, or to where `facing` does. */
  triangle(corners: readonly [Triple, Triple, Triple], color: Triple, alpha = 1, facing?: Triple): void {
    const [a, b, c] = corners, normal = turned(normalize(cross(minus(b, a), minus(c, a))), facing);
    for (const [x, y, z] of corners) {
      this.#floats.push(x, y, z, ...normal, ...color, alpha, 0.8 * (x + 0.4 * z), 0.8 * (y + 0.3 * z));
    }
  }

  /** Adds two triangles. */
  quad([a, b, c, d]: readonly [Triple, Triple, Triple, Triple], color: Triple, alpha = 1, facing?: Triple): void {
    this.triangle([a, b, c], color, alpha, facing);
    this.triangle([a, c, d], color, alpha, facing);
  }

  /** Adds a vertex that has a color of its own and no light. */
  point([x, y, z]: Triple, color: Triple, alpha = 1): void {
    this.#floats.push(x, y, z, 0, 0, 1, ...color, alpha, 0, 0);
  }

  /** All vertices, {@linkcode VERTEX} floats each. */
  get vertices(): Float32Array<ArrayBuffer> {
    return Float32Array.from(this.#floats);
  }
}

/** The same vertices seen in still water: upside down, as bright as above it. */
export function mirrored(vertices: Float32Array): Float32Array<ArrayBuffer> {
  const other = Float32Array.from(vertices);
  for (let at = 1; at < other.length; at += VERTEX) other[at] = -other[at];
  return other;
}

function turned(normal: Triple, facing: Triple | undefined): Triple {
  const along = facing ? normal[0] * facing[0] + normal[1] * facing[1] + normal[2] * facing[2] : 1;
  return along < 0 ? [-normal[0], -normal[1], -normal[2]] : normal;
}
