import { randomNumbers } from "../scene/random.ts";
import { type Matrix, normalize } from "../scene/vectors.ts";
import { IDENTITY, lookAt, perspective, placed } from "./matrix.ts";
import { Mesh, mirrored, type Triple } from "./mesh.ts";
import { addRock, addStone, type Random, type Rock } from "./rocks.ts";
import { backdrop } from "./sky.ts";

/** Triangles that are drawn with one state. */
export interface Part {
  /** See `VERTEX` of mesh.ts. */
  readonly vertices: Float32Array<ArrayBuffer>;
  /** Whether they are in the world, or already where they are in the picture. */
  readonly inWorld: boolean;
  /** Whether the sun shines on them; otherwise they have their own color alone. */
  readonly lit: boolean;
  /** Whether the grain of the stone is on them. */
  readonly grainy: boolean;
  /** The places of the triangles; more than one if there are several copies. */
  readonly places: readonly Matrix[];
}

/** The scene that all versions draw. */
export interface World {
  /** From back to front: some parts let those behind shine through. */
  readonly parts: readonly Part[];
  /** From the world to the eye. */
  readonly view: Matrix;
  /** From the eye to the picture. */
  readonly projection: Matrix;
  /** The grain: a square of {@linkcode GRAIN} texels, RGBA. */
  readonly grain: Uint8Array<ArrayBuffer>;
}

/** The direction of the light, its color, and that of the shadows. */
export const SUN: Triple = normalize([-0.62, 0.5, 0.42]), SUNLIGHT: Triple = [0.72, 0.57, 0.4];
/** The light that comes from everywhere. */
export const SKYLIGHT: Triple = [0.26, 0.29, 0.42];
/** Texels in a row of the grain. */
export const GRAIN = 32;

const HERE = [IDENTITY];
const ROCKS: readonly Rock[] = [
  { at: [1.5, -0.6], radius: 1.75, height: 2.9, sides: 11, bands: 7 },
  { at: [3.7, 0.4], radius: 0.85, height: 1.1, sides: 9, bands: 4 },
  { at: [-0.7, 0.7], radius: 0.62, height: 0.72, sides: 8, bands: 3 },
  { at: [-5.6, -7], radius: 1.9, height: 1.7, sides: 10, bands: 5 },
  { at: [7.8, -9], radius: 2.6, height: 2.3, sides: 10, bands: 5 },
];

/** Makes the world for a picture of some shape. */
export function makeWorld(aspect: number): World {
  const next = randomNumbers(7), rocks = new Mesh(), stone = new Mesh();
  for (const rock of ROCKS) addRock(rocks, rock, next);
  addStone(stone, next);
  const stony = { inWorld: true, lit: true, grainy: true };
  return {
    parts: [
      { vertices: backdrop(), inWorld: false, lit: false, grainy: false, places: HERE },
      { vertices: mirrored(rocks.vertices), ...stony, places: HERE },
      { vertices: rocks.vertices, ...stony, places: HERE },
      { vertices: sea(next), inWorld: true, lit: false, grainy: false, places: HERE },
      { vertices: stone.vertices, ...stony, places: drift(next) },
    ],
    view: lookAt([-0.4, 1.75, 8.6], [0.35, 0.95, 0]),
    projection: perspective(0.72, aspect, 1, 60),
    grain: grain(next),
  };
}

/** The water: facets that let a part of what is below shine through; not every driver of 1.1 lights what does. */
function sea(next: Random): Float32Array<ArrayBuffer> {
  const mesh = new Mesh(), columns = 46, rows = 40;
  const heights = Array.from({ length: (columns + 1) * (rows + 1) }, () => 0.05 * (next() - 0.5));
  const corner = (column: number, row: number): Triple => {
    const near = row / rows, z = 7 - 37 * near ** 1.7, wide = 6 + 1.1 * (7 - z);
    return [(column / columns - 0.5) * wide * 2, heights[row * (columns + 1) + column], z];
  };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [a, b] = [corner(column, row), corner(column + 1, row)];
      const [c, d] = [corner(column + 1, row + 1), corner(column, row + 1)];
      const far = row / rows, tint = () => 0.86 + 0.28 * next(), alpha = 0.72 - 0.3 * far;
      for (const facet of [[a, b, c], [a, c, d]] as const) {
        const light = tint(), color: Triple = [(0.1 + 0.5 * far) * light, (0.25 + 0.2 * far) * light, 0.36 * light];
        mesh.triangle(facet, color, alpha);
      }
    }
  }
  return mesh.vertices;
}

/** Stones that float on the water, as pumice does. */
function drift(next: Random): Matrix[] {
  return Array.from({ length: 34 }, () => {
    const x = -4.6 + 7.4 * next(), z = 5 - 6 * next() ** 0.8;
    return placed([x, 0, z], 0.05 + 0.13 * next() ** 2, 6 * next());
  });
}

function grain(next: Random): Uint8Array<ArrayBuffer> {
  const texels = new Uint8Array(4 * GRAIN * GRAIN);
  for (let at = 0; at < texels.length; at += 4) {
    const light = next() < 0.12 ? 190 : 226 + 29 * next();
    texels.set([light, light, light, 255], at);
  }
  return texels;
}
