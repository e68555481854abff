import { bytesOf, surfaceOf } from "../surface.ts";
import { FORMAT } from "../../types.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";

/** The matrix that changes nothing, row-major. */
export const IDENTITY: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Whether a matrix changes nothing. */
export function isIdentity(matrix: readonly number[]): boolean {
  return matrix.every((value, index) => value === IDENTITY[index]);
}

/** Whether {@linkcode transformColors} knows a buffer's pixels: formats of 4 bytes only. */
export function transformsColorsOf({ format }: GraphicBuffer): boolean {
  return [FORMAT.RGBA_8888, FORMAT.RGBX_8888, FORMAT.BGRA_8888].some((known) => known === format);
}

/** Applies a display's colour transform to the pixels as they are stored: a row vector (r g b 1) times the matrix. Formats of 4 bytes only. */
export function transformColors(buffer: GraphicBuffer, matrix: readonly number[]): void {
  const { format, width, height, rowPitch } = buffer, surface = surfaceOf(buffer);
  if (!transformsColorsOf(buffer) || typeof surface === "string") return;
  // The buffer is not locked: its maker need not have allowed the CPU.
  const [red, blue] = format === FORMAT.BGRA_8888 ? [2, 0] : [0, 2], bytes = bytesOf(surface);
  for (let y = 0; y < height; y++) {
    for (let at = y * rowPitch; at < y * rowPitch + width * 4; at += 4) {
      const [r, g, b] = [bytes[at + red], bytes[at + 1], bytes[at + blue]];
      bytes[at + red] = mixed(matrix, 0, r, g, b);
      bytes[at + 1] = mixed(matrix, 1, r, g, b);
      bytes[at + blue] = mixed(matrix, 2, r, g, b);
    }
  }
}

function mixed(matrix: readonly number[], column: number, r: number, g: number, b: number): number {
  const value = r * matrix[column] + g * matrix[4 + column] + b * matrix[8 + column] + 255 * matrix[12 + column];
  return Math.max(0, Math.min(255, Math.round(value)));
}
