/** A linear colour: red, green, blue; 1 is the brightness of white paper in the light. */
export type Colour = readonly [red: number, green: number, blue: number];

/** One hexagonal column of the scene. Lengths are metres. */
export interface Column {
  /** Centre of the foot. */
  x: number;
  /** Height of the foot above the sea. */
  y: number;
  /** Centre of the foot. */
  z: number;
  /** From the axis to an edge. */
  radius: number;
  /** From foot to head. */
  height: number;
  /** Radius at the head, as a share of `radius`; 1 when left out. */
  head?: number;
  /** Radius at the foot, as a share of `radius`; 1 when left out. */
  foot?: number;
  /** Turn about the axis, in radians. */
  turn?: number;
  /** Colour of the head, and of the flanks where they show no strata. */
  colour: Colour;
  /** 0 for cold stone, up to 1 for lava. */
  glow?: number;
  /** The lean of the axis to +x and +z for every metre up. */
  lean?: readonly [x: number, z: number];
  /** Share of strata in the colour of the flanks. */
  strata?: number;
  /** The distance that the column bobs up and down. */
  bob?: number;
}

/** Floats one column takes in the instance buffer. */
export const FLOATS_PER_COLUMN = 16;

/** Packs columns as the vertex shader reads them: four vectors of four floats each (place, form, colour, kind). */
export function packColumns(columns: readonly Column[]): Float32Array<ArrayBuffer> {
  const packed = new Float32Array(columns.length * FLOATS_PER_COLUMN);
  columns.forEach((column, index) => {
    const { x, y, z, radius, height, head = 1, foot = 1, turn = 0, colour, glow = 0, lean = [0, 0] } = column;
    const kind = [lean[0], lean[1], column.strata ?? 0, column.bob ?? 0];
    packed.set([x, y, z, radius, height, head, foot, turn, ...colour, glow, ...kind], index * FLOATS_PER_COLUMN);
  });
  return packed;
}
