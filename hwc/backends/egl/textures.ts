import {
  GL_COLOR_ATTACHMENT0,
  GL_FRAMEBUFFER,
  GL_NEAREST,
  GL_PACK_ROW_LENGTH,
  GL_R32UI,
  GL_RED_INTEGER,
  GL_RGBA,
  GL_RGBA8,
  GL_TEXTURE_2D,
  GL_TEXTURE_MAG_FILTER,
  GL_TEXTURE_MIN_FILTER,
  GL_UNPACK_ROW_LENGTH,
  GL_UNSIGNED_BYTE,
  GL_UNSIGNED_INT,
} from "../../../egl/gl.ts";
import type { Gl } from "../../../egl/mod.ts";
import type { Rect } from "../../types.ts";
import type { Surface } from "../surface.ts";

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

/** Two pictures of a target's size, used in turns: one is drawn, and the other is what it continues. */
export class Screens {
  readonly #gl: Gl;
  readonly #framebuffer: number;
  #size = "";
  #textures: readonly number[] = [];
  #drawn = 0;

  /** Without pictures. */
  constructor(gl: Gl) {
    this.#gl = gl;
    [this.#framebuffer] = gl.glGenFramebuffers(1);
  }

  /** The picture that the drawn one continues. */
  get below(): number {
    return this.#textures[1 - this.#drawn];
  }

  /** Makes pictures of a size, unless they are there. */
  fit({ width, height }: Surface): void {
    const { raw } = this.#gl, size = `${width} ${height}`;
    raw.glBindFramebuffer(GL_FRAMEBUFFER, this.#framebuffer);
    raw.glViewport(0, 0, width, height);
    if (this.#size === size) return;
    this.#drop();
    this.#textures = [0, 1].map(() => makeTexture(this.#gl, GL_RGBA8, width, height));
    this.#size = size;
  }

  /** Swaps the pictures: the next drawing continues the one just drawn. */
  next(): void {
    this.#drawn = 1 - this.#drawn;
    const { raw } = this.#gl, texture = this.#textures[this.#drawn];
    raw.glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  }

  /** Fills the drawn picture from a surface. */
  load({ address, pitch, width, height }: Surface): void {
    const { raw } = this.#gl;
    raw.glBindTexture(GL_TEXTURE_2D, this.#textures[this.#drawn]);
    raw.glPixelStorei(GL_UNPACK_ROW_LENGTH, pitch >> 2);
    raw.glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, address);
  }

  /** Copies parts of the drawn picture to a surface. The pixels are in the surface when this returns. */
  store({ address, pitch }: Surface, area: readonly Rect[]): void {
    const { raw } = this.#gl;
    raw.glPixelStorei(GL_PACK_ROW_LENGTH, pitch >> 2);
    for (const { left, top, right, bottom } of area) {
      const to = address + BigInt(top * pitch + 4 * left);
      raw.glReadPixels(left, top, right - left, bottom - top, GL_RGBA, GL_UNSIGNED_BYTE, to);
    }
  }

  /** Deletes them. */
  close(): void {
    this.#drop();
    this.#gl.glDeleteFramebuffers([this.#framebuffer]);
  }

  #drop(): void {
    if (this.#textures.length > 0) this.#gl.glDeleteTextures([...this.#textures]);
    this.#textures = [];
    this.#size = "";
  }
}
