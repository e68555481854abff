import type { XConnection } from "./connection.ts";

/** A key that was pressed or released. */
export interface XKeyEvent {
  /** Whether the key was pressed or released. */
  readonly type: "press" | "release";
  /** The key's number on this keyboard. */
  readonly keycode: number;
  /**
   * The key's meaning with the modifiers (`XK_…` of `keysymdef.h`): for Latin letters their character code. 0 if there
   * is none.
   */
  readonly keysym: number;
  /** Shift 1, Lock 2, Control 4, Mod1 (Alt) 8 …, buttons from 256. */
  readonly modifiers: number;
  /** The server's time in milliseconds. */
  readonly time: number;
}

/** The pointer moved, entered or left the window, or one of its buttons changed. */
export interface XPointerEvent {
  /** The kind of event. */
  readonly type: "press" | "release" | "move" | "enter" | "leave";
  /** Pixels from the window's left edge. */
  readonly x: number;
  /** Pixels from the window's upper edge. */
  readonly y: number;
  /** The button's number from 1: left, middle, right, wheel up, wheel down; 0 for none. */
  readonly button: number;
  /** As in {@linkcode XKeyEvent.modifiers}, before this event. */
  readonly modifiers: number;
  /** The server's time in milliseconds. */
  readonly time: number;
}

/** The effect of a window's event. */
export type XEvent =
  | { readonly kind: "key"; readonly event: Omit<XKeyEvent, "keysym"> }
  | { readonly kind: "pointer"; readonly event: XPointerEvent }
  | { readonly kind: "size"; readonly width: number; readonly height: number }
  | { readonly kind: "expose" | "destroyed" | "mapping" }
  | { readonly kind: "message"; readonly type: number; readonly value: number }
  | { readonly kind: "completion"; readonly segment: number }
  | { readonly kind: "error"; readonly major: number };

/** The types of pointer events by event number. */
const POINTER: Readonly<Record<number, XPointerEvent["type"]>> = {
  4: "press",
  5: "release",
  6: "move",
  7: "enter",
  8: "leave",
};
const ERROR = 0, KEY_PRESS = 2, KEY_RELEASE = 3, EXPOSE = 12, DESTROY = 17, CONFIGURE = 22, MESSAGE = 33, MAPPING = 34;

/** Events that a window asks for: keys, buttons, pointer, exposure, structure. */
export const EVENT_MASK: number = 0x3 | 0xc | 0x30 | 0x40 | 0x8000 | 0x20000;

/** Reads an event or error as it came; `undefined` if it is about nothing here. `firstShmEvent` is MIT-SHM's, 0 without. */
export function readEvent(view: DataView, firstShmEvent: number): XEvent | undefined {
  const number = view.getUint8(0) & 0x7f; // the highest bit says that another client sent it
  if (firstShmEvent !== 0 && number === firstShmEvent) return { kind: "completion", segment: view.getUint32(12, true) };
  if (POINTER[number]) return { kind: "pointer", event: pointerEvent(view, POINTER[number]) };
  switch (number) {
    case ERROR:
      return { kind: "error", major: view.getUint8(10) };
    case KEY_PRESS:
    case KEY_RELEASE:
      return { kind: "key", event: keyEvent(view, number === KEY_PRESS ? "press" : "release") };
    case EXPOSE:
      return view.getUint16(16, true) === 0 ? { kind: "expose" } : undefined; // more of them follow
    case DESTROY:
      return { kind: "destroyed" };
    case CONFIGURE:
      return { kind: "size", width: view.getUint16(20, true), height: view.getUint16(22, true) };
    case MESSAGE:
      return { kind: "message", type: view.getUint32(8, true), value: view.getUint32(12, true) };
    case MAPPING:
      return { kind: "mapping" };
  }
}

function keyEvent(view: DataView, type: "press" | "release"): Omit<XKeyEvent, "keysym"> {
  return { type, keycode: view.getUint8(1), modifiers: view.getUint16(28, true), time: view.getUint32(4, true) };
}

function pointerEvent(view: DataView, type: XPointerEvent["type"]): XPointerEvent {
  const [x, y] = [view.getInt16(24, true), view.getInt16(26, true)];
  const button = type === "press" || type === "release" ? view.getUint8(1) : 0;
  return { type, x, y, button, modifiers: view.getUint16(28, true), time: view.getUint32(4, true) };
}

const SHIFT = 1, LOCK = 2;
const REPLY_HEADER = 32;

/** The meanings of the keys, from the server. */
export class Keyboard {
  #connection: XConnection;
  #mapping: DataView | undefined;

  /** Asks the server at the first key. */
  constructor(connection: XConnection) {
    this.#connection = connection;
  }

  /** Deletes the meanings, because the mapping changed. */
  reset(): void {
    this.#mapping = undefined;
  }

  /** The keysym of a key with Shift or Lock; 0 if it has none. */
  keysym(keycode: number, modifiers: number): number {
    const mapping = this.#mapping ??= this.#ask(), [first, last] = this.#connection.screen.keycodes;
    if (!mapping || keycode < first || keycode > last) return 0;
    const perKey = mapping.getUint8(1);
    const level = (index: number) => mapping.getUint32(REPLY_HEADER + 4 * ((keycode - first) * perKey + index), true);
    const plain = level(0), shifted = perKey > 1 && level(1) !== 0 ? level(1) : plain;
    const isLetter = plain >= 0x61 && plain <= 0x7a;
    const shift = (modifiers & SHIFT) !== 0, lock = isLetter && (modifiers & LOCK) !== 0;
    return shift !== lock ? shifted : plain;
  }

  #ask(): DataView | undefined {
    const [first, last] = this.#connection.screen.keycodes;
    const cookie = this.#connection.call("xcb_get_keyboard_mapping", first, last - first + 1);
    return this.#connection.reply("xcb_get_keyboard_mapping_reply", cookie);
  }
}
