import { assertEquals } from "@std/assert";

interface Segment {
  type: number;
  flags: number;
  at: number;
  fileSize: number;
  size: number;
  align: number;
}

/** Reads the parts of an ELF64 file that linkers read. */
export function openElf(bytes: Uint8Array<ArrayBuffer>) {
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

/** The properties that a shared object must state. */
interface Wanted {
  /** `e_machine`. */
  readonly machine: number;
  readonly soname: string;
}

/**
 * Checks a shared object as glibc's and Android's linkers do: alignment,
 * permissions, section headers, a hash table, and nothing to relocate. Returns
 * the names that the object exports, and the libraries that it needs.
 */
export function assertLinkable(
  file: Uint8Array<ArrayBuffer>,
  { machine, soname }: Wanted,
): { exports: string[]; needed: number[] } {
  const { u16, u32, u64, segments, dynamic, tags, text, bytes } = openElf(file);
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
  assertEquals(text(tags.get(5)! + tags.get(14)!), soname);
  assertEquals([tags.has(22), tags.has(7), tags.has(4)], [false, false, true]); // no text relocations, none at all
  assertEquals(segments.filter(({ type }) => type === 0x6474e551).map(({ flags }) => flags), [6]); // no executable stack
  const [hash, strings, symbols] = [4, 5, 6].map((tag) => tags.get(tag)!);
  const exports = Array.from(
    { length: u32(hash + 4) - 1 },
    (_, index) => text(strings + u32(symbols + 24 * (index + 1))),
  );
  return { exports, needed: [...tags].filter(([tag]) => tag === 1).map(([, value]) => value) };
}
