import type { Mesh, Triple } from "./mesh.ts";

/** Random numbers from 0 to 1 that are the same every time. */
export type Random = () => number;

/** The colors of pumice, from the water line up. */
const BANDS: readonly Triple[] = [
  [0.40, 0.33, 0.34],
  [0.64, 0.54, 0.50],
  [0.78, 0.69, 0.61],
  [0.58, 0.48, 0.48],
  [0.88, 0.81, 0.72],
  [0.70, 0.60, 0.55],
  [0.94, 0.89, 0.81],
];
const MOSS: Triple = [0.45, 0.56, 0.36];

/** The shape and place of a rock. */
export interface Rock {
  /** The rock's middle on the water. */
  readonly at: readonly [x: number, z: number];
  /** The radius at the bottom. */
  readonly radius: number;
  /** The height of the top. */
  readonly height: number;
  /** The number of sides. */
  readonly sides: number;
  /** The number of bands of stone on each other. */
  readonly bands: number;
}

/** Adds a rock that narrows towards its top, band by band, with moss on it. */
export function addRock(mesh: Mesh, rock: Rock, random: Random): void {
  const { at: [x, z], height, bands, sides } = rock, rings: Triple[][] = [];
  const lean = [0.3 * (random() - 0.5), 0.3 * (random() - 0.5)];
  for (let band = 0; band <= bands; band++) rings.push(ring(rock, band / bands, lean, random));
  for (let band = 0; band < bands; band++) {
    for (let side = 0; side < sides; side++) {
      const next = (side + 1) % sides, [low, high] = [rings[band], rings[band + 1]];
      const out: Triple = [low[side][0] + low[next][0] - 2 * x, 0.2, low[side][2] + low[next][2] - 2 * z];
      mesh.quad([low[side], low[next], high[next], high[side]], shade(BANDS[band % BANDS.length], random), 1, out);
    }
  }
  const top = rings[bands], peak: Triple = [x + lean[0] * height, height * 1.06, z + lean[1] * height];
  top.forEach((corner, side) => {
    mesh.triangle([corner, top[(side + 1) % sides], peak], shade(MOSS, random), 1, [0, 1, 0]);
  });
}

function ring({ at: [x, z], radius, height, sides }: Rock, part: number, lean: number[], random: Random): Triple[] {
  const narrow = radius * (1.08 - 0.62 * part ** 1.3);
  return Array.from({ length: sides }, (_, side): Triple => {
    const angle = 2 * Math.PI * (side + 0.5 * random()) / sides, far = narrow * (0.82 + 0.32 * random());
    const y = (part * 1.08 - 0.08) * height * (0.95 + 0.08 * random());
    return [
      x + far * Math.cos(angle) + lean[0] * part * height,
      y,
      z + far * Math.sin(angle) + lean[1] * part * height,
    ];
  });
}

/** One small stone of radius 1 about the middle. */
export function addStone(mesh: Mesh, random: Random): void {
  const sides = 6, far = () => 0.8 + 0.35 * random();
  const around = (y: number, wide: number) =>
    Array.from({ length: sides }, (_, side): Triple => {
      const angle = 2 * Math.PI * (side + (y > 0 ? 0.5 : 0)) / sides, radius = wide * far();
      return [radius * Math.cos(angle), y, radius * Math.sin(angle)];
    });
  const low = around(-0.2, 1), high = around(0.35, 0.75), top: Triple = [0.1, 0.6, -0.05];
  for (let side = 0; side < sides; side++) {
    const next = (side + 1) % sides, out: Triple = [low[side][0] + low[next][0], 0.3, low[side][2] + low[next][2]];
    mesh.triangle([low[side], low[next], high[side]], shade(BANDS[2], random), 1, out);
    mesh.triangle([low[next], high[next], high[side]], shade(BANDS[4], random), 1, out);
    mesh.triangle([high[side], high[next], top], shade(BANDS[6], random), 1, [0, 1, 0]);
  }
}

function shade(color: Triple, random: Random): Triple {
  const light = 0.92 + 0.12 * random();
  return [color[0] * light, color[1] * light, color[2] * light];
}
