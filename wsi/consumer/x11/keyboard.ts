import type { XConnection } from "./connection.ts";

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
