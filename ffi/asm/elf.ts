import type { Code } from "./code.ts";
import { DATA_SYMBOL } from "../emit/layout.ts";

/** The result of {@linkcode writeElf}: the file and the offsets of its parts. */
export interface ElfImage {
  /** The file, ready to be written and opened by the dynamic linker. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Image address of the first byte of code. */
  readonly codeAt: number;
  /** Image address of the first byte of read-write data; the symbol {@linkcode DATA_SYMBOL}. */
  readonly dataAt: number;
  /** Offset of the soname in the file. */
  readonly sonameAt: number;
  /** Offset in the file of the part behind the zeros that follow the code. */
  readonly dynamicAt: number;
}

/** Segment alignment: a multiple of every page size in use (4, 16 and 64 KiB). */
const ALIGN = 0x10000;
const EHDR = 64, PHDR = 56, SHDR = 64, SYM = 24, DYN = 16;
const PT_LOAD = 1, PT_DYNAMIC = 2, PT_GNU_STACK = 0x6474e551;
const PF_X = 1, PF_W = 2, PF_R = 4;
const DT_HASH = 4, DT_STRTAB = 5, DT_SYMTAB = 6, DT_STRSZ = 10, DT_SYMENT = 11, DT_SONAME = 14;
const DT_RELA = 7, DT_RELASZ = 8, DT_RELAENT = 9, RELA = 24;
const DT_FINI = 13, DT_FINI_ARRAY = 26, DT_FINI_ARRAYSZ = 28, DT_FLAGS_1 = 0x6fff_fffb, DF_1_NODELETE = 8;
const SHT_PROGBITS = 1, SHT_STRTAB = 3, SHT_HASH = 5, SHT_DYNAMIC = 6, SHT_DYNSYM = 11;
const SHF_WRITE = 1, SHF_ALLOC = 2, SHF_EXECINSTR = 4;
/** Entries of `.dynamic`, with the last one: without and with imported functions. */
const DYNAMICS = 9, IMPORTING_DYNAMICS = DYNAMICS + 3;
/** The relocation that stores the address of a symbol, by machine. */
const GLOB_DAT: Readonly<Record<number, number>> = { 62: 6, 183: 1025 };
const SECTION_NAMES = "\0.dynsym\0.dynstr\0.hash\0.text\0.dynamic\0.shstrtab\0";

/** Offsets of the parts of the file, in bytes. */
interface Layout {
  hash: number;
  symbols: number;
  strings: number;
  relocations: number;
  code: number;
  codeEnd: number;
  dynamic: number;
  dynamics: number;
  data: number;
  sectionNames: number;
  sections: number;
  end: number;
}

/** The treatment of an object when a program unloads it. By default, the linker unmaps it. */
export interface ObjectEnd {
  /**
   * The offset in the read-write data of the address of a function that the
   * linker calls first; the address must be there by then.
   */
  readonly last?: number;
  /** Nothing: the object stays. Not together with `last`. */
  readonly stays?: boolean;
  /**
   * The offset in the code of a function that the linker calls when the object
   * is unloaded, and when the process ends by `exit`. Not together with `last`.
   */
  readonly finish?: number;
}

/**
 * Writes linked code as an ELF64 shared object: a read-execute segment, a
 * read-write segment, never both in one, and no relocations but those of
 * imported functions. Android's linker wants section headers, 16 KiB alignment
 * or more, and `DT_HASH` or `DT_GNU_HASH`; glibc is content with the same file.
 */
export function writeElf(code: Code, soname: string, end: ObjectEnd = {}): ElfImage {
  const own = [...code.exported.map((each) => each.name), DATA_SYMBOL];
  const names = [...own, ...code.imported.map((each) => each.name)];
  const text = "\0" + names.join("\0") + "\0" + soname + "\0";
  const layout = arrange(code, names.length + 1, text.length);
  code.link(layout.code, layout.data);
  const bytes = new Uint8Array(layout.end);
  const view = new DataView(bytes.buffer);
  writeHeader(view, code.machine, layout);
  writeSegments(view, layout, code.dataSize);
  writeHash(view, layout.hash, own, names.length + 1);
  writeSymbols(view, layout, code, names);
  writeRelocations(view, layout, code, own.length + 1);
  new TextEncoder().encodeInto(text, bytes.subarray(layout.strings));
  bytes.set(code.bytes.subarray(0, code.length), layout.code);
  writeDynamic(view, layout, text.length, text.length - soname.length - 1, code, end);
  writeSections(view, layout, text.length, names.length + 1);
  const sonameAt = layout.strings + text.length - soname.length - 1;
  return { bytes, codeAt: layout.code, dataAt: layout.data, sonameAt, dynamicAt: layout.dynamic };
}

/** The System V ABI's symbol hash. */
export function elfHash(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index++) {
    hash = (hash << 4) + name.charCodeAt(index) >>> 0;
    hash = (hash ^ (hash >>> 28) << 4) & 0x0fffffff;
  }
  return hash;
}

function arrange(code: Code, symbolCount: number, stringSize: number): Layout {
  const hash = EHDR + 4 * PHDR;
  const symbols = up(hash + 4 * (2 + bucketsFor(symbolCount) + symbolCount), 8);
  const strings = symbols + SYM * symbolCount;
  const imports = code.imported.length, relocations = up(strings + stringSize, 8);
  const codeAt = up(imports === 0 ? strings + stringSize : relocations + RELA * imports, 64);
  const codeEnd = codeAt + code.length;
  const dynamic = up(codeEnd, ALIGN);
  const dynamics = DYN * (imports === 0 ? DYNAMICS : IMPORTING_DYNAMICS), data = up(dynamic + dynamics, 64);
  // The names of the sections are in the file where the zeroed data will be. Both linkers clear the rest of that page.
  const sectionNames = data;
  const sections = up(sectionNames + SECTION_NAMES.length, 8);
  return {
    hash,
    symbols,
    strings,
    relocations,
    code: codeAt,
    codeEnd,
    dynamic,
    dynamics,
    data,
    sectionNames,
    sections,
    end: sections + 7 * SHDR,
  };
}

function bucketsFor(symbolCount: number): number {
  return Math.max(1, symbolCount >> 1);
}

function up(value: number, align: number): number {
  return Math.ceil(value / align) * align;
}

function writeHeader(view: DataView, machine: number, layout: Layout): void {
  view.setUint32(0, 0x7f454c46);
  view.setUint32(4, 0x02010100); // 64-bit, little-endian, version 1
  view.setUint16(16, 3, true); // ET_DYN
  view.setUint16(18, machine, true);
  view.setUint32(20, 1, true);
  view.setUint32(32, EHDR, true);
  view.setUint32(40, layout.sections, true);
  view.setUint16(52, EHDR, true);
  view.setUint16(54, PHDR, true);
  view.setUint16(56, 4, true);
  view.setUint16(58, SHDR, true);
  view.setUint16(60, 7, true);
  view.setUint16(62, 6, true); // .shstrtab
}

/** The first segment has the zeros up to the second one: the linker would map the gap between them once more. */
function writeSegments(view: DataView, layout: Layout, dataSize: number): void {
  const { dynamic, dynamics, data } = layout;
  writeSegment(view, 0, PT_LOAD, PF_R | PF_X, 0, dynamic, dynamic, ALIGN);
  writeSegment(view, 1, PT_LOAD, PF_R | PF_W, dynamic, data - dynamic, data + dataSize - dynamic, ALIGN);
  writeSegment(view, 2, PT_DYNAMIC, PF_R | PF_W, dynamic, dynamics, dynamics, 8);
  writeSegment(view, 3, PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 16);
}

function writeSegment(
  view: DataView,
  index: number,
  type: number,
  flags: number,
  at: number,
  fileSize: number,
  size: number,
  align: number,
): void {
  const header = EHDR + index * PHDR;
  view.setUint32(header, type, true);
  view.setUint32(header + 4, flags, true);
  view.setUint32(header + 8, at, true);
  view.setUint32(header + 16, at, true);
  view.setUint32(header + 24, at, true);
  view.setUint32(header + 32, fileSize, true);
  view.setUint32(header + 40, size, true);
  view.setUint32(header + 48, align, true);
}

/** Real buckets: with one chain for all, every lookup by the dynamic linker would walk the whole list. */
function writeHash(view: DataView, at: number, names: string[], count: number): void {
  const buckets = bucketsFor(count);
  view.setUint32(at, buckets, true);
  view.setUint32(at + 4, count, true);
  const chains = at + 8 + 4 * buckets;
  for (let index = 1; index <= names.length; index++) {
    const bucket = at + 8 + 4 * (elfHash(names[index - 1]) % buckets);
    view.setUint32(chains + 4 * index, view.getUint32(bucket, true), true);
    view.setUint32(bucket, index, true);
  }
}

function writeSymbols(view: DataView, layout: Layout, code: Code, names: string[]): void {
  const FUNCTION = 0x12, OBJECT = 0x11, IMPORT = 0x22; // STB_GLOBAL << 4 | STT_FUNC, STT_OBJECT; STB_WEAK << 4 | STT_FUNC
  let name = 1;
  for (let index = 0; index < names.length; index++) {
    const isData = index === code.exported.length;
    const symbol = layout.symbols + SYM * (index + 1);
    view.setUint32(symbol, name, true);
    name += names[index].length + 1;
    if (index > code.exported.length) {
      view.setUint8(symbol + 4, IMPORT);
      continue;
    }
    view.setUint8(symbol + 4, isData ? OBJECT : FUNCTION);
    view.setUint16(symbol + 6, isData ? 5 : 4, true); // the section it is in
    view.setUint32(symbol + 8, isData ? layout.data : layout.code + code.exported[index].offset, true);
    view.setUint32(symbol + 16, isData ? code.dataSize : 16, true);
  }
}

/** The symbols of imported functions come behind all others. */
function writeRelocations(view: DataView, { relocations, data }: Layout, code: Code, firstSymbol: number): void {
  code.imported.forEach(({ slot }, index) => {
    const at = relocations + RELA * index;
    view.setUint32(at, data + slot, true);
    view.setUint32(at + 8, GLOB_DAT[code.machine], true);
    view.setUint32(at + 12, firstSymbol + index, true);
  });
}

function writeDynamic(
  view: DataView,
  layout: Layout,
  stringSize: number,
  sonameAt: number,
  { imported }: Code,
  end: ObjectEnd,
): void {
  const tags = [DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT, DT_SONAME];
  const values = [layout.hash, layout.strings, layout.symbols, stringSize, SYM, sonameAt];
  if (imported.length > 0) {
    tags.push(DT_RELA, DT_RELASZ, DT_RELAENT);
    values.push(layout.relocations, RELA * imported.length, RELA);
  }
  if (end.last !== undefined) {
    tags.push(DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
    values.push(layout.data + end.last, 8);
  } else if (end.stays) {
    tags.push(DT_FLAGS_1);
    values.push(DF_1_NODELETE);
  }
  if (end.finish !== undefined) {
    tags.push(DT_FINI);
    values.push(layout.code + end.finish);
  }
  for (let index = 0; index < tags.length; index++) {
    view.setUint32(layout.dynamic + DYN * index, tags[index], true);
    view.setUint32(layout.dynamic + DYN * index + 8, values[index], true);
  }
}

function writeSections(view: DataView, layout: Layout, stringSize: number, symbolCount: number): void {
  new TextEncoder().encodeInto(SECTION_NAMES, new Uint8Array(view.buffer, layout.sectionNames));
  const { hash, symbols, strings, code, codeEnd, dynamic, sectionNames } = layout;
  const hashSize = 4 * (2 + bucketsFor(symbolCount) + symbolCount);
  const rows: [string, number, number, number, number, number, number, number, number][] = [
    // name, type, flags, offset, size, link, info, align, entry size
    [".dynsym", SHT_DYNSYM, SHF_ALLOC, symbols, SYM * symbolCount, 2, 1, 8, SYM],
    [".dynstr", SHT_STRTAB, SHF_ALLOC, strings, stringSize, 0, 0, 1, 0],
    [".hash", SHT_HASH, SHF_ALLOC, hash, hashSize, 1, 0, 8, 4],
    [".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, codeEnd - code, 0, 0, 64, 0],
    [".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, dynamic, DYNAMICS * DYN, 2, 0, 8, DYN],
    [".shstrtab", SHT_STRTAB, 0, sectionNames, SECTION_NAMES.length, 0, 0, 1, 0],
  ];
  rows.forEach(([name, type, flags, offset, size, link, info, align, entry], index) => {
    const header = layout.sections + SHDR * (index + 1);
    view.setUint32(header, SECTION_NAMES.indexOf("\0" + name + "\0") + 1, true);
    view.setUint32(header + 4, type, true);
    view.setUint32(header + 8, flags, true);
    view.setUint32(header + 16, flags ? offset : 0, true);
    view.setUint32(header + 24, offset, true);
    view.setUint32(header + 32, size, true);
    view.setUint32(header + 40, link, true);
    view.setUint32(header + 44, info, true);
    view.setUint32(header + 48, align, true);
    view.setUint32(header + 56, entry, true);
  });
}
