import { inFrame } from "../../../ffi/arena.ts";
import type { XConnection } from "./connection.ts";
import { EVENT_MASK } from "./events.ts";

const INPUT_OUTPUT = 1, BACK_PIXEL = 2, BIT_GRAVITY = 0x10, CW_EVENT_MASK = 0x800, NORTH_WEST = 1;
const PROP_REPLACE = 0, ATOM = 4, STRING = 31, WM_NAME = 39, WM_CLASS = 67;

/** A window of an X server, with the objects for drawing. */
export class WindowHandle {
  /** The window's number. */
  readonly id: number;
  /** The graphics context. */
  readonly gc: number;
  /** The atom in the message that asks the window to close. */
  readonly deleteMessage: number;
  /** The type of that message. */
  readonly protocols: number;
  #connection: XConnection;

  /** Makes and maps a window. */
  constructor(connection: XConnection, title: string, width: number, height: number) {
    this.#connection = connection;
    this.id = connection.newId();
    this.gc = connection.newId();
    this.protocols = connection.atom("WM_PROTOCOLS");
    this.deleteMessage = connection.atom("WM_DELETE_WINDOW");
    this.#create(width, height);
    this.#setTitle(title);
    this.#property(this.protocols, ATOM, 32, new Uint8Array(new Uint32Array([this.deleteMessage]).buffer));
    connection.call("xcb_map_window", this.id);
    connection.flush();
  }

  /** Takes it from the screen. */
  destroy(): void {
    this.#connection.call("xcb_free_gc", this.gc);
    this.#connection.call("xcb_destroy_window", this.id);
    this.#connection.flush();
  }

  #create(width: number, height: number): void {
    inFrame(() => {
      const { depth, root, visual } = this.#connection.screen;
      // Values in the order of their bits. The contents stay when the window grows, until the next frame.
      const values = this.#connection.place(new Uint8Array(new Uint32Array([0, NORTH_WEST, EVENT_MASK]).buffer));
      const mask = BACK_PIXEL | BIT_GRAVITY | CW_EVENT_MASK;
      const place = [0, 0, width, height, 0] as const;
      this.#connection.call("xcb_create_window", depth, this.id, root, ...place, INPUT_OUTPUT, visual, mask, values);
      this.#connection.call("xcb_create_gc", this.gc, this.id, 0, 0);
    });
  }

  #setTitle(title: string): void {
    const utf8 = new TextEncoder().encode(title);
    this.#property(WM_NAME, STRING, 8, utf8);
    this.#property(this.#connection.atom("_NET_WM_NAME"), this.#connection.atom("UTF8_STRING"), 8, utf8);
    this.#property(WM_CLASS, STRING, 8, new TextEncoder().encode("pumice\0Pumice\0"));
  }

  #property(name: number, type: number, bits: 8 | 32, value: Uint8Array): void {
    inFrame(() => {
      const at = this.#connection.place(value);
      const count = value.length * 8 / bits;
      this.#connection.call("xcb_change_property", PROP_REPLACE, this.id, name, type, bits, count, at);
    });
  }
}
