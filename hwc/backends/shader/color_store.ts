import type { ColorConversion } from "../colors/color_conversion.ts";
import { LINEAR_ONE } from "../colors/color_conversion.ts";

/** Conversions that are kept. */
const PLACES = 16;
const DECODE_WORDS = 256, ENCODE_WORDS = (LINEAR_ONE >> 2) + 1, WORDS = DECODE_WORDS + ENCODE_WORDS;

/** Bytes of all tables. */
export const COLOR_BYTES: number = 4 * PLACES * WORDS;

/** The tables of colour conversions where the shader finds them. */
export class ColorStore {
  readonly #view: DataView;
  readonly #keys: string[] = [];
  #writes = 0;

  /** Makes a store without colours; the view has {@linkcode COLOR_BYTES}. */
  constructor(view: DataView) {
    this.#view = view;
  }

  /** The number of writes: the owner of a copy sees from it that the copy is old. */
  get writes(): number {
    return this.#writes;
  }

  /** The most conversions of one submission. */
  static readonly places = PLACES;

  /**
   * Makes room before a submission: if the submission's conversions do not fit
   * beside the kept ones, all kept ones are dropped.
   */
  makeRoom(conversions: readonly ColorConversion[]): void {
    if (new Set([...this.#keys, ...conversions.map(({ key }) => key)]).size > PLACES) this.#keys.length = 0;
  }

  /** The first words of a conversion's tables. */
  placeOf(conversion: ColorConversion | undefined): readonly [decode: number, encode: number] {
    if (!conversion) return [0, 0];
    const known = this.#keys.indexOf(conversion.key), place = known < 0 ? this.#put(conversion) : known;
    return [place * WORDS, place * WORDS + DECODE_WORDS];
  }

  #put({ key, tables }: ColorConversion): number {
    this.#writes++;
    const place = this.#keys.push(key) - 1, at = 4 * place * WORDS;
    tables.decode.forEach((value, index) => this.#view.setUint32(at + 4 * index, value, true));
    tables.encode.forEach((value, index) => this.#view.setUint8(at + 4 * DECODE_WORDS + index, value));
    return place;
  }
}
