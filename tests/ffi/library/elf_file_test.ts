import { assertEquals, assertThrows } from "@std/assert";
import { A64 } from "../../../ffi/asm/a64.ts";
import { writeElf } from "../../../ffi/asm/elf.ts";
import { X64 } from "../../../ffi/asm/x64.ts";
import { inspectElf } from "../../../ffi/library/elf_file.ts";
import { NativeError, type NativeErrorCode } from "../../../ffi/error.ts";
import { Library } from "../../../ffi/library/library.ts";

const isArm = Deno.build.arch === "aarch64";

/** A good library for this machine, or for the other one. */
function image(other = false): Uint8Array<ArrayBuffer> {
  const code = isArm !== other ? new A64() : new X64();
  code.begin("nothing");
  code.ret();
  return writeElf(code, "libnothing.so").bytes;
}

function changed(change: (bytes: Uint8Array<ArrayBuffer>) => void): Uint8Array<ArrayBuffer> {
  const bytes = image();
  change(bytes);
  return bytes;
}

/** Writes a file, and expects an error of a code and with these words from all that opens it. */
function refused(content: Uint8Array | string, code: NativeErrorCode, words: string): void {
  const path = Deno.makeTempFileSync({ suffix: ".so" });
  try {
    Deno.writeFileSync(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
    for (const open of [inspectElf, Library.open]) {
      const error = assertThrows(() => open(path), NativeError, words);
      assertEquals([error.code, error.path, error.message.includes(path)], [code, path, true]);
    }
  } finally {
    Deno.removeSync(path);
  }
}

Deno.test("inspectElf() accepts a library for this machine", () => {
  const path = Deno.makeTempFileSync({ suffix: ".so" });
  Deno.writeFileSync(path, image());
  const { machine, size } = inspectElf(path);
  assertEquals([machine, size], [isArm ? 183 : 62, image().length]);
  Deno.removeSync(path);
});

Deno.test("inspectElf() throws when there is no such file", () => {
  const error = assertThrows(() => inspectElf("/no/such/library.so"), NativeError, "found no such file");
  assertEquals([error.code, error.path], ["not-found", "/no/such/library.so"]);
  assertEquals(error.cause instanceof Deno.errors.NotFound, true);
});

Deno.test("inspectElf() throws when it is a directory or a device", () => {
  assertEquals(assertThrows(() => inspectElf("/tmp"), NativeError, "found a directory").code, "not-a-file");
  assertEquals(assertThrows(() => inspectElf("/dev/null"), NativeError, "no regular file").code, "not-a-file");
});

Deno.test("inspectElf() throws when it is another format, and shows text", () => {
  refused("#!/bin/sh\necho hello\n", "not-elf", 'found text ("#!/bin/sh echo h…")');
  refused("", "not-elf", "found an empty file");
  refused(new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), "not-elf", "another format");
});

Deno.test("inspectElf() throws when the file is cut off, wherever that is", () => {
  const bytes = image();
  refused(bytes.subarray(0, 20), "truncated", "found only 20 bytes");
  refused(bytes.subarray(0, 100), "truncated", "get the whole file");
  refused(bytes.subarray(0, 65536 + 50), "truncated", "get the whole file");
});

Deno.test("inspectElf() throws when it is for another machine or word size, or no shared object", () => {
  refused(
    image(true),
    "wrong-machine",
    isArm ? "for x86-64; give one for AArch64" : "for AArch64; give one for x86-64",
  );
  refused(changed((bytes) => bytes[4] = 1), "wrong-class", "32-bit");
  refused(changed((bytes) => bytes[18] = 40), "wrong-machine", "32-bit Arm");
  refused(changed((bytes) => bytes[16] = 2), "wrong-kind", "no shared object");
});

Deno.test("inspectElf() throws when the headers point nowhere", () => {
  refused(changed((bytes) => bytes.fill(0xff, 32, 40)), "truncated", "get the whole file");
  refused(changed((bytes) => bytes.fill(0xff, 64 + 8, 64 + 16)), "truncated", "get the whole file");
});

Deno.test("inspectElf() tells a library of the other byte order from one of another machine", () => {
  const path = Deno.makeTempFileSync({ suffix: ".so" });
  Deno.writeFileSync(path, changed((bytes) => bytes[5] = 2));
  const error = assertThrows(() => inspectElf(path), NativeError, "found a big-endian library, for another machine");
  assertEquals(error.code, "wrong-machine");
  Deno.removeSync(path);
});

/** Offsets in a file that `writeElf` made: of the program header of a type, and of the value of a tag. */
function placeOf(bytes: Uint8Array<ArrayBuffer>, type: number, tag?: number): number {
  const view = new DataView(bytes.buffer), at = Number(view.getBigUint64(32, true));
  const rows = Array.from({ length: view.getUint16(56, true) }, (_, index) => at + 56 * index);
  const row = rows.find((each) => view.getUint32(each, true) === type)!;
  if (tag === undefined) return row;
  let entry = Number(view.getBigUint64(row + 8, true));
  while (view.getBigInt64(entry, true) !== BigInt(tag)) entry += 16;
  return entry + 8;
}

/** An image whose number at a place of a row, or of a tag, is another. */
function withNumber(value: bigint, type: number, within: { readonly at?: number; readonly tag?: number }): Uint8Array {
  return changed((bytes) => {
    const place = placeOf(bytes, type, within.tag) + (within.at ?? 0);
    new DataView(bytes.buffer).setBigUint64(place, value, true);
  });
}

Deno.test("inspectElf() throws where headers and the dynamic section lead nowhere", () => {
  const LOAD = 1, DYNAMIC = 2, far = 0x7fff_0000n;
  refused(changed((bytes) => bytes[54] = 32), "damaged", "program headers of 32 bytes");
  refused(withNumber(0n, LOAD, { at: 40 }), "damaged", "than there is room for in memory");
  refused(withNumber(far + 8n, DYNAMIC, { at: 16 }), "damaged", "in memory and in the file that differ");
  refused(withNumber(far, DYNAMIC, { tag: 5 }), "damaged", "no table of names where it says");
  refused(withNumber(far, DYNAMIC, { tag: 6 }), "damaged", "no table of symbols where it says");
  refused(withNumber(16n, DYNAMIC, { tag: 11 }), "damaged", "no table of symbols where it says");
  refused(withNumber(far, DYNAMIC, { tag: 4 }), "damaged", "no table to find symbols by where it says");
  refused(withNumber(far, DYNAMIC, { tag: 14 }), "damaged", "a name behind its table of names");
  const unknown = (tag: number) =>
    changed((bytes) => new DataView(bytes.buffer).setBigInt64(placeOf(bytes, DYNAMIC, tag) - 8, 0x6000_0001n, true));
  refused(unknown(5), "damaged", "no table of names where it says");
  refused(withNumber(16n, DYNAMIC, { at: 32 }), "damaged", "a dynamic section without an end");
});
