import { FrameView } from "../consumer/frame_view.ts";
import { colorSpaceOf } from "../consumer/pixels/dataspace.ts";
import type { Frame } from "../contract/frame_consumer.ts";
import type { Rect } from "../contract/window.ts";
import { WsiError } from "../error.ts";
import { pixelFormatOfHal } from "../pixel_format.ts";

const RGBA_8888 = 1, RGBX_8888 = 2, ROT_90 = 4;
const FORMAT_NAMES: Readonly<Record<number, string>> = { 2: "RGBX_8888", 5: "BGRA_8888", 0x3b: "RGBA_10101010" };

/** Rows of RGBA pixels of 8-bit sRGB, as a canvas wants them. */
export interface Rows {
  /** Four bytes a pixel. */
  readonly data: Uint8Array<ArrayBuffer>;
  /** Pixels from one row to the next. */
  readonly stride: number;
  /** The pixel of each row that the picture begins with. */
  readonly left: number;
  /** Whether these are the buffer's own bytes, good until it is unlocked. */
  readonly isBuffer: boolean;
}

/** A frame as pages get it: cropped and turned. */
export interface Picture {
  /** The frame's number. */
  readonly number: bigint;
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** The buffer's format and dataspace, for people. */
  readonly format: string;
  readonly dataspace: string;
  /** The row of the buffer that the picture begins with. */
  readonly top: number;
  /** Whether alpha means nothing. */
  readonly isOpaque: boolean;
  /** The pixels; `undefined` when they cannot be shown. */
  readonly rows: Rows | undefined;
  /** Why they cannot be shown. */
  readonly problem?: string;
}

/**
 * Makes the picture of a frame that is drawn. What needs no conversion is not
 * copied: the buffer stays locked then. `memory` gives room for what does.
 */
export function pictureOf(frame: Frame, memory: (size: number) => Uint8Array<ArrayBuffer>): Picture {
  const part = shownPart(frame), { format } = frame.buffer, turns = (frame.transform & ROT_90) !== 0;
  const across = part.right - part.left, down = part.bottom - part.top;
  const [width, height] = turns ? [down, across] : [across, down];
  return {
    number: frame.number,
    width,
    height,
    format: formatName(format),
    dataspace: dataspaceName(frame.dataspace),
    top: part.top,
    isOpaque: format === RGBX_8888,
    ...rowsOf(frame, part, () => memory(4 * width * height), width),
  };
}

/** The pixels, or why there are none: pages say so, and the window goes on. */
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

/** Whether a canvas can show the buffer's bytes as they are. */
function isDirect({ buffer: { format, rowPitch }, dataspace, transform }: Frame): boolean {
  const isRgba = format === RGBA_8888 || format === RGBX_8888;
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
  const name = pixelFormatOfHal(format)?.name ?? FORMAT_NAMES[format];
  return name?.replace("HAL_PIXEL_FORMAT_", "") ?? `HAL_PIXEL_FORMAT 0x${format.toString(16)}`;
}

/** The crop, as far as it lies in the buffer; an empty one means all of it. */
function shownPart({ buffer: { width, height }, crop }: Frame): Rect {
  const left = Math.max(0, crop.left), top = Math.max(0, crop.top);
  const right = Math.min(width, crop.right), bottom = Math.min(height, crop.bottom);
  return left < right && top < bottom
    ? { left, top, right, bottom }
    : { left: 0, top: 0, right: width, bottom: height };
}

/** The dataspaces that Android's swapchain gives to windows, by what people call them. */
const NAMES: Readonly<Record<number, string>> = {
  0: "unknown",
  1: "arbitrary",
  0x08810000: "sRGB",
  0x088a0000: "Display P3",
  0x18410000: "scRGB linear",
  0x18810000: "scRGB",
  0x084a0000: "DCI-P3 linear",
  0x094a0000: "DCI-P3",
  0x08410000: "BT.709 linear",
  0x10c10000: "BT.709",
  0x08460000: "BT.2020 linear",
  0x18460000: "BT.2020 linear, extended",
  0x09c60000: "BT.2020 PQ",
  0x0a060000: "BT.2020 HLG",
  0x084b0000: "Adobe RGB linear",
  0x090b0000: "Adobe RGB",
};

/** An `android_dataspace` for people: its name, or its number. */
function dataspaceName(dataspace: number): string {
  return NAMES[dataspace] ?? `0x${(dataspace >>> 0).toString(16).padStart(8, "0")}`;
}

/** A picture as a PNG. */
export async function pngOf(picture: Picture): Promise<Uint8Array> {
  const { width, height, rows, isOpaque, problem } = picture;
  if (!rows) throw new WsiError("unsupported", `Cannot make a PNG of a frame: ${problem}`);
  const data = new Uint8Array(4 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 4 * (y * rows.stride + rows.left);
    data.set(rows.data.subarray(from, from + 4 * width), 4 * y * width);
  }
  if (isOpaque) { for (let alpha = 3; alpha < data.length; alpha += 4) data[alpha] = 255; }
  const { encode } = await import("fast-png"); // most programs never want one
  return encode({ width, height, data, channels: 4 });
}
