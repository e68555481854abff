import { peek32, peek64 } from "../../../../../ffi/machine.ts";
import type { Image } from "../../../../support/image.ts";
import { NativeProgram } from "../../../install/programs/call_native.ts";

/** Byte offsets of the needed members of XImage. */
const XIMAGE = { data: 16n, bytesPerLine: 44n, bitsPerPixel: 48n } as const;
const Z_PIXMAP = 2, ALL_PLANES = 0xffffffffn, BLACK = 0n;

/** A window on the X server of `DISPLAY`, through Xlib. */
export class XWindow implements Disposable {
  /** `Display *`. */
  readonly display: bigint;
  /** The window's XID. */
  readonly window: bigint;
  readonly #size: { width: number; height: number };
  readonly #xlib = new NativeProgram("libX11.so.6");

  /** Opens it at the top left corner, on screen when this returns: there is no window manager to wait for. */
  constructor(size: { width: number; height: number }) {
    this.#size = size;
    this.display = this.#xlib.call("XOpenDisplay", "q:q", 0n) as bigint;
    if (this.display === 0n) throw new Error("XOpenDisplay returned NULL: is there an X server in DISPLAY?");
    const root = this.#xlib.call("XDefaultRootWindow", "q:q", this.display) as bigint;
    const place = [this.display, root, 0, 0, size.width, size.height] as const;
    this.window = this.#xlib.call("XCreateSimpleWindow", "q:qqsswwwqq", ...place, 0, BLACK, BLACK) as bigint;
    this.#xlib.call("XMapWindow", "s:qq", this.display, this.window);
    this.#sync();
  }

  /** The picture in the window. */
  read(): Image {
    this.#sync();
    const { width, height } = this.#size, area = [0, 0, width, height, ALL_PLANES, Z_PIXMAP] as const;
    const image = this.#xlib.call("XGetImage", "q:qqsswwqs", this.display, this.window, ...area) as bigint;
    if (image === 0n || peek32(image + XIMAGE.bitsPerPixel) !== 32) throw new Error("XGetImage gave no 32-bit image");
    const stride = peek32(image + XIMAGE.bytesPerLine), from = Deno.UnsafePointer.create(peek64(image + XIMAGE.data))!;
    const bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(from, stride * height));
    const rows = Array.from({ length: height }, (_, row) => bytes.subarray(row * stride, row * stride + 4 * width));
    return { width, height, data: swapRedAndBlue(rows) };
  }

  /** Closes the window and the connection. */
  [Symbol.dispose](): void {
    this.#xlib.call("XDestroyWindow", "s:qq", this.display, this.window);
    this.#xlib.call("XCloseDisplay", "s:q", this.display);
  }

  #sync(): void {
    this.#xlib.call("XSync", "s:qs", this.display, 0);
  }
}

/** Turns rows of BGRA or RGBA pixels into opaque ones of the other order. */
export function swapRedAndBlue(rows: readonly Uint8Array[]): Uint8Array {
  const swapped = new Uint8Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const row of rows) {
    for (let x = 0; x < row.length; x += 4) {
      swapped[at++] = row[x + 2];
      swapped[at++] = row[x + 1];
      swapped[at++] = row[x];
      swapped[at++] = 255;
    }
  }
  return swapped;
}
