import type { OpenCard } from "../card/card.ts";
import type { AtomicState } from "../card/commit.ts";
import type { CardCrtc } from "../card/facts.ts";

/** Sizes of `struct drm_color_ctm` and of an entry of `struct drm_color_lut` of `drm_mode.h`. */
const CTM_SIZE = 72, LUT_ENTRY = 8;
/** A one in S31.32, its sign bit, and the number of numbers in 16 bits and in 8. */
const ONE = 2 ** 32, SIGN = 1n << 63n, MOST_16 = 0xffff, MOST_8 = 0xff;
const CHANNELS = [0, 1, 2] as const;

/** The colour transform of a CRTC: a matrix, or a table for each channel. */
export class ColorPipe {
  readonly #card: OpenCard;
  readonly #crtc: CardCrtc;
  readonly #entries: number;
  /** The values that are set: the matrix as text, and the blobs. */
  #key = "";
  #ctm = 0;
  #lut = 0;

  /** Changes no colours yet. */
  constructor(card: OpenCard, crtc: CardCrtc) {
    this.#card = card;
    this.#crtc = crtc;
    this.#entries = Number(crtc.properties.GAMMA_LUT_SIZE?.value ?? 0n);
  }

  /** Whether the CRTC does what a matrix says: a row vector (r g b 1) times the matrix. */
  takes(matrix: readonly number[]): boolean {
    return this.#asTable(matrix) || this.#asMatrix(matrix);
  }

  /** Adds a matrix to a commit; without one the colours stay. */
  add(state: AtomicState, matrix: readonly number[] | undefined): void {
    const key = matrix?.join() ?? "";
    if (key !== this.#key) {
      this.#free();
      this.#key = key;
      if (matrix && this.#asTable(matrix)) this.#lut = this.#card.createBlob(tableOf(matrix, this.#entries));
      else if (matrix) this.#ctm = this.#card.createBlob(ctmOf(matrix));
    }
    this.#set(state, "CTM", this.#ctm);
    this.#set(state, "GAMMA_LUT", this.#lut);
  }

  /** Frees the blobs; the kernel keeps what is set. */
  close(): void {
    this.#free();
    this.#key = "";
  }

  /** A blob's number may come again with other contents, so that the kernel is always told. */
  #set(state: AtomicState, name: string, blob: number): void {
    if (blob === 0) state.setWhereThere(this.#crtc, name, 0);
    else state.tell(this.#crtc, name, blob);
  }

  /** Each channel for itself. */
  #asTable(matrix: readonly number[]): boolean {
    const isDiagonal = CHANNELS.every((row) =>
      CHANNELS.every((column) => row === column || at(matrix, row, column) === 0)
    );
    return isDiagonal && this.#entries > 1 && this.#crtc.properties.GAMMA_LUT !== undefined;
  }

  /** Nothing is added to a channel. */
  #asMatrix(matrix: readonly number[]): boolean {
    return this.#crtc.properties.CTM !== undefined && CHANNELS.every((column) => at(matrix, 3, column) === 0);
  }

  #free(): void {
    for (const blob of [this.#ctm, this.#lut]) if (blob !== 0) this.#card.destroyBlob(blob);
    this.#ctm = this.#lut = 0;
  }
}

function at(matrix: readonly number[], row: number, column: number): number {
  return matrix[4 * row + column];
}

/** The kernel multiplies with a column vector, so that rows and columns change places; numbers have a sign bit. */
function ctmOf(matrix: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(CTM_SIZE), view = new DataView(bytes.buffer);
  CHANNELS.forEach((to) =>
    CHANNELS.forEach((from) => {
      const value = at(matrix, from, to), size = BigInt(Math.round(Math.abs(value) * ONE));
      view.setBigUint64(8 * (3 * to + from), value < 0 ? size | SIGN : size, true);
    })
  );
  return bytes;
}

/** As many entries as there are values of 8 bits give exactly what a composition gives. */
function tableOf(matrix: readonly number[], count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(LUT_ENTRY * count), view = new DataView(bytes.buffer), last = count - 1;
  const most = last === MOST_8 ? MOST_8 : MOST_16;
  for (let entry = 0; entry < count; entry++) {
    for (const channel of CHANNELS) {
      const value = at(matrix, channel, channel) * entry / last + at(matrix, 3, channel);
      const rounded = Math.round(Math.max(0, Math.min(1, value)) * most);
      view.setUint16(LUT_ENTRY * entry + 2 * channel, rounded * MOST_16 / most, true);
    }
  }
  return bytes;
}
