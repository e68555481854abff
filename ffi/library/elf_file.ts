import { NativeError } from "../error.ts";
import { faultOfSections, type Section, sectionsOf } from "./elf_sections.ts";

/** The fields of an ELF header. */
export interface ElfFile {
  /** The file. */
  readonly path: string;
  /** `e_machine`: 62 is x86-64, 183 AArch64. */
  readonly machine: number;
  /** Bytes in the file. */
  readonly size: number;
}

const MACHINES: Record<number, string> = { 3: "x86", 40: "32-bit Arm", 62: "x86-64", 183: "AArch64", 243: "RISC-V" };
const EXPECTED: Record<string, number> = { x86_64: 62, aarch64: 183 };
const HEADER = 64, PROGRAM_HEADER = 56;

/**
 * Checks that a file is a shared object which this process can load, before the
 * dynamic linker sees the file. The dynamic linker does not survive every bad
 * file: a truncated one, for example, ends the process when a page behind its
 * end is touched.
 *
 * Throws a {@linkcode NativeError}: `not-found`, `not-a-file`, `not-elf`,
 * `wrong-class` (32-bit), `wrong-machine`, `wrong-kind` (not a shared object),
 * `truncated`, or `damaged` where an address in its headers or its dynamic
 * section leads nowhere. Needs `--allow-read` for the path.
 *
 * @example
 * ```ts
 * import { inspectElf, NativeError } from "@pumice/gfx/ffi";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * assertEquals(assertThrows(() => inspectElf("/etc/passwd"), NativeError).code, "not-elf");
 * ```
 */
export function inspectElf(path: string): ElfFile {
  using file = openFile(path);
  const size = file.statSync().size;
  const header = readAt(file, 0, HEADER);
  if (header.byteLength < 4 || header.getUint32(0) !== 0x7f454c46) {
    throw fail("not-elf", path, `found ${describe(header)}; give an ELF shared object (.so)`);
  }
  if (header.byteLength < HEADER) throw fail("truncated", path, `found only ${size} bytes; get the whole file`);
  if (header.getUint8(4) !== 2) {
    throw fail("wrong-class", path, "found a 32-bit library; give the 64-bit one (often in lib64 or the like)");
  }
  const machine = checkMachine(path, header);
  if (header.getUint16(16, true) !== 3) {
    throw fail("wrong-kind", path, "found an ELF file that is no shared object; give a library (.so)");
  }
  const headers = programHeaders(path, file, header, size), end = lastByte(headers);
  if (end > size) throw fail("truncated", path, `found ${size} of at least ${end} bytes; get the whole file`);
  const read = (at: number, bytes: number) => readAt(file, at, bytes);
  const fault = faultOfLayout(headers, PROGRAM_HEADER, read, sectionsOf(header, size, read));
  if (fault !== undefined) throw fail("damaged", path, `found a file that ${fault}; get it anew`);
  return { path, machine, size };
}

function openFile(path: string): Deno.FsFile {
  let found: Deno.FileInfo;
  try {
    found = Deno.statSync(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) {
      throw fail("not-found", path, "found no such file; check the path and the spelling", cause);
    }
    if (cause instanceof Deno.errors.PermissionDenied) {
      throw fail("permission", path, "the system denies reading it; check its permissions", cause);
    }
    if (cause instanceof Deno.errors.NotCapable) throw cause;
    throw fail("not-found", path, `the system cannot follow the path (${(cause as Error).message}); check it`, cause);
  }
  if (found.isDirectory) throw fail("not-a-file", path, "found a directory; give the library in it");
  if (!found.isFile) throw fail("not-a-file", path, "found something that is no regular file; give a library (.so)");
  try {
    return Deno.openSync(path);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.PermissionDenied)) throw cause;
    throw fail("permission", path, "the system denies reading it; check its permissions", cause);
  }
}

function checkMachine(path: string, header: DataView): number {
  const machine = header.getUint16(18, true), expected = EXPECTED[Deno.build.arch];
  if (header.getUint8(5) !== 1) {
    const found = "found a big-endian library, for another machine";
    throw fail("wrong-machine", path, `${found}; give a little-endian one for ${MACHINES[expected]}`);
  }
  if (machine !== expected) {
    const found = MACHINES[machine] ?? `machine ${machine}`;
    throw fail("wrong-machine", path, `found a library for ${found}; give one for ${MACHINES[expected]}`);
  }
  return machine;
}

function programHeaders(path: string, file: Deno.FsFile, header: DataView, size: number): DataView {
  const at = Number(header.getBigUint64(32, true)),
    count = header.getUint16(56, true),
    entry = header.getUint16(54, true);
  const end = at + count * PROGRAM_HEADER;
  if (end > size) throw fail("truncated", path, `found ${size} of at least ${end} bytes; get the whole file`);
  if (entry === PROGRAM_HEADER) return readAt(file, at, count * PROGRAM_HEADER);
  throw fail("damaged", path, `found program headers of ${entry} bytes instead of ${PROGRAM_HEADER}; get it anew`);
}

/** The end of the last segment in the file. */
function lastByte(headers: DataView): number {
  let end = 0;
  for (let row = 0; row + PROGRAM_HEADER <= headers.byteLength; row += PROGRAM_HEADER) {
    if (headers.getUint32(row, true) !== 1) continue; // PT_LOAD
    end = Math.max(end, Number(headers.getBigUint64(row + 8, true) + headers.getBigUint64(row + 32, true)));
  }
  return end;
}

function readAt(file: Deno.FsFile, at: number, size: number): DataView {
  const bytes = new Uint8Array(size);
  file.seekSync(at, Deno.SeekMode.Start);
  let filled = 0;
  while (filled < size) {
    const read = file.readSync(bytes.subarray(filled));
    if (read === null) break;
    filled += read;
  }
  return new DataView(bytes.buffer, 0, filled);
}

function describe(header: DataView): string {
  if (header.byteLength === 0) return "an empty file";
  const start = new Uint8Array(header.buffer, 0, Math.min(header.byteLength, 16));
  const isText = start.every((byte) => byte === 9 || byte === 10 || byte === 13 || byte >= 32 && byte < 127);
  if (!isText) return "a file of another format";
  return `text ("${new TextDecoder().decode(start).replace(/\s+/g, " ").trim()}…")`;
}

function fail(code: NativeError["code"], path: string, what: string, cause?: unknown): NativeError {
  return new NativeError(code, `Cannot open "${path}" as a library: ${what}`, { path, cause });
}

/** Reads bytes of a file at an offset; fewer at its end. */
type ReadAt = (at: number, size: number) => DataView;

/** A part of the file that the dynamic linker maps. */
interface LoadedPart {
  /** Offset in the file, and bytes from the file. */
  readonly offset: number;
  readonly fileSize: number;
  /** Offset in memory, and bytes in memory. */
  readonly address: number;
  readonly memorySize: number;
  readonly isExecutable: boolean;
  readonly isWritable: boolean;
}

const PT_LOAD = 1, PT_DYNAMIC = 2, PT_PHDR = 6, PT_TLS = 7, PT_GNU_RELRO = 0x6474e552, EXECUTABLE = 1, WRITABLE = 2;
const DYNAMIC_ENTRY = 16, WORD = 8, PAGE = 4096, NOWHERE = -1;

/** Tags of a dynamic section, as `elf.h` has them, less DT_. */
const DT = {
  NEEDED: 1,
  PLTRELSZ: 2,
  PLTGOT: 3,
  HASH: 4,
  STRTAB: 5,
  SYMTAB: 6,
  RELA: 7,
  RELASZ: 8,
  RELAENT: 9,
  STRSZ: 10,
  SYMENT: 11,
  INIT: 12,
  FINI: 13,
  SONAME: 14,
  RPATH: 15,
  PLTREL: 20,
  JMPREL: 23,
  INIT_ARRAY: 25,
  FINI_ARRAY: 26,
  INIT_ARRAYSZ: 27,
  FINI_ARRAYSZ: 28,
  RUNPATH: 29,
  RELRSZ: 35,
  RELR: 36,
  RELRENT: 37,
  GNU_HASH: 0x6ffffef5,
  VERSYM: 0x6ffffff0,
  RELACOUNT: 0x6ffffff9,
  VERDEF: 0x6ffffffc,
  VERDEFNUM: 0x6ffffffd,
  VERNEED: 0x6ffffffe,
  VERNEEDNUM: 0x6fffffff,
} as const;
type Name = keyof typeof DT;
const NAMES: ReadonlyMap<number, Name> = new Map(Object.entries(DT).map(([name, tag]) => [tag, name as Name]));

const SYMBOL = 24, RELOCATION = 24;
/** Tables: where they are, how long, and the size of an entry with the tag that says it. */
const TABLES: readonly (readonly [Name, Name, number, Name?])[] = [
  ["RELA", "RELASZ", RELOCATION, "RELAENT"],
  ["JMPREL", "PLTRELSZ", RELOCATION],
  ["RELR", "RELRSZ", WORD, "RELRENT"],
  ["INIT_ARRAY", "INIT_ARRAYSZ", WORD],
  ["FINI_ARRAY", "FINI_ARRAYSZ", WORD],
];

/**
 * Returns what is wrong with the program headers and the dynamic section of a library, as a part of a sentence;
 * `undefined` if the dynamic linker can follow them. The linker itself believes them: an address outside of the file's
 * parts ends the process.
 */
function faultOfLayout(
  headers: DataView,
  entry: number,
  read: ReadAt,
  sections: readonly Section[],
): string | undefined {
  const rows = rowsOf(headers, entry), loads = rows.filter(({ type }) => type === PT_LOAD);
  const dynamic = rows.filter(({ type }) => type === PT_DYNAMIC);
  if (loads.length === 0) return "has no part to load";
  if (dynamic.length !== 1) return `has ${dynamic.length} dynamic sections`;
  return faultOfLoads(loads) ?? faultOfOthers(rows, loads) ?? faultOfDynamic(dynamic[0], loads, read, sections);
}

interface Row extends LoadedPart {
  readonly type: number;
}

function rowsOf(headers: DataView, entry: number): Row[] {
  return Array.from({ length: Math.floor(headers.byteLength / entry) }, (_, index) => {
    const at = index * entry, flags = headers.getUint32(at + 4, true);
    const number = (offset: number) => Number(headers.getBigUint64(at + offset, true));
    return {
      type: headers.getUint32(at, true),
      offset: number(8),
      address: number(16),
      fileSize: number(32),
      memorySize: number(40),
      isExecutable: (flags & EXECUTABLE) !== 0,
      isWritable: (flags & WRITABLE) !== 0,
    };
  });
}

/** Gaps between parts are no fault: tools that change a library leave them. */
function faultOfLoads(loads: readonly Row[]): string | undefined {
  let end = 0;
  for (const { offset, address, fileSize, memorySize } of loads) {
    if (fileSize > memorySize) return "maps more of the file than there is room for in memory";
    if (address < end) return "maps parts over each other";
    if (offset % PAGE !== address % PAGE) return "maps a part at another place of a page than the file has it";
    end = address + memorySize;
  }
  if (end - loads[0].address > Number.MAX_SAFE_INTEGER / PAGE) return `takes ${end} bytes of memory`;
  return undefined;
}

/** The parts of the others must be those of the file's that are mapped. */
function faultOfOthers(rows: readonly Row[], loads: readonly Row[]): string | undefined {
  for (const { type, address, memorySize, offset, fileSize } of rows) {
    if (type === PT_GNU_RELRO && !isLoaded(loads, address, memorySize, "page")) {
      return "protects memory that it does not map";
    }
    if (type === PT_TLS && fileSize > memorySize) return "has more for threads than there is room for";
    const isOfFile = type === PT_DYNAMIC || type === PT_PHDR || type === PT_TLS && fileSize > 0;
    if (isOfFile && placeOf(loads, address, fileSize) !== offset) {
      return "has a part in memory and in the file that differ";
    }
  }
  return undefined;
}

/** The offset in the file of something in memory; `undefined` if it is not all in one part. */
function placeOf(loads: readonly LoadedPart[], address: number, size: number): number | undefined {
  const load = loads.find((each) => address >= each.address && address + size <= each.address + each.fileSize);
  return load && load.offset + address - load.address;
}

/** Whether something is in memory, up to the end of a page if so. */
function isLoaded(loads: readonly LoadedPart[], address: number, size: number, unit?: "page"): boolean {
  const slack = unit ? PAGE : 0;
  return loads.some((each) => address >= each.address && address + size <= each.address + each.memorySize + slack);
}

type Values = ReadonlyMap<Name, number>;

function faultOfDynamic(
  { offset, address, fileSize }: Row,
  loads: readonly LoadedPart[],
  read: ReadAt,
  sections: readonly Section[],
): string | undefined {
  const bytes = read(offset, fileSize), values = new Map<Name, number>(), texts: number[] = [];
  let isEnded = false;
  for (let at = 0; at + DYNAMIC_ENTRY <= bytes.byteLength && !isEnded; at += DYNAMIC_ENTRY) {
    const tag = Number(bytes.getBigInt64(at, true)), value = Number(bytes.getBigUint64(at + WORD, true));
    const name = NAMES.get(tag);
    isEnded = tag === 0;
    if (name) values.set(name, value);
    if (name === "NEEDED" || name === "SONAME" || name === "RPATH" || name === "RUNPATH") texts.push(value);
  }
  if (!isEnded) return "has a dynamic section without an end";
  return faultOfTexts(values, texts, loads, read) ?? faultOfSymbols(values, loads, read) ??
    faultOfTables(values, loads, read) ?? faultOfCode(values, loads) ??
    faultOfSections(sections, { offset, address }, (name) => values.get(name), (each) => {
      const may = loads.filter((load) =>
        (load.isWritable || !each.isWritable) && (load.isExecutable || !each.isExecutable)
      );
      return placeOf(may, each.address, each.size);
    });
}

function faultOfTexts(values: Values, texts: readonly number[], loads: readonly LoadedPart[], read: ReadAt) {
  const size = values.get("STRSZ") ?? 0, at = placeOf(loads, values.get("STRTAB") ?? NOWHERE, size);
  if (at === undefined || size === 0) return "has no table of names where it says";
  const first = read(at, 1), last = read(at + size - 1, 1);
  if (first.byteLength + last.byteLength < 2 || first.getUint8(0) !== 0 || last.getUint8(0) !== 0) {
    return "has no table of names where it says";
  }
  return texts.some((text) => text >= size) ? "has a name behind its table of names" : undefined;
}

function faultOfSymbols(values: Values, loads: readonly LoadedPart[], read: ReadAt): string | undefined {
  const at = placeOf(loads, values.get("SYMTAB") ?? NOWHERE, SYMBOL), wrong = "has no table of symbols where it says";
  if (at === undefined || values.get("SYMENT") !== SYMBOL || values.get("SYMTAB")! % WORD !== 0) return wrong;
  const none = read(at, SYMBOL);
  if ([0, 8, 16].some((word) => none.getBigUint64(word, true) !== 0n)) return wrong;
  if (!values.has("HASH") && !values.has("GNU_HASH")) return "has no table to find symbols by";
  return faultOfHash(values, loads, read) ?? faultOfVersions(values, loads, read);
}

function faultOfHash(values: Values, loads: readonly LoadedPart[], read: ReadAt): string | undefined {
  const wrong = "has no table to find symbols by where it says", old = values.get("HASH"), gnu = values.get("GNU_HASH");
  if (old !== undefined) {
    const at = old % 4 === 0 ? placeOf(loads, old, 8) : undefined, head = at === undefined ? undefined : read(at, 8);
    if (!head || head.byteLength < 8) return wrong;
    const size = 8 + 4 * (head.getUint32(0, true) + head.getUint32(4, true));
    if (head.getUint32(0, true) === 0 || placeOf(loads, old, size) === undefined) return wrong;
  }
  if (gnu === undefined) return undefined;
  const at = gnu % WORD === 0 ? placeOf(loads, gnu, 16) : undefined, head = at === undefined ? undefined : read(at, 16);
  if (!head || head.byteLength < 16) return wrong;
  const [buckets, , filters, shift] = [0, 4, 8, 12].map((word) => head.getUint32(word, true));
  const isPower = filters > 0 && (filters & filters - 1) === 0;
  const fits = placeOf(loads, gnu, 16 + WORD * filters + 4 * buckets) !== undefined;
  return isPower && buckets > 0 && shift < 64 && fits ? undefined : wrong;
}

/** The first record of either table of versions has the version 1. */
function faultOfVersions(values: Values, loads: readonly LoadedPart[], read: ReadAt): string | undefined {
  for (const [table, count] of [["VERNEED", "VERNEEDNUM"], ["VERDEF", "VERDEFNUM"]] as const) {
    const address = values.get(table), wrong = "has no table of versions where it says";
    if ((address === undefined) !== (values.get(count) === undefined)) return "has half a table of versions";
    if (address === undefined) continue;
    const at = address % 4 === 0 ? placeOf(loads, address, 16) : undefined;
    if (at === undefined || read(at, 2).getUint16(0, true) !== 1 || !values.has("VERSYM")) return wrong;
  }
  const symbols = values.get("VERSYM");
  if (symbols !== undefined && (symbols % 2 !== 0 || placeOf(loads, symbols, 2) === undefined)) {
    return "has no versions of symbols where it says";
  }
  return undefined;
}

function faultOfTables(values: Values, loads: readonly LoadedPart[], read: ReadAt): string | undefined {
  for (const [table, sizeName, entry, entryName] of TABLES) {
    const address = values.get(table), size = values.get(sizeName) ?? 0, wrong = `has no DT_${table} where it says`;
    if (address === undefined) {
      if (size > 0) return `has the size of DT_${table}, and no DT_${table}`;
      continue;
    }
    if (!values.has(sizeName)) return `has DT_${table} without a size`;
    if (size % entry !== 0 || entryName && values.get(entryName) !== entry) return `has DT_${table} of another form`;
    if (size === 0) continue;
    const at = address % WORD === 0 ? placeOf(loads, address, size) : undefined;
    if (at === undefined) return wrong;
    if (entry === RELOCATION && !relocates(loads, read(at, WORD), read(at + size - RELOCATION, WORD))) return wrong;
  }
  if (values.has("JMPREL") && values.get("PLTREL") !== DT.RELA) return "has DT_PLTREL of another form";
  const count = values.get("RELACOUNT") ?? 0;
  return count * RELOCATION > (values.get("RELASZ") ?? 0) ? "counts more relocations than it has" : undefined;
}

/** Whether the places of the first relocation and of the last are in memory. */
function relocates(loads: readonly LoadedPart[], ...places: readonly DataView[]): boolean {
  return places.every((place) => place.byteLength === WORD && isLoaded(loads, Number(place.getBigUint64(0, true)), 1));
}

function faultOfCode(values: Values, loads: readonly LoadedPart[]): string | undefined {
  const code = loads.filter(({ isExecutable }) => isExecutable);
  for (const name of ["INIT", "FINI"] as const) {
    const address = values.get(name);
    if (address !== undefined && placeOf(code, address, 1) === undefined) {
      return `has DT_${name} where there is no code`;
    }
  }
  const got = values.get("PLTGOT");
  return got !== undefined && !isLoaded(loads, got, 1) ? "has DT_PLTGOT outside of its memory" : undefined;
}
