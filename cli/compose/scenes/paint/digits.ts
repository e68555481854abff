/** Five rows of three dots for each character, as bits from the left. */
const SHAPES: Readonly<Record<string, readonly number[]>> = {
  "0": [7, 5, 5, 5, 7],
  "1": [2, 6, 2, 2, 7],
  "2": [7, 1, 7, 4, 7],
  "3": [7, 1, 7, 1, 7],
  "4": [5, 5, 7, 1, 1],
  "5": [7, 4, 7, 1, 7],
  "6": [7, 4, 7, 5, 7],
  "7": [7, 1, 2, 2, 2],
  "8": [7, 5, 7, 5, 7],
  "9": [7, 5, 7, 1, 7],
  ":": [0, 2, 0, 2, 0],
};
const ROW = 1.4;

/** The place of digits: the upper left corner, the size of a dot, the pixel. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly unit: number;
  readonly word: number;
}

/** Draws digits and colons. */
export function drawDigits(
  { words, stride }: { readonly words: Uint32Array; readonly stride: number },
  text: string,
  { x, y, unit, word }: Place,
): void {
  const tall = Math.round(ROW * unit);
  [...text].forEach((character, index) => {
    SHAPES[character].forEach((dots, row) => {
      for (let column = 0; column < 3; column++) {
        if ((dots & 4 >> column) === 0) continue;
        const left = x + (4 * index + column) * unit;
        for (let line = 0; line < tall; line++) {
          const at = (y + row * tall + line) * stride + left;
          words.fill(word, at, at + unit);
        }
      }
    });
  });
}
