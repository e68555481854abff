/**
 * Another client of an X server, which looks at windows and sends them events
 * as a window manager or a user would.
 *
 * @module
 */
import { arena } from "../../../../ffi/arena.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { XConnection } from "../../../../wsi/consumer/x11/connection.ts";

const Z_PIXMAP = 2, ALL_PLANES = 0xffffffff;
/** The map state of a window that is on the screen, as all that it lies in. */
const VIEWABLE = 2;

/** A second connection to a server. */
export class XClient implements Disposable {
  /** The client's connection. */
  readonly connection: XConnection;
  /** The display it is connected to. */
  readonly display: string;
  #library = Library.open("libxcb.so.1");
  #address: bigint;

  constructor(display: string) {
    this.display = display;
    this.connection = new XConnection(display);
    this.#address = this.connection.address;
  }

  /** The pixels of a part of a window, 0xRRGGBB each, rows one after the other. */
  pixels(window: number, x: number, y: number, width: number, height: number): number[] {
    this.sync();
    const cookie = this.#call("xcb_get_image", "w:qwwsswww", Z_PIXMAP, window, x, y, width, height, ALL_PLANES);
    const reply = this.#reply("xcb_get_image_reply", cookie);
    return Array.from({ length: width * height }, (_, index) => reply.getUint32(32 + 4 * index, true) & 0xffffff);
  }

  /** Sends a window an event: 32 bytes, as if it had happened. */
  send(
    window: number,
    mask: number,
    event: readonly (readonly [at: number, bits: 8 | 16 | 32, value: number])[],
  ): void {
    const memory = arena(), mark = memory.mark(), at = memory.alloc(32);
    memory.bytes.fill(0, at, at + 32);
    for (const [offset, bits, value] of event) {
      if (bits === 8) memory.view.setUint8(at + offset, value);
      else if (bits === 16) memory.view.setUint16(at + offset, value, true);
      else memory.view.setUint32(at + offset, value >>> 0, true);
    }
    // xcb_void_cookie_t xcb_send_event(c, propagate, destination, event_mask, event)
    this.#call("xcb_send_event", "w:qwwwo", 0, window, mask, at);
    memory.release(mark);
    this.sync();
  }

  /** Asks for a window to be closed, as window managers do. */
  askToClose(window: number): void {
    const [type, value] = ["WM_PROTOCOLS", "WM_DELETE_WINDOW"].map((name) => this.connection.atom(name));
    this.send(window, 0, [[0, 8, 33], [1, 8, 32], [4, 32, window], [8, 32, type], [12, 32, value]]);
  }

  /** Moves and resizes a window. */
  place(window: number, x: number, y: number, width: number, height: number): void {
    const memory = arena(), mark = memory.mark(), at = memory.alloc(16);
    [x, y, width, height].forEach((value, index) => memory.view.setInt32(at + 4 * index, value, true));
    this.#call("xcb_configure_window", "w:qwwo", window, 15, at); // x, y, width, height
    memory.release(mark);
    this.sync();
  }

  /** A window's title. */
  title(window: number): string {
    // (c, delete, window, property, type, long_offset, long_length)
    const cookie = this.#call(
      "xcb_get_property",
      "w:qwwwwww",
      0,
      window,
      this.connection.atom("_NET_WM_NAME"),
      0,
      0,
      99,
    );
    const reply = this.#reply("xcb_get_property_reply", cookie);
    return new TextDecoder().decode(new Uint8Array(reply.buffer, 32, reply.getUint32(16, true)));
  }

  /** The number of windows of the root window. */
  windows(): number {
    return this.windowIds().length;
  }

  /** Their numbers, the lowest one first. */
  windowIds(): number[] {
    const cookie = this.#call("xcb_query_tree", "w:qw", this.connection.screen.root);
    const reply = this.#reply("xcb_query_tree_reply", cookie), count = reply.getUint16(16, true);
    return Array.from({ length: count }, (_, index) => reply.getUint32(32 + 4 * index, true));
  }

  /** The windows of the root window that are on the screen: of any other one the server refuses the pixels. */
  shownIds(): number[] {
    return this.windowIds().filter((window) => this.#mapState(window) === VIEWABLE);
  }

  /** A window's map state, `undefined` for one that is gone. */
  #mapState(window: number): number | undefined {
    const cookie = this.#call("xcb_get_window_attributes", "w:qw", window);
    return this.#replyIfAny("xcb_get_window_attributes_reply", cookie)?.getUint8(26);
  }

  /** Waits until the server has done what was asked so far. */
  sync(): void {
    this.connection.sync();
  }

  close(): void {
    this.connection.close();
    this.#library.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #call(name: string, signature: string, ...args: (number | bigint)[]): number {
    return invokeAddress(this.#library.require(name), signature, [this.#address, ...args]) as number;
  }

  #reply(name: string, cookie: number): DataView {
    const reply = this.#replyIfAny(name, cookie);
    if (!reply) throw new Error(`The X server refused ${name}`);
    return reply;
  }

  #replyIfAny(name: string, cookie: number): DataView | undefined {
    const at = invokeAddress(this.#library.require(name), "q:qwo", [this.#address, cookie, 0]) as bigint;
    return at === 0n ? undefined : this.connection.takeReply(at);
  }
}
