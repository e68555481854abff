import { assertEquals, assertThrows } from "@std/assert";
import { A64 } from "../../../ffi/asm/a64.ts";
import { elfHash, writeElf } from "../../../ffi/asm/elf.ts";
import { X64 } from "../../../ffi/asm/x64.ts";

function sample(code: A64 | X64, count: number): Uint8Array<ArrayBuffer> {
  for (let index = 0; index < count; index++) {
    code.begin(`function${index}`);
    code.jumpSlot(code.reserve());
  }
  return writeElf(code, "libsample.so").bytes;
}

interface Segment {
  type: number;
  flags: number;
  at: number;
  fileSize: number;
  size: number;
  align: number;
}

function open(bytes: Uint8Array<ArrayBuffer>) {
  const view = new DataView(bytes.buffer);
  const u16 = (at: number) => view.getUint16(at, true), u32 = (at: number) => view.getUint32(at, true);
  const u64 = (at: number) => Number(view.getBigUint64(at, true));
  const text = (at: number) => new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  const segments: Segment[] = Array.from({ length: u16(56) }, (_, index) => {
    const header = u64(32) + 56 * index;
    assertEquals(u64(header + 8), u64(header + 16)); // offset and address alike
    const [at, fileSize, size, align] = [8, 32, 40, 48].map((field) => u64(header + field));
    return { type: u32(header), flags: u32(header + 4), at, fileSize, size, align };
  });
  const dynamic = segments.find((segment) => segment.type === 2)!;
  const tags = new Map<number, number>();
  for (let at = dynamic.at; u64(at) !== 0; at += 16) tags.set(u64(at), u64(at + 8));
  return { bytes, u16, u32, u64, text, segments, dynamic, tags };
}

for (const [name, make, machine] of [["X64", () => new X64(), 62], ["A64", () => new A64(), 183]] as const) {
  Deno.test(`writeElf() makes a file from ${name} that glibc and Android's linker accept`, () => {
    const { u16, u32, u64, segments, dynamic, tags, text, bytes } = open(sample(make(), 5));
    assertEquals([u32(0), bytes[4], bytes[5], u16(16), u16(18)], [0x464c457f, 2, 1, 3, machine]);
    const loads = segments.filter((segment) => segment.type === 1);
    for (const { flags, at, fileSize, size, align } of loads) {
      assertEquals([flags & 3, align, at % 65536].filter((value) => value === 3), [], "writable and executable");
      assertEquals([align, at % align, at + fileSize <= bytes.length, size >= fileSize], [65536, 0, true, true]);
    }
    const sections = Array.from({ length: u16(60) }, (_, index) => u64(40) + 64 * index);
    assertEquals([u16(58), sections.length > 0, u16(62) !== 0], [64, true, true]);
    const section = sections.find((header) => u32(header + 4) === 6)!;
    assertEquals([u64(section + 24), u64(section + 32)], [dynamic.at, dynamic.fileSize]);
    assertEquals(u32(sections[u32(section + 40)] + 4), 3); // linked to a string table
    assertEquals(text(tags.get(5)! + tags.get(14)!), "libsample.so");
    assertEquals([tags.has(22), tags.has(7), tags.has(4)], [false, false, true]); // no text relocations, none at all
  });
}

Deno.test("writeElf() makes a hash table that finds every name in a short chain", () => {
  const { u32, u64, text, tags } = open(sample(new X64(), 700));
  const [hash, strings, symbols] = [4, 5, 6].map((tag) => tags.get(tag)!);
  const buckets = u32(hash);
  let longest = 0;
  for (let wanted = 0; wanted < 700; wanted++) {
    const name = `function${wanted}`;
    let symbol = u32(hash + 8 + 4 * (elfHash(name) % buckets)), steps = 1;
    while (text(strings + u32(symbols + 24 * symbol)) !== name) {
      symbol = u32(hash + 8 + 4 * buckets + 4 * symbol);
      steps++;
    }
    longest = Math.max(longest, steps);
    assertEquals(u64(symbols + 24 * symbol + 8) % 16, 0);
  }
  assertEquals(longest < 30, true);
});

Deno.test("elfHash() is the System V ABI's", () => {
  const names = ["", "printf", "vkGetInstanceProcAddr"];
  assertEquals(names.map(elfHash), names.map(hashByTheBook));
  assertEquals(elfHash("printf"), 0x077905a6);
});

/** As printed in the ABI. */
function hashByTheBook(name: string): number {
  let h = 0n;
  for (const letter of name) {
    h = (h << 4n) + BigInt(letter.charCodeAt(0)) & 0xffffffffn;
    const g = h & 0xf0000000n;
    if (g) h ^= g >> 24n;
    h &= ~g & 0xffffffffn;
  }
  return Number(h);
}

Deno.test("writeElf() throws when a label was never placed", () => {
  const code = new X64();
  code.jump(code.label());
  assertThrows(() => writeElf(code, "x"), RangeError, "never placed");
});
