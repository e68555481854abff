import type { Code, Label } from "../../../ffi/asm/code.ts";

/** Read-only data behind the code: numbers, texts and tables, which code reaches by label. */
export class Constants {
  readonly #code: Code;
  readonly #waiting: { readonly label: Label; readonly bytes: Uint8Array }[] = [];
  readonly #known = new Map<string, Label>();

  /** Makes data without entries. */
  constructor(code: Code) {
    this.#code = code;
  }

  /** Adds bytes. */
  bytes(bytes: Uint8Array): Label {
    const label = this.#code.label();
    this.#waiting.push({ label, bytes });
    return label;
  }

  /** Adds a text with a NUL at its end; equal texts share their place. */
  text(text: string): Label {
    return this.#once(`text ${text}`, () => new TextEncoder().encode(`${text}\0`));
  }

  /** Adds a 64-bit number; equal numbers share their place. */
  number(value: bigint): Label {
    return this.#once(`number ${value}`, () => new Uint8Array(new BigUint64Array([value]).buffer));
  }

  /** Writes everything, after the last function. */
  write(): void {
    for (const { label, bytes } of this.#waiting) {
      this.#code.alignEntry();
      this.#code.place(label);
      for (const byte of bytes) this.#code.byte(byte);
    }
    this.#code.alignEntry();
  }

  #once(key: string, make: () => Uint8Array): Label {
    let label = this.#known.get(key);
    if (label === undefined) this.#known.set(key, label = this.bytes(make()));
    return label;
  }
}
