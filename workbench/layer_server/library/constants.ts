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

/** Buckets of the table of names: a name's bucket is the sum of its characters. */
const BUCKETS = 8192;

/** An entry of the table, 32 bits each, and the name behind it. The layout is ours. */
export const NAME_ENTRY = {
  /** Offset of the next entry of the bucket; 0 for none. */
  next: 0,
  /** The name's number. */
  number: 4,
  /** The name, with a NUL. */
  name: 8,
} as const;

/** A table that finds a name's number, and the place of each name in the table. */
interface NameTable {
  /** The offset of the first entry of each bucket, 32 bits each, and the entries. */
  readonly bytes: Uint8Array;
  /** Offset of a name by its number. */
  readonly places: readonly number[];
}

/** The first sum that no name has. */
export const SUM_END: number = BUCKETS;

/** Makes the table of names. Their numbers are their places in the list. */
export function nameTable(names: readonly string[]): NameTable {
  const sizes = names.map((name) => NAME_ENTRY.name + name.length + 8 & ~7);
  const bytes = new Uint8Array(4 * BUCKETS + sizes.reduce((sum, size) => sum + size, 0)),
    view = new DataView(bytes.buffer);
  const places: number[] = [];
  let at = 4 * BUCKETS;
  names.forEach((name, number) => {
    const bucket = 4 * sumOf(name);
    view.setUint32(at + NAME_ENTRY.next, view.getUint32(bucket, true), true);
    view.setUint32(at + NAME_ENTRY.number, number, true);
    view.setUint32(bucket, at, true);
    new TextEncoder().encodeInto(name, bytes.subarray(at + NAME_ENTRY.name));
    places.push(at + NAME_ENTRY.name);
    at += sizes[number];
  });
  return { bytes, places };
}

function sumOf(name: string): number {
  const sum = new TextEncoder().encode(name).reduce((sum, byte) => sum + byte, 0);
  if (sum >= SUM_END) throw new RangeError(`Cannot place ${name}: the table of names is too small`);
  return sum;
}
