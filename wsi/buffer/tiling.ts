import { align } from "./layout.ts";
import { MODIFIER } from "./modifier.ts";

/** Tiles, one after the other from left to right and from top to bottom. A tile is made of columns, a column of rows. */
export interface Tiling {
  /** Bytes of a row of a tile. */
  readonly width: number;
  /** Rows of a tile. */
  readonly height: number;
  /** Bytes of a row of a column. */
  readonly column: number;
}

/** The tilings that the processor can read, by modifier. */
const TILINGS: ReadonlyMap<bigint, Tiling> = new Map([
  [MODIFIER.I915_X_TILED, { width: 512, height: 8, column: 512 }],
  [MODIFIER.I915_Y_TILED, { width: 128, height: 32, column: 16 }],
]);
const WORD = 4;

/** Returns the tiling of a modifier; `undefined` for rows, and for layouts that the processor cannot read here. */
export function tilingOf(modifier: bigint): Tiling | undefined {
  return TILINGS.get(modifier);
}

/** The rows of a picture and their size in bytes, a multiple of the width of a tile. */
export interface TiledRows {
  readonly tiling: Tiling;
  readonly rowPitch: number;
  readonly height: number;
}

/** Bytes of whole tiles. */
export function tiledSize({ tiling, rowPitch, height }: TiledRows): number {
  return rowPitch * align(height, tiling.height);
}

/** Copies tiles to rows. */
export function rowsOfTiles(tiles: Uint32Array, rows: Uint32Array, picture: TiledRows): void {
  eachRun(picture, (tile, row, words) => {
    for (let word = 0; word < words; word++) rows[row + word] = tiles[tile + word];
  });
}

/** Copies rows to tiles. Rows of tiles below the picture stay as they are. */
export function tilesOfRows(rows: Uint32Array, tiles: Uint32Array, picture: TiledRows): void {
  eachRun(picture, (tile, row, words) => {
    for (let word = 0; word < words; word++) tiles[tile + word] = rows[row + word];
  });
}

/** Calls `copy` with the places of the words that lie together in tiles and in rows, and their number. */
function eachRun(
  { tiling, rowPitch, height }: TiledRows,
  copy: (tile: number, row: number, words: number) => void,
): void {
  const columns = rowPitch / tiling.column, words = tiling.column / WORD;
  const columnWords = words * tiling.height, bandWords = rowPitch / WORD * tiling.height;
  for (let y = 0; y < height; y++) {
    const inTile = y % tiling.height, band = (y - inTile) / tiling.height * bandWords;
    for (let column = 0; column < columns; column++) {
      copy(band + column * columnWords + inTile * words, y * rowPitch / WORD + column * words, words);
    }
  }
}
