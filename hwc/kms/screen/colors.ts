import type { PerFrameMetadata } from "../../composer_records.ts";
import { HDR, METADATA_KEY } from "../../device_types.ts";
import type { PlaneLayer, PlaneModel } from "../../planes/plane.ts";
import { COMPOSITION, DATASPACE } from "../../types.ts";
import type { OpenCard } from "../card/card.ts";
import type { AtomicState } from "../card/commit.ts";
import { hdrOf } from "../card/edid_hdr.ts";
import type { CardConnector, CardCrtc } from "../card/facts.ts";

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

/** `struct hdr_output_metadata` of `drm_mode.h`: the transfer function, primaries with white, luminances. */
const METADATA = {
  eotf: 4,
  primaries: 6,
  maxLuminance: 22,
  minLuminance: 24,
  maxContent: 26,
  maxAverage: 28,
  size: 32,
};
/** Units: 0.00002 of a coordinate, 0.0001 cd/m² of the least luminance. */
const COORDINATE = 50_000, LEAST = 10_000;
/** Transfer functions of CTA-861, by dataspace, with the display's ability that each takes. */
const FUNCTIONS: Readonly<Record<number, { readonly eotf: number; readonly type: number }>> = {
  [DATASPACE.BT2020_PQ]: { eotf: 2, type: HDR.HDR10 },
  [DATASPACE.BT2020_ITU_PQ]: { eotf: 2, type: HDR.HDR10 },
  [DATASPACE.BT2020_HLG]: { eotf: 3, type: HDR.HLG },
  [DATASPACE.BT2020_ITU_HLG]: { eotf: 3, type: HDR.HLG },
};
/** The value of `Colorspace` for BT.2020. */
const BT2020 = "BT2020_RGB";

/** The HDR of a link to a display: on while all that is shown has one HDR dataspace, since cards convert none. */
export class HdrState {
  readonly #card: OpenCard;
  /** The metadata that are set, as text, and their blob. */
  #key = "";
  #blob = 0;

  /** Is off. */
  constructor(card: OpenCard) {
    this.#card = card;
  }

  /** Adds to a commit what the layers of a frame take. Returns whether that changes, which is a change of the mode. */
  add(state: AtomicState, connector: CardConnector, layers: readonly PlaneLayer[]): boolean {
    if (!connector.properties.HDR_OUTPUT_METADATA) return false;
    const dataspace = hdrDataspace(connector, layers), before = this.#key;
    const metadata = layers.find((layer) => layer.metadata?.length)?.metadata ?? [];
    this.#key = dataspace === undefined ? "" : JSON.stringify([dataspace, metadata]);
    if (this.#key !== before) {
      this.close();
      if (dataspace !== undefined) this.#blob = this.#card.createBlob(bytesOf(FUNCTIONS[dataspace].eotf, metadata));
    }
    const { Colorspace } = connector.properties, wide = Colorspace?.values?.[BT2020];
    if (this.#blob === 0) state.set(connector, "HDR_OUTPUT_METADATA", 0);
    else state.tell(connector, "HDR_OUTPUT_METADATA", this.#blob);
    if (wide !== undefined) state.set(connector, "Colorspace", this.#blob === 0 ? 0n : wide);
    return this.#key !== before;
  }

  /** Frees the blob; the kernel keeps what is set. */
  close(): void {
    if (this.#blob !== 0) this.#card.destroyBlob(this.#blob);
    this.#blob = 0;
  }
}

/** The HDR dataspace that all layers have and the display shows; `undefined` if there is none. */
export function hdrDataspace({ edid, properties }: CardConnector, layers: readonly PlaneLayer[]): number | undefined {
  const shown = layers.filter(({ composition }) => composition !== COMPOSITION.INVALID), [first] = shown;
  const known = first && FUNCTIONS[first.dataspace];
  if (!known || !edid || !properties.HDR_OUTPUT_METADATA) return undefined;
  const isSame = shown.every(({ dataspace }) => dataspace === first.dataspace);
  return isSame && hdrOf(edid)?.types.includes(known.type) ? first.dataspace : undefined;
}

/** The model of planes that show one HDR dataspace as it is. */
export function withDataspace(model: PlaneModel, dataspace: number): PlaneModel {
  return { ...model, planes: model.planes.map((plane) => ({ ...plane, dataspaces: [dataspace] })) };
}

function bytesOf(eotf: number, metadata: readonly PerFrameMetadata[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(METADATA.size), view = new DataView(bytes.buffer);
  const put = (at: number, key: number, unit: number) => {
    const value = metadata.find((one) => one.key === key)?.value ?? 0;
    view.setUint16(at, Math.min(MOST_16, Math.max(0, Math.round(value * unit))), true);
  };
  view.setUint8(METADATA.eotf, eotf);
  // The keys of the coordinates have the order of the struct: red, green, blue, white.
  for (let key: number = METADATA_KEY.DISPLAY_RED_PRIMARY_X; key <= METADATA_KEY.WHITE_POINT_Y; key++) {
    put(METADATA.primaries + 2 * key, key, COORDINATE);
  }
  put(METADATA.maxLuminance, METADATA_KEY.MAX_LUMINANCE, 1);
  put(METADATA.minLuminance, METADATA_KEY.MIN_LUMINANCE, LEAST);
  put(METADATA.maxContent, METADATA_KEY.MAX_CONTENT_LIGHT_LEVEL, 1);
  put(METADATA.maxAverage, METADATA_KEY.MAX_FRAME_AVERAGE_LIGHT_LEVEL, 1);
  return bytes;
}
