/** A place in the code that jumps refer to, before or after it is known. */
export type Label = number;

/** A function the image exports: its name and its offset in the code. */
export interface ExportedFunction {
  /** The symbol's name. */
  readonly name: string;
  /** Bytes from the start of the code. */
  readonly offset: number;
}

/** A function of another library: its name, and the data that the linker fills with its address. */
export interface ImportedFunction {
  /** The symbol's name. */
  readonly name: string;
  /** Offset of 8 bytes of read-write data; 0 stays there if no library has the function. */
  readonly slot: number;
}

/** The form of a distance in an instruction; each assembler defines its own numbers. */
export type FixupKind = number;

interface Fixup {
  at: number;
  kind: FixupKind;
  label: Label;
  data: number;
}

/**
 * Machine code under construction: bytes, labels, exported functions, and the
 * read-write data that the code refers to by offset. Loaded code is never
 * patched, so everything that changes is in the data.
 */
export abstract class Code {
  /** The ELF machine number, `EM_X86_64` (62) or `EM_AARCH64` (183). */
  abstract readonly machine: number;
  /** The bytes so far; only the first {@linkcode Code.length} count. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of code so far. */
  length = 0;
  /** Bytes of read-write data so far. */
  dataSize = 0;
  /** The exported functions in the order they were begun. */
  readonly exported: ExportedFunction[] = [];
  /** The functions of other libraries. */
  readonly imported: ImportedFunction[] = [];
  readonly #filler: number;
  #labels: number[] = [];
  #fixups: Fixup[] = [];

  /** Starts empty; `filler` is the instruction that traps, as 32 bits, and stands between functions. */
  constructor(filler: number) {
    this.#filler = filler;
    this.bytes = filled(filler, 1 << 14);
  }

  /** Continues at the next multiple of 16, where functions begin. The gap traps. */
  alignEntry(): void {
    this.length = this.length + 15 & ~15;
  }

  /** Begins an exported function, 16-aligned. */
  begin(name: string): void {
    this.alignEntry();
    this.exported.push({ name, offset: this.length });
  }

  /** Reserves zeroed read-write data and returns its offset. */
  reserve(size = 8, align = 8): number {
    const offset = (this.dataSize + align - 1) & -align;
    this.dataSize = offset + size;
    return offset;
  }

  /** Imports a function of another library, and returns the offset of the data that its address will be in. */
  import(name: string): number {
    const slot = this.reserve();
    this.imported.push({ name, slot });
    return slot;
  }

  /** Makes a label for a later {@linkcode Code.place}. */
  label(): Label {
    return this.#labels.push(-1) - 1;
  }

  /** Places a label here. */
  place(label: Label): void {
    this.#labels[label] = this.length;
  }

  /** Makes a label and places it here. */
  here(): Label {
    return this.#labels.push(this.length) - 1;
  }

  /** Writes every distance, after code and data have their places. */
  link(codeAt: number, dataAt: number): void {
    const view = new DataView(this.bytes.buffer);
    for (const { at, kind, label, data } of this.#fixups) {
      const target = label >= 0 ? codeAt + this.#placed(label) : dataAt + data;
      this.patch(view, at, kind, target - codeAt - at);
    }
  }

  /** Makes sure that the longest instruction, 16 bytes, fits in the buffer. */
  room(): void {
    if (this.length + 32 > this.bytes.length) this.#grow();
  }

  /** Appends one byte. */
  byte(value: number): void {
    this.room();
    this.bytes[this.length++] = value;
  }

  /** Appends a little-endian 32-bit value. */
  word(value: number): void {
    this.room();
    const { bytes, length } = this;
    bytes[length] = value;
    bytes[length + 1] = value >> 8;
    bytes[length + 2] = value >> 16;
    bytes[length + 3] = value >> 24;
    this.length = length + 4;
  }

  /** Notes that the distance at the current place leads to a label. */
  protected toLabel(kind: FixupKind, label: Label): void {
    this.#fixups.push({ at: this.length, kind, label, data: 0 });
  }

  /** Notes that the distance at the current place leads to read-write data. */
  protected toData(kind: FixupKind, data: number): void {
    this.#fixups.push({ at: this.length, kind, label: -1, data });
  }

  /** Stores a distance, counted from `at`, into the instruction that has its field at code offset `at`. */
  protected abstract patch(code: DataView, at: number, kind: FixupKind, distance: number): void;

  #placed(label: Label): number {
    const offset = this.#labels[label];
    if (offset < 0) throw new RangeError(`Cannot link code: label ${label} was never placed`);
    return offset;
  }

  #grow(): void {
    const grown = filled(this.#filler, this.bytes.length * 2);
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

function filled(filler: number, size: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(size / 4).fill(filler); // both machines are little-endian
  return new Uint8Array(words.buffer);
}
