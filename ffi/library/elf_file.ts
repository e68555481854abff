import { NativeError } from "../error.ts";
import { faultOfLayout } from "./elf_dynamic.ts";

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
  const fault = faultOfLayout(headers, PROGRAM_HEADER, (at, bytes) => readAt(file, at, bytes));
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
