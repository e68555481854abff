import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { fourcc } from "../../../wsi/buffer/hal_format.ts";
import type { OpenCard } from "./card.ts";
import { closeDumbBuffer, createDumbBuffer, type DumbBuffer } from "./dumb_buffer.ts";

/** The formats that pixels of RGBA_8888 can be copied to: as they are, and with red and blue exchanged. */
const SAME: readonly number[] = ["AB24", "XB24"].map(fourcc),
  EXCHANGED: readonly number[] = ["XR24", "AR24"].map(fourcc);

/** Pictures that the card shows in turn, so that none is written while it is on the screen. */
const TURNS = 2;

/** Buffers of the card, to which pictures are copied whose memory the card cannot read. */
export class Staging {
  readonly #card: OpenCard;
  #buffers: DumbBuffer[] = [];
  #key = "";
  #turn = 0;

  /** Has none yet. */
  constructor(card: OpenCard) {
    this.#card = card;
  }

  /**
   * Returns the framebuffer with a copy of a picture of RGBA_8888; 0 if the card has no fitting format. Without `copies`
   * the framebuffer is only asked about.
   */
  of(buffer: GraphicBuffer, formats: readonly number[], copies: boolean): number {
    const { width, height } = buffer, format = [...SAME, ...EXCHANGED].find((each) => formats.includes(each));
    if (format === undefined) return 0;
    const key = `${width} ${height} ${format}`;
    if (key !== this.#key) {
      this.close();
      this.#key = key;
      const make = () => createDumbBuffer(this.#card, width, height, format);
      this.#buffers = Array.from({ length: TURNS }, make).filter((each) => !!each);
    }
    if (copies) this.#turn = (this.#turn + 1) % TURNS;
    const own = this.#buffers[this.#turn];
    if (own && copies) copyPixels(buffer, own, EXCHANGED.includes(format));
    return own?.framebuffer ?? 0;
  }

  /** Gives the buffers back. */
  close(): void {
    for (const each of this.#buffers) closeDumbBuffer(this.#card, each);
    this.#buffers = [];
    this.#key = "";
  }
}

function copyPixels(buffer: GraphicBuffer, { words, pitch }: DumbBuffer, exchanges: boolean): void {
  const { width, height, rowPitch } = buffer, pixels = new Uint32Array(buffer.lock().buffer);
  try {
    for (let y = 0; y < height; y++) {
      const row = pixels.subarray(y * rowPitch / 4, y * rowPitch / 4 + width), to = y * pitch / 4;
      if (!exchanges) words.set(row, to);
      else for (let x = 0; x < width; x++) words[to + x] = exchanged(row[x]);
    }
  } finally {
    buffer.unlock();
  }
}

function exchanged(pixel: number): number {
  return pixel & 0xff00_ff00 | (pixel & 0xff) << 16 | pixel >>> 16 & 0xff;
}
