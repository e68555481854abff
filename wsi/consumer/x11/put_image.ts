import type { XConnection } from "./connection.ts";
import type { Paint } from "./painter.ts";
import type { Segment } from "./segments.ts";
import type { WindowHandle } from "./window_handle.ts";

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
