import {
  GL_NEAREST,
  GL_R32UI,
  GL_RED_INTEGER,
  GL_TEXTURE_2D,
  GL_TEXTURE_MAG_FILTER,
  GL_TEXTURE_MIN_FILTER,
  GL_UNPACK_ROW_LENGTH,
  GL_UNSIGNED_INT,
} from "../../../egl/gl.ts";
import type { Gl } from "../../../egl/mod.ts";

/** Words in a row of such a texture; the shaders know it, too. */
export const ROW_WORDS = 2048;

/** A new texture without mipmaps that is read texel by texel. */
export function makeTexture(gl: Gl, format: number, width: number, height: number): number {
  const [texture] = gl.glGenTextures(1);
  gl.raw.glBindTexture(GL_TEXTURE_2D, texture);
  for (const name of [GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER]) {
    gl.raw.glTexParameteri(GL_TEXTURE_2D, name, GL_NEAREST);
  }
  gl.raw.glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
  return texture;
}

/** Memory as a texture of words, whatever is in it: the shaders take formats apart. */
export class WordTexture {
  /** GL's name of it. */
  readonly texture: number;
  readonly #gl: Gl;
  readonly #words: number;

  /** For so many bytes, a multiple of 4. */
  constructor(gl: Gl, bytes: number) {
    this.#gl = gl;
    this.#words = bytes >> 2;
    this.texture = makeTexture(gl, GL_R32UI, ROW_WORDS, rowsOf(bytes));
  }

  /** Copies memory there. */
  upload(address: bigint): void {
    const { raw } = this.#gl, rows = Math.floor(this.#words / ROW_WORDS), rest = this.#words % ROW_WORDS;
    raw.glBindTexture(GL_TEXTURE_2D, this.texture);
    raw.glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    const copy = (y: number, width: number, height: number) => {
      const from = address + BigInt(4 * ROW_WORDS * y);
      raw.glTexSubImage2D(GL_TEXTURE_2D, 0, 0, y, width, height, GL_RED_INTEGER, GL_UNSIGNED_INT, from);
    };
    if (rows > 0) copy(0, ROW_WORDS, rows);
    if (rest > 0) copy(rows, rest, 1);
  }

  /** Deletes it. */
  close(): void {
    this.#gl.glDeleteTextures([this.texture]);
  }
}

/** Rows of a texture for so many bytes. */
export function rowsOf(bytes: number): number {
  return Math.ceil(bytes / (4 * ROW_WORDS));
}
