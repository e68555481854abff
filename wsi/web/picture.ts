import { FrameView } from "../consumer/frame_view.ts";
import { colorSpaceOf } from "../consumer/pixels/dataspace.ts";
import type { Frame } from "../contract/frame_consumer.ts";
import type { Rect } from "../contract/window.ts";
import { WsiError } from "../error.ts";
import { halFormatOf } from "../buffer/hal_format.ts";
import { DATASPACE, FORMAT, LINEAR_DATASPACE, TRANSFORM } from "../android_values.ts";

/** Rows of RGBA pixels of 8-bit sRGB, the form that a canvas needs. */
export interface Rows {
  /** Four bytes a pixel. */
  readonly data: Uint8Array<ArrayBuffer>;
  /** Pixels from one row to the next. */
  readonly stride: number;
  /** The first pixel of each row that belongs to the picture. */
  readonly left: number;
  /** Whether the data are the buffer's own bytes, which are valid until the buffer is unlocked. */
  readonly isBuffer: boolean;
}

/** A frame as pages get it: cropped and rotated. */
export interface Picture {
  /** The frame's number. */
  readonly number: bigint;
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** The names of the buffer's format and dataspace. */
  readonly format: string;
  readonly dataspace: string;
  /** The first row of the buffer that belongs to the picture. */
  readonly top: number;
  /** Whether alpha has no meaning. */
  readonly isOpaque: boolean;
  /** The pixels; `undefined` if they cannot be shown. */
  readonly rows: Rows | undefined;
  /** The reason why the pixels cannot be shown. */
  readonly problem?: string;
}

/**
 * Makes the picture of a drawn frame. Pixels that need no conversion are not copied: the buffer then stays locked.
 * `memory` returns memory for converted pixels.
 */
export function pictureOf(frame: Frame, memory: (size: number) => Uint8Array<ArrayBuffer>): Picture {
  const part = shownPart(frame), { format } = frame.buffer, turns = (frame.transform & TRANSFORM.ROT_90) !== 0;
  const across = part.right - part.left, down = part.bottom - part.top;
  const [width, height] = turns ? [down, across] : [across, down];
  return {
    number: frame.number,
    width,
    height,
    format: formatName(format),
    dataspace: dataspaceName(frame.dataspace),
    top: part.top,
    isOpaque: format === FORMAT.RGBX_8888,
    ...rowsOf(frame, part, () => memory(4 * width * height), width),
  };
}

/** Returns the pixels, or the reason why there are none, which pages show. */
function rowsOf(
  frame: Frame,
  part: Rect,
  memory: () => Uint8Array<ArrayBuffer>,
  width: number,
): Pick<Picture, "rows" | "problem"> {
  try {
    return { rows: isDirect(frame) ? ownRows(frame, part) : convertedRows(frame, width, memory()) };
  } catch (error) {
    return { rows: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether a canvas can show the buffer's bytes unchanged. */
function isDirect({ buffer: { format, rowPitch }, dataspace, transform }: Frame): boolean {
  const isRgba = format === FORMAT.RGBA_8888 || format === FORMAT.RGBX_8888;
  return isRgba && rowPitch % 4 === 0 && transform === 0 && colorSpaceOf(dataspace) === undefined;
}

function ownRows({ buffer }: Frame, { left, top, bottom }: Rect): Rows {
  const { rowPitch } = buffer, bytes = buffer.lock() as Uint8Array<ArrayBuffer>;
  return { data: bytes.subarray(top * rowPitch, bottom * rowPitch), stride: rowPitch / 4, left, isBuffer: true };
}

function convertedRows(frame: Frame, width: number, into: Uint8Array<ArrayBuffer>): Rows {
  const view = new FrameView(frame);
  try {
    return { data: view.toRgba({ into }).data, stride: width, left: 0, isBuffer: false };
  } finally {
    view.end();
  }
}

function formatName(format: number): string {
  const name = halFormatOf(format)?.name;
  return name?.replace("HAL_PIXEL_FORMAT_", "") ?? `HAL_PIXEL_FORMAT 0x${format.toString(16)}`;
}

/** The part of the crop inside the buffer; the whole buffer for an empty crop. */
function shownPart({ buffer: { width, height }, crop }: Frame): Rect {
  const left = Math.max(0, crop.left), top = Math.max(0, crop.top);
  const right = Math.min(width, crop.right), bottom = Math.min(height, crop.bottom);
  return left < right && top < bottom
    ? { left, top, right, bottom }
    : { left: 0, top: 0, right: width, bottom: height };
}

/** The usual names of the dataspaces that Android's swapchain gives to windows. */
const NAMES: Readonly<Record<number, string>> = {
  [DATASPACE.UNKNOWN]: "unknown",
  [DATASPACE.ARBITRARY]: "arbitrary",
  [DATASPACE.V0_SRGB]: "sRGB",
  [DATASPACE.DISPLAY_P3]: "Display P3",
  [DATASPACE.V0_SCRGB_LINEAR]: "scRGB linear",
  [DATASPACE.V0_SCRGB]: "scRGB",
  [LINEAR_DATASPACE.DISPLAY_P3]: "DCI-P3 linear",
  [DATASPACE.DCI_P3]: "DCI-P3",
  [DATASPACE.V0_SRGB_LINEAR]: "BT.709 linear",
  [DATASPACE.V0_BT709]: "BT.709",
  [LINEAR_DATASPACE.BT2020]: "BT.2020 linear",
  [LINEAR_DATASPACE.EXTENDED_BT2020]: "BT.2020 linear, extended",
  [DATASPACE.BT2020_PQ]: "BT.2020 PQ",
  [DATASPACE.BT2020_HLG]: "BT.2020 HLG",
  [LINEAR_DATASPACE.ADOBE_RGB]: "Adobe RGB linear",
  [DATASPACE.ADOBE_RGB]: "Adobe RGB",
};

/** The name of an `android_dataspace`, or its number. */
function dataspaceName(dataspace: number): string {
  return NAMES[dataspace] ?? `0x${(dataspace >>> 0).toString(16).padStart(8, "0")}`;
}

/** Encodes a picture as a PNG. */
export async function pngOf(picture: Picture): Promise<Uint8Array> {
  const { width, height, rows, isOpaque, problem } = picture;
  if (!rows) throw new WsiError("unsupported", `Cannot make a PNG of a frame: ${problem}`);
  const data = new Uint8Array(4 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 4 * (y * rows.stride + rows.left);
    data.set(rows.data.subarray(from, from + 4 * width), 4 * y * width);
  }
  if (isOpaque) { for (let alpha = 3; alpha < data.length; alpha += 4) data[alpha] = 255; }
  const { encode } = await import("fast-png"); // loaded here, because most programs take no snapshot
  return encode({ width, height, data, channels: 4 });
}
