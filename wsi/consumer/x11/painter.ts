import { allocateBuffer } from "../../buffer/gralloc.ts";
import type { GraphicBuffer } from "../../buffer/graphic_buffer.ts";
import { MODIFIER } from "../../buffer/modifier.ts";
import { USAGE } from "../../buffer/usage.ts";
import type { Frame } from "../../contract/frame_consumer.ts";
import type { Rect } from "../../contract/window.ts";
import { WsiError } from "../../error.ts";
import { FrameView } from "../frame_view.ts";
import { colorSpaceOf } from "../pixels/dataspace.ts";
import { visiblePart } from "../pixels/sample_map.ts";
import type { XConnection } from "./connection.ts";
import type { Segment } from "./segments.ts";
import type { XScreen } from "./setup.ts";
import type { WindowHandle } from "./window_handle.ts";
import { FORMAT, SCALING_MODE, TRANSFORM } from "../../android_values.ts";

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A picture in memory, in a form that the server can take unchanged. */
export interface Paint {
  readonly buffer: GraphicBuffer;
  /** Pixels from one row to the next, and rows. */
  readonly stride: number;
  readonly height: number;
  /** The part to show. */
  readonly part: Rect;
  /** The place in the window; negative if the picture is larger. */
  readonly x: number;
  readonly y: number;
  /** Whether the pixels were copied. */
  readonly isCopy: boolean;
}

/** A painter's access to shared buffers. */
export interface Sharing {
  /** Whether the server can read the buffer in place. */
  isShared(buffer: GraphicBuffer): boolean;
  /** Waits until the server has read it. */
  settle(buffer: GraphicBuffer): void;
}

/** Makes pictures of frames that fit an X screen: the frame's own buffer where it does, else a copy. */
export class Painter {
  /** The number of frames that were copied. */
  copies = 0;
  #order: "rgba" | "bgra";
  #sharing: Sharing;
  #staging: (GraphicBuffer | undefined)[] = [undefined, undefined];
  #turn = 0;

  /** Throws a {@linkcode WsiError} `unsupported` for screens whose pixels are not four bytes of RGBX or BGRX. */
  constructor(screen: XScreen, sharing: Sharing) {
    this.#sharing = sharing;
    const [red, green, blue] = screen.masks,
      bgra = red === 0xff0000 && blue === 0xff,
      rgba = red === 0xff && blue === 0xff0000;
    if (!screen.isLittleEndian || screen.bitsPerPixel !== 32 || green !== 0xff00 || !(bgra || rgba)) {
      const found = `${screen.bitsPerPixel} bits a pixel, red ${red.toString(16)}, blue ${blue.toString(16)}`;
      throw new WsiError(
        "unsupported",
        `Cannot show frames on this X screen: it has ${found}; use one of depth 24`,
      );
    }
    this.#order = bgra ? "bgra" : "rgba";
  }

  /** Returns the picture of a frame in a window's size. A copy is valid until the second next call. */
  paint(frame: Frame, window: Size): Paint {
    const { buffer } = frame, part = visiblePart(buffer.width, buffer.height, frame.crop);
    const size = shownSize(frame, part, window), isWhole = frame.scalingMode !== SCALING_MODE.SCALE_CROP;
    const [x, y] = isWhole ? [0, 0] : [(window.width - size.width) >> 1, (window.height - size.height) >> 1];
    if (this.#fits(frame, part, size)) {
      return { buffer, stride: buffer.stride, height: buffer.height, part, x, y, isCopy: false };
    }
    return { ...this.#copy(frame, size), x, y };
  }

  /** Gives its memory back. A second call does nothing. */
  close(): void {
    for (const buffer of this.#staging) buffer?.close();
    this.#staging = [];
  }

  #fits({ buffer, dataspace, transform }: Frame, part: Rect, size: Size): boolean {
    const { format, stride, modifier } = buffer, isBgra = format === FORMAT.BGRA_8888;
    if (modifier !== MODIFIER.LINEAR) return false; // the server reads rows
    if (!isBgra && format !== FORMAT.RGBA_8888 && format !== FORMAT.RGBX_8888) return false;
    if (isBgra !== (this.#order === "bgra") || (transform & 7) !== 0 || colorSpaceOf(dataspace)) return false;
    if (part.right - part.left !== size.width || part.bottom - part.top !== size.height) return false;
    // The socket takes whole rows only, and pixels beside the picture must not be seen.
    return (part.left === 0 && part.right === stride) || this.#sharing.isShared(buffer);
  }

  #copy(frame: Frame, size: Size): Omit<Paint, "x" | "y"> {
    const { width, height } = size, buffer = this.#stage(size), view = new FrameView(frame);
    this.#sharing.settle(buffer);
    view.toRgba({ size, order: this.#order, into: buffer.lock() as Uint8Array<ArrayBuffer> });
    buffer.unlock();
    view.end();
    this.copies++;
    return { buffer, stride: width, height, part: { left: 0, top: 0, right: width, bottom: height }, isCopy: true };
  }

  /** Two pictures take turns: one is written while the server reads the other. */
  #stage({ width, height }: Size): GraphicBuffer {
    const turn = this.#turn ^= 1, known = this.#staging[turn];
    if (known && known.width === width && known.height === height) return known;
    known?.close();
    const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN;
    return this.#staging[turn] = allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage });
  }
}

/** The size at which a frame is shown, by its scaling mode: the window's size by default. */
function shownSize({ scalingMode, transform }: Frame, part: Rect, window: Size): Size {
  if (scalingMode === SCALING_MODE.SCALE_TO_WINDOW) return { width: window.width, height: window.height };
  const across = part.right - part.left, down = part.bottom - part.top;
  const [width, height] = transform & TRANSFORM.ROT_90 ? [down, across] : [across, down];
  if (scalingMode !== SCALING_MODE.SCALE_CROP) return { width, height };
  // As large as it must be to cover the window; the server cuts off what sticks out.
  const scale = Math.max(window.width / width, window.height / height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

const Z_PIXMAP = 2;
/** Bytes of a PutImage request before its pixels, with the longer length of large requests. */
const HEADER = 28;

/** Makes the server read a picture out of shared memory. The server sends an event when it is done. */
export function putShared(connection: XConnection, window: WindowHandle, segment: Segment, paint: Paint): void {
  const { stride, height, part, x, y } = paint;
  const size = [stride, height, part.left, part.top, part.right - part.left, part.bottom - part.top] as const;
  const to = [x, y, connection.screen.depth, Z_PIXMAP, 1] as const;
  connection.call("xcb_shm_put_image", window.id, window.gc, ...size, ...to, segment.id, 0);
  segment.asked++;
  connection.flush();
}

/** Sends a picture through the socket. Each request takes as many whole rows as fit. */
export function putPlain(connection: XConnection, window: WindowHandle, paint: Paint): void {
  const { buffer, stride, part, x, y } = paint, rowBytes = 4 * stride;
  const most = Math.max(1, Math.floor((connection.largestRequest - HEADER) / rowBytes));
  for (let row = part.top; row < part.bottom; row += most) {
    const rows = Math.min(most, part.bottom - row), from = buffer.memory.address + BigInt(row * rowBytes);
    const to = [stride, rows, x - part.left, y + row - part.top, 0, connection.screen.depth] as const;
    connection.call("xcb_put_image", Z_PIXMAP, window.id, window.gc, ...to, rows * rowBytes, from);
  }
  connection.flush();
}
