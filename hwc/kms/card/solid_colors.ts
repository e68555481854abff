import { fourcc } from "../../../wsi/buffer/hal_format.ts";
import type { Color } from "../../types.ts";
import type { OpenCard } from "./card.ts";
import { closeDumbBuffer, createDumbBuffer, type DumbBuffer } from "./dumb_buffer.ts";

/** Frames after which a colour that was not shown again is given back: the frame before may still be on the screen. */
const KEPT = 2;
/** More colours than planes can show: those that the kernel was only asked about are given back. */
const MOST = 32;
/** The formats of colours, with and without alpha, whose lowest byte is red; in all others that byte is blue. */
const RED_FIRST: readonly number[] = ["AB24", "XB24"].map(fourcc);
const FULL = 255, BYTE = 8;
/** Pixels by which pictures grow: cards refuse very small ones, and a layer that is resized keeps its picture. */
const STEP = 64;

/** A picture of one colour, and the frames in which it was shown and looked at last. */
interface Picture {
  readonly buffer: DumbBuffer | undefined;
  shown: number;
  used: number;
}

/** Pictures of one colour, for planes: buffers of the card that are filled once. */
export class SolidColors {
  readonly #card: OpenCard;
  readonly #known = new Map<string, Picture>();
  #frame = 0;

  /** Has none yet. */
  constructor(card: OpenCard) {
    this.#card = card;
  }

  /**
   * Returns the framebuffer of a colour in a size, or larger, and a format; 0 if the card makes no such buffer. `isShown`
   * says that a frame is to show the colour; otherwise the kernel is only asked.
   */
  of(color: Color, width: number, height: number, format: number, isShown: boolean): number {
    const pixel = pixelOf(color, RED_FIRST.includes(format)), [across, down] = [width, height].map(rounded);
    const key = `${pixel} ${across} ${down} ${format}`;
    const found = this.#known.get(key) ?? this.#make(key, pixel, across, down, format);
    found.used = this.#frame;
    if (isShown) found.shown = this.#frame;
    return found.buffer?.framebuffer ?? 0;
  }

  /** A frame was shown: gives back the colours that no frame shows any more. */
  shown(): void {
    this.#frame++;
    this.#free(({ used }) => this.#frame - used > KEPT);
  }

  /** Gives all back. What is on the screen goes dark. */
  close(): void {
    this.#free(() => true);
  }

  #make(key: string, pixel: number, width: number, height: number, format: number): Picture {
    if (this.#known.size >= MOST) this.#free(({ shown }) => this.#frame - shown > KEPT);
    const buffer = createDumbBuffer(this.#card, width, height, format), made = { buffer, shown: -Infinity, used: 0 };
    buffer?.words.fill(pixel);
    this.#known.set(key, made);
    return made;
  }

  #free(isOver: (picture: Picture) => boolean): void {
    for (const [key, picture] of this.#known) {
      if (!isOver(picture)) continue;
      this.#known.delete(key);
      if (picture.buffer) closeDumbBuffer(this.#card, picture.buffer);
    }
  }
}

function rounded(size: number): number {
  return Math.ceil(size / STEP) * STEP;
}

/** A pixel of 32 bits, in the rounding of the client's composition. */
function pixelOf({ r, g, b, a }: Color, isRedFirst: boolean): number {
  const channels = isRedFirst ? [r, g, b, a] : [b, g, r, a];
  return channels.reduce((bits, channel, at) => (bits | Math.round(FULL * channel) << BYTE * at) >>> 0, 0);
}
